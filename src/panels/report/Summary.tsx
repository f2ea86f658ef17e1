import { memo } from 'react';
import { count, integer, unbroken } from '../../base/format';
import { processors } from '../../controllers/processors';
import { useStore } from '../../controllers/useStore';
import { errorPlot } from '../../draw/report/report';
import { LAYOUT_HASH } from '../../engine/gen/layout';
import { checkCsv, checkJunit, digestOf } from '../../model/report/check-text';
import {
  type CheckTotals,
  isJudged,
  isPrediction,
  type Tally,
  tally,
  totalsOf,
} from '../../model/report/check-totals';
import type { CheckReport, CheckRow } from '../../model/report/check-types';
import {
  type Reproduction,
  reproduction,
  runReproduction,
  stopReproduction,
} from '../../model/report/reproduction';
import { Button } from '../../widgets/Button';
import { download } from '../../widgets/download';
import { ProgressLine } from '../../widgets/Feedback';
import { RoleSign } from './Cells';
import { clock } from './clock';
import { Marks } from './Mark';
import styles from './Summary.module.css';

const STRIP = { width: 268, inset: 8 };

/** Roles in order of evidence. */
const COUNTED: readonly (readonly [CheckRow['role'], string])[] = [
  ['held-out', 'held out'],
  ['outside', 'outside data'],
  ['calibrated', 'calibrated'],
  ['structural', 'structural'],
];

type SummaryProps = Pick<Reproduction, 'reports' | 'status'>;

/** The verdict in sentences, the counts behind it, and the limits of the claims. */
export function Summary({ reports, status }: SummaryProps) {
  const totals = totalsOf(reports);
  return (
    <aside className={styles.summary} aria-label="Summary">
      <h2 className={styles.title}>Do the runs match the papers?</h2>
      <Verdict totals={totals} isDone={status === 'done'} />
      <div className={styles.counts}>
        {COUNTED.map(([role, title]) => (
          <div key={role} className={styles.count}>
            <b>{integer(totals.roles[role].rows)}</b>
            <RoleSign role={role} /> {title}
          </div>
        ))}
      </div>
      {status === 'running' && <Progress />}
      {reports.map((report) => (
        <Strip key={report.scenario} report={report} />
      ))}
      {reports.length > 0 && (
        <div className={styles.axis}>
          <span>−10 %</span>
          <span>error, simulated against published</span>
          <span>+10 %</span>
        </div>
      )}
      <NotClaimed reports={reports} />
      <Actions reports={reports} status={status} />
      <Provenance reports={reports} done={status === 'done'} />
    </aside>
  );
}

/** The scenario being run. Only this component changes with each of its runs. */
function Progress() {
  const { title, done, total } = useStore(reproduction);
  return <ProgressLine label={title} done={done} total={total} onStop={stopReproduction} />;
}

interface VerdictProps {
  readonly totals: CheckTotals;
  readonly isDone: boolean;
}

function Verdict({ totals, isDone }: VerdictProps) {
  const { roles, before, phenomena, tolerances } = totals;
  if (roles['held-out'].rows === 0)
    return (
      <p className={styles.verdict}>
        {isDone ? 'No scenario predicts a published value.' : 'Running.'}
      </p>
    );
  const soFar = isDone ? '' : ' so far';
  const judged = Object.values(tolerances).reduce((sum, rows) => sum + rows, 0);
  return (
    <>
      {roles.outside.rows > 0 && (
        <p className={styles.verdict}>
          {insideText(roles.outside, 'values from outside the papers')}.
        </p>
      )}
      {before.rows > 0 && (
        <p className={styles.verdict}>
          {insideText(before, 'predictions with a tolerance set before the run')}.
        </p>
      )}
      <p className={styles.verdict}>
        {phenomena.passed} of {count(phenomena.rows, 'predicted phenomenon', 'predicted phenomena')}{' '}
        agree{soFar}: {insideText(roles['held-out'], 'held-out values')}.{' '}
        {outsideText(roles['held-out'])}
      </p>
      <p className={styles.aside}>
        {integer(tolerances.after)} of {integer(judged)} tolerances were chosen after the result was
        known: read the errors. Calibrated rows were used to choose constants, structural ones
        restate an input or another row; both are tested and predict nothing. A bar above a mark is
        the noise of the published value, a bar through it the range over seeds.
      </p>
    </>
  );
}

const insideText = ({ passed, rows }: Tally, kind: string) =>
  `${passed} of ${rows} ${kind} land inside their tolerance`;

function outsideText({ missed, failed }: Tally): string {
  const outside = missed + failed;
  if (outside === 0) return 'None is outside.';
  if (outside === 1) return 'One is outside; it is marked, not dropped.';
  return `${outside} are outside; they are marked, not dropped.`;
}

/** All judged rows of a scenario with predictions, on one line; the numbers count its predictions. */
const Strip = memo(({ report }: { readonly report: CheckReport }) => {
  const judged = report.rows.filter((row) => isJudged(row) && row.kind !== 'statistic');
  const { passed, rows } = tally(judged.filter(isPrediction));
  const { marks } = errorPlot(STRIP, judged);
  if (rows === 0) return null;
  return (
    <div className={styles.strip}>
      <div className={styles.stripTitle}>
        {report.title}
        <span>
          {passed} of {rows} predicted
        </span>
      </div>
      <svg width={STRIP.width} height="22" viewBox={`0 0 ${STRIP.width} 22`} aria-hidden="true">
        <path d={`M0 15H${STRIP.width}`} className="rule" />
        <path d={`M${STRIP.width / 2} 8V18`} className="thin" />
        <Marks marks={marks} y={15} />
      </svg>
    </div>
  );
});

function NotClaimed({ reports }: { readonly reports: readonly CheckReport[] }) {
  const notes = [
    ...new Set(reports.flatMap(({ unexplained }) => unexplained.map(({ text }) => text))),
  ];
  if (notes.length === 0) return null;
  return (
    <>
      <h3 className={styles.heading}>Not claimed</h3>
      <ul className={styles.notes}>
        {notes.map((text) => (
          <li key={text}>{unbroken(text)}</li>
        ))}
      </ul>
    </>
  );
}

function Actions({ reports, status }: SummaryProps) {
  const none = reports.length === 0;
  return (
    <div className={styles.actions}>
      <Button
        size="small"
        disabled={status === 'running'}
        onClick={() => void runReproduction(clock, processors())}
      >
        Run all again
      </Button>
      <Button
        size="small"
        disabled={none}
        onClick={() => download('reproduction.csv', checkCsv(reports), 'text/csv')}
      >
        CSV
      </Button>
      <Button
        size="small"
        disabled={none}
        onClick={() => download('reproduction.xml', checkJunit(reports), 'application/xml')}
      >
        JUnit
      </Button>
      <Button size="small" disabled={none} onClick={() => window.print()}>
        Print
      </Button>
    </div>
  );
}

interface ProvenanceProps {
  readonly reports: readonly CheckReport[];
  readonly done: boolean;
}

/** Provenance of these numbers: equal digits elsewhere mean the same engine and the same results. */
function Provenance({ reports, done }: ProvenanceProps) {
  const runs = reports.reduce((sum, report) => sum + report.runs, 0);
  const layout = (LAYOUT_HASH >>> 0).toString(16).padStart(8, '0');
  return (
    <div className={styles.provenance}>
      engine layout {layout}
      <br />
      {done ? `digest ${digestOf(reports)}` : 'digest follows'}
      <br />
      {count(runs, 'run')}
    </div>
  );
}
