import { fixed, integer, percent } from '../../base/format';
import { useFrameValue, useRun } from '../../controllers/useRun';
import type { LockStatistics, Pool } from '../../model/pools/pool-bitmap';
import { EmptyState } from '../../widgets/Feedback';
import { Masked } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { type Column, Table } from '../../widgets/Table';
import styles from './LockTable.module.css';
import { poolsNow, usePoolViews } from './pools-now';
import { useHidesPools } from './useHidesPools';

interface Row {
  readonly name: string;
  readonly lock: LockStatistics;
}

const MICROSECOND = 1e6;
const time = (ps: number): string => fixed(ps / MICROSECOND, 2);
const mean = (ps: number, times: number): string => (times > 0 ? time(ps / times) : time(0));

const number = (
  id: string,
  title: string,
  cell: (lock: LockStatistics) => string,
): Column<Row> => ({
  id,
  title,
  numeric: true,
  cell: ({ lock }) => cell(lock),
});

/** Names and units of /proc/lock_stat; its minimum times and bounces are not counted. */
const COLUMNS: readonly Column<Row>[] = [
  { id: 'lock', title: 'lock', cell: ({ name }) => name },
  number('contentions', 'contentions', (lock) => integer(lock.contentions)),
  number('waittime-max', 'waittime-max', (lock) => time(lock.waitMost)),
  number('waittime-total', 'waittime-total', (lock) => time(lock.waitTime)),
  number('waittime-avg', 'waittime-avg', (lock) => mean(lock.waitTime, lock.contentions)),
  number('acquisitions', 'acquisitions', (lock) => integer(lock.acquisitions)),
  number('holdtime-max', 'holdtime-max', (lock) => time(lock.holdMost)),
  number('holdtime-total', 'holdtime-total', (lock) => time(lock.holdTime)),
  number('holdtime-avg', 'holdtime-avg', (lock) => mean(lock.holdTime, lock.acquisitions)),
  number('contended', 'contended', ({ contentions, acquisitions }) =>
    percent(acquisitions > 0 ? (contentions / acquisitions) * 100 : 0, 1),
  ),
];

/** Columns about waiting, by their ids. */
const WAITS = ['contentions', 'waittime-max', 'waittime-total', 'waittime-avg', 'contended'];

/** The same while a question asks how often or how long CPUs wait. */
const SEALED_COLUMNS = COLUMNS.map((column) =>
  WAITS.includes(column.id) ? { ...column, cell: () => <Masked /> } : column,
);

const add = (a: LockStatistics, b: LockStatistics): LockStatistics => ({
  acquisitions: a.acquisitions + b.acquisitions,
  contentions: a.contentions + b.contentions,
  waitTime: a.waitTime + b.waitTime,
  waitMost: Math.max(a.waitMost, b.waitMost),
  holdTime: a.holdTime + b.holdTime,
  holdMost: Math.max(a.holdMost, b.holdMost),
});

const rowOf = ({ number: pool, large, lock }: Pool): Row[] =>
  lock ? [{ name: large ? 'large pool' : `pool ${pool}`, lock }] : [];

function rowsOf(pools: readonly Pool[]): Row[] {
  const rows = pools.flatMap(rowOf).filter(({ lock }) => lock.acquisitions > 0);
  const [first, ...others] = rows.map(({ lock }) => lock);
  return first && others.length > 0
    ? [...rows, { name: 'all', lock: others.reduce(add, first) }]
    : rows;
}

/** Every lock taken so far, as lockstat reports it. */
export default function LockTable() {
  useRun();
  usePoolViews();
  const now = useFrameValue(poolsNow);
  const masked = useHidesPools('contentions', 'wait_time');
  const rows = rowsOf(now?.map.pools ?? []);
  return (
    <Panel
      title="Lock statistics"
      sub="as lockstat prints them, times in µs"
      className={styles.panel ?? ''}
      scroll
    >
      {rows.length === 0 ? (
        <EmptyState title="No lock has been taken yet.">Play on to see the first.</EmptyState>
      ) : (
        <div className={styles.sheet}>
          <Table
            caption="Locks of the pools, from the start of the run to the playhead"
            columns={masked ? SEALED_COLUMNS : COLUMNS}
            rows={rows}
            rowKey={({ name }) => name}
          />
        </div>
      )}
    </Panel>
  );
}
