import { fixed, signed } from '../../base/format';
import { sizeText } from '../../draw/lab/along-curve';
import type { LabPlan } from '../../model/lab/plan';
import type { LabRecord } from '../../model/lab/state';
import { Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { type CompareRow, compareRows, stepsOf } from './compare-runs';
import styles from './Runs.module.css';

interface RecordsProps {
  readonly plan: LabPlan;
  readonly records: readonly LabRecord[];
}

const nameOf = (plan: LabPlan, { place }: LabRecord): string =>
  `${plan.series[place.series]?.title ?? ''}, ${sizeText(plan.axis, place.size)}`;

/** The actions of each part in order of time, as sentences. */
export function RunsTextAlternative({ plan, records }: RecordsProps) {
  return (
    <>
      {records.map((record) => (
        <TextAlternative
          key={`${record.place.series} ${record.place.size}`}
          summary={nameOf(plan, record)}
          sentences={stepsOf(record)}
        />
      ))}
    </>
  );
}

/** Two runs part by part: time in each state, and the difference. */
export function Comparison({ plan, records }: RecordsProps) {
  const [a, b] = records;
  if (!a || !b) return null;
  const us = (ps: number) => fixed(ps / 1e6, 3);
  const same = a.place.size === b.place.size;
  const column = (record: LabRecord) =>
    `${same ? (plan.series[record.place.series]?.title ?? '') : nameOf(plan, record)}, µs`;
  return (
    <div className={styles.comparison}>
      <Table<CompareRow>
        caption={`Time in each state: ${nameOf(plan, a)} and ${nameOf(plan, b)}`}
        columns={[
          { id: 'part', title: 'part', cell: (row) => row.lane },
          { id: 'state', title: 'state', cell: (row) => row.state },
          { id: 'a', title: column(a), numeric: true, cell: (row) => us(row.a) },
          { id: 'b', title: column(b), numeric: true, cell: (row) => us(row.b) },
          {
            id: 'difference',
            title: 'difference, µs',
            numeric: true,
            cell: (row) => signed((row.b - row.a) / 1e6, 3),
          },
        ]}
        rows={compareRows(a, b)}
        rowKey={(row) => `${row.lane} ${row.state}`}
      />
    </div>
  );
}
