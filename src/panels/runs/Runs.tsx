import { headOf, signedPercent, significant, unbroken } from '../../base/format';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { tables, useRunTable } from '../../controllers/useRunTable';
import { useStore } from '../../controllers/useStore';
import { isOpenAt, type RunRow, type RunTable } from '../../model/lab/run-table';
import { unansweredSteps } from '../../model/lesson/answer-mask';
import { askedRuns, isAskedAt } from '../../model/lesson/asked-runs';
import { overriddenAxes } from '../../model/scenario/axis-overrides';
import type { Point } from '../../model/scenario/experiment';
import type { Metric } from '../../model/scenario/scenario-types';
import { setVariables } from '../../model/session/editing';
import { type SessionState, session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState, ErrorNotice, ProgressLine } from '../../widgets/Feedback';
import { Masked } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { type Column, Table } from '../../widgets/Table';
import styles from './Runs.module.css';

/** Every run of the experiment; each can be opened. */
export default function Runs() {
  const table = useRunTable();
  const now = useStore(session);
  const asked = askedRuns(now, useStore(unansweredSteps));
  const answerMask = useAnswerMask();
  const { rows, done, problem, paused } = table;
  const unfinished = done < rows.length && problem === null;
  const running = unfinished && !paused;
  const sub = unfinished ? undefined : `${rows.length} runs, each can be opened`;
  return (
    <Panel title="All runs" sub={sub} scroll>
      {running && (
        <div className={styles.progress}>
          <ProgressLine
            label="Running"
            done={done}
            total={rows.length}
            onStop={() => tables.stopRecording()}
          />
        </div>
      )}
      {unfinished && paused && (
        <p className={styles.paused}>
          Stopped after {done} of {rows.length} runs.
          <Button size="small" onClick={() => tables.resume()}>
            Go on
          </Button>
        </p>
      )}
      {problem !== null && <ErrorNotice title="These runs cannot be started" detail={problem} />}
      {rows.length > 0 && <EditedAxes now={now} />}
      {rows.length === 0 ? (
        <EmptyState title="This scenario is a single run." />
      ) : (
        <div className={styles.sheet}>
          <Table
            caption="Every run of the experiment with its results"
            columns={columnsOf(
              table,
              now,
              (metric, point) => answerMask?.masksMetric(metric) || isAskedAt(asked, metric, point),
            )}
            rows={rows}
            rowKey={(row) => String(row.point.index)}
          />
        </div>
      )}
    </Panel>
  );
}

/** How the open run differs from its row. */
function EditedAxes({ now }: { readonly now: SessionState }) {
  const { data, machine, edits, commands } = now;
  const axes = data && machine ? overriddenAxes(data, machine, edits) : [];
  if (axes.length > 0) {
    const titles = axes.map(({ title }) => title).join(' and ');
    return (
      <p className={styles.note}>
        The open run is none of these: {titles} {axes.length > 1 ? 'are' : 'is'} changed by hand in
        it. Opening one of them reverts that.
      </p>
    );
  }
  if (commands.length === 0) return null;
  return <p className={styles.note}>Only the open run includes the changes made during it.</p>;
}

function columnsOf(
  table: RunTable,
  now: SessionState,
  isMasked: (metric: Metric, point: Point) => boolean,
): Column<RunRow>[] {
  const { axes, metrics, rows } = table;
  return [
    {
      id: 'run',
      title: axes.map((axis) => axis.title).join(', '),
      cell: (row) => <OpenRun row={row} current={isOpenAt(now, row.point)} />,
    },
    ...metrics.map((metric, i): Column<RunRow> => {
      const most = Math.max(...rows.map((row) => row.values[i] ?? 0));
      return {
        id: metric.name,
        title: unbroken(headOf(metric.title, metric.unit)),
        cell: (row) =>
          isMasked(metric, row.point) ? <Masked /> : <Value row={row} index={i} most={most} />,
      };
    }),
  ];
}

function OpenRun({ row, current }: { readonly row: RunRow; readonly current: boolean }) {
  return (
    <button
      type="button"
      className={current ? styles.current : styles.open}
      aria-current={current || undefined}
      onClick={() => setVariables({ ...session.getState().variables, ...row.point.variables })}
    >
      {unbroken(row.titles.join(', '))}
    </button>
  );
}

interface ValueProps {
  readonly row: RunRow;
  readonly index: number;
  readonly most: number;
}

/** A value as a bar with its number, and the published value beside it. */
function Value({ row, index, most }: ValueProps) {
  const value = row.values[index];
  const published = row.published[index];
  if (value === undefined) return <span className={styles.none}>not run yet</span>;
  if (value === null) return <span className={styles.none}>none</span>;
  const share = most > 0 ? Math.max(0, value / most) : 0;
  return (
    <span className={styles.value}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.bar} style={{ inlineSize: `${share * 100}%` }} />
      </span>
      <span className={styles.number}>{significant(value, 4)}</span>
      {published && (
        <span className={styles.published}>
          published {significant(published.value, 4)},{' '}
          {signedPercent((value / published.value - 1) * 100)}
        </span>
      )}
    </span>
  );
}
