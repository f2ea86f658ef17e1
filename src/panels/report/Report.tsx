import { memo, useCallback, useEffect, useMemo, useState } from 'react';
import { fixed } from '../../base/format';
import { shell } from '../../base/shell-state';
import { processors } from '../../controllers/processors';
import { useStore } from '../../controllers/useStore';
import { groupRows } from '../../draw/report/report';
import { figure, figureIds, numberedColumnOf, paperOf } from '../../model/published/published';
import type { CheckReport } from '../../model/report/check-types';
import { reproduction, showReproduction } from '../../model/report/reproduction';
import { systemTitle } from '../../model/scenario/scenarios';
import { Button } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import { clock } from './clock';
import frame from './Report.module.css';
import { Rows } from './Rows';
import styles from './Rows.module.css';
import { SensitivityTable } from './Strengths';
import { Summary } from './Summary';

/** Published against simulated values, all computed in this page. */
export default function Report() {
  const reports = useStore(reproduction, (state) => state.reports);
  const status = useStore(reproduction, (state) => state.status);
  useEffect(() => showReproduction(clock, processors()), []);
  useSubtitle();
  return (
    <Panel title="Reproduction report" bare>
      <div className={frame.report}>
        <Summary reports={reports} status={status} />
        <Values reports={reports} />
      </div>
    </Panel>
  );
}

/** The duration, beside the page title. */
function useSubtitle(): void {
  const wallMs = useStore(reproduction, (state) => (state.status === 'done' ? state.wallMs : null));
  useEffect(() => {
    if (wallMs === null) return;
    const seconds = fixed(wallMs / 1000, 1);
    shell.setState({ note: `built by the same engine, in this page, in ${seconds}\u00a0s` });
    return () => shell.setState({ note: null });
  }, [wallMs]);
}

function Values({ reports }: { readonly reports: readonly CheckReport[] }) {
  const [open, setOpen] = useState<readonly string[]>([]);
  const systems = [...new Set(reports.map((report) => report.system))];
  const columns = useMemo(() => reports.flatMap(columnsOf), [reports]);
  const all = columns.every((key) => open.includes(key));
  const toggle = useCallback(
    (key: string) =>
      setOpen((now) => (now.includes(key) ? now.filter((other) => other !== key) : [...now, key])),
    [],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.values} tabIndex={0} aria-label="Values">
      <table className={styles.table}>
        <caption className="visually-hidden">
          Published and simulated values, with the error, the tolerance and what each was used for
        </caption>
        <colgroup>
          <col className={styles.wide} />
          <col className={styles.number} />
          <col className={styles.number} />
          <col className={styles.unit} />
          <col className={styles.plot} />
          <col className={styles.error} />
          <col className={styles.within} />
          <col className={styles.role} />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" className={styles.head}>
              {columns.length > 0 && (
                <Button look="link" onClick={() => setOpen(all ? [] : columns)}>
                  {all ? 'Fold the tables' : 'Unfold the tables'}
                </Button>
              )}
            </th>
            <th scope="col" className={`${styles.head} ${styles.n}`}>
              published
            </th>
            <th scope="col" className={`${styles.head} ${styles.n}`}>
              simulated
            </th>
            <th scope="col" className={styles.head}>
              <span className="visually-hidden">unit</span>
            </th>
            <th scope="col" className={styles.head}>
              <span className={styles.scale}>
                <span>−10 %</span>
                <span>tolerance shaded</span>
                <span>+10 %</span>
              </span>
            </th>
            <th scope="col" className={`${styles.head} ${styles.n}`}>
              error
            </th>
            <th scope="col" className={styles.head}>
              tolerance
            </th>
            <th scope="col" className={styles.head}>
              used as
            </th>
            <th scope="col" className={styles.head}>
              source
            </th>
          </tr>
        </thead>
        {systems.flatMap((system) =>
          reports
            .filter((report) => report.system === system)
            .map((report) => (
              <Scenario key={report.scenario} report={report} open={open} toggle={toggle} />
            )),
        )}
      </table>
      <SensitivityTable reports={reports} />
    </section>
  );
}

/** The quantity of a table's column, such as "DMA write throughput". */
function quantityOf(column: string): string {
  const member = [...figureIds()].find((id) => numberedColumnOf(id) === column);
  return figure(member ?? '')?.quantity ?? column;
}

/** Keys of the columns of a scenario that are folded. */
const columnsOf = (report: CheckReport): string[] =>
  groupRows(report.rows, numberedColumnOf).flatMap(({ key }) =>
    key ? [`${report.scenario} ${key}`] : [],
  );

interface ScenarioProps {
  readonly report: CheckReport;
  readonly open: readonly string[];
  readonly toggle: (key: string) => void;
}

/** The rows of a scenario; finished ones are not rendered again while others arrive. */
const Scenario = memo(({ report, open, toggle }: ScenarioProps) => {
  return (
    <tbody>
      <tr className={styles.group}>
        <th colSpan={9} scope="rowgroup" className={styles.groupHead}>
          <b>{report.title}</b>
          <span>{paperOf(report.system) || systemTitle(report.system)}</span>
        </th>
      </tr>
      {[...report.problems.map(({ message }) => message), ...report.breaches].map((message) => (
        <tr key={message}>
          <td colSpan={9} className={styles.problem}>
            <span>{message}</span>
          </td>
        </tr>
      ))}
      <Rows report={report} open={open} toggle={toggle} />
      {report.beyondThird.map(({ columns, because }) => (
        <tr key={because}>
          <td colSpan={9} className={styles.reason}>
            <span>
              more than a third of {columns.map(quantityOf).join(' and ')} calibrated: {because}
            </span>
          </td>
        </tr>
      ))}
    </tbody>
  );
});
