import { count, integer } from '../../base/format';
import { errorPlot } from '../../draw/report';
import { LAYOUT_HASH } from '../../engine/gen/layout';
import type { CheckReport, CheckRow } from '../../model/check';
import { totalsOf } from '../../model/check';
import { checkCsv, checkJunit } from '../../model/checkText';
import {
  digestOf,
  type Reproduction,
  runReproduction,
  stopReproduction,
} from '../../model/reproduction';
import { Button } from '../../widgets/Button';
import { download } from '../../widgets/download';
import { ProgressLine } from '../../widgets/Feedback';
import { clock } from './clock';
import styles from './Summary.module.css';

const STRIP = { width: 268, inset: 8 };

/** The verdict in a sentence, the count behind it, and what is not claimed. */
export function Summary({ state }: { readonly state: Reproduction }) {
  const { reports, status } = state;
  const rows = reports.flatMap((report) => report.rows);
  const { calibrated, heldOut } = totalsOf(reports);
  return (
    <aside className={styles.summary} aria-label="Summary">
      <h2 className={styles.title}>Do the runs match the papers?</h2>
      <Verdict rows={rows} state={state} />
      <div className={styles.counts}>
        <div className={styles.count}>
          <b>{integer(rows.length)}</b>values
        </div>
        <div className={styles.count}>
          <b>{integer(calibrated)}</b>calibrated
        </div>
        <div className={styles.count}>
          <b>{integer(heldOut)}</b>held out
        </div>
      </div>
      {status === 'running' && (
        <ProgressLine
          label={`${state.title}:`}
          done={state.done}
          total={state.total}
          onStop={stopReproduction}
        />
      )}
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
      <Actions state={state} />
      <Provenance reports={reports} done={status === 'done'} />
    </aside>
  );
}

interface VerdictProps {
  readonly rows: readonly CheckRow[];
  readonly state: Reproduction;
}

function Verdict({ rows, state }: VerdictProps) {
  const heldOut = rows.filter((row) => row.role === 'held-out');
  const inside = heldOut.filter((row) => row.pass).length;
  const outside = rows.filter((row) => !row.pass).length;
  if (heldOut.length === 0)
    return (
      <p className={styles.verdict}>
        {state.status === 'done' ? 'No scenario expects a published value.' : 'Running.'}
      </p>
    );
  const soFar = state.status === 'done' ? '' : ' so far';
  return (
    <p className={styles.verdict}>
      {inside} of {heldOut.length} held-out values land inside the tolerance written down before the
      run{soFar}. {outsideText(outside)}
    </p>
  );
}

function outsideText(outside: number): string {
  if (outside === 0) return 'None is outside.';
  if (outside === 1) return 'One is outside; it is marked, not dropped.';
  return `${outside} are outside; they are marked, not dropped.`;
}

function Strip({ report }: { readonly report: CheckReport }) {
  const judged = report.rows.filter((row) => row.role !== 'context');
  const inside = judged.filter((row) => row.pass).length;
  const { marks } = errorPlot(
    STRIP,
    judged.filter((row) => row.kind !== 'statistic'),
  );
  if (judged.length === 0) return null;
  return (
    <div className={styles.strip}>
      <div className={styles.stripTitle}>
        {report.title}
        <span>
          {inside} of {judged.length}
        </span>
      </div>
      <svg width={STRIP.width} height="22" viewBox={`0 0 ${STRIP.width} 22`} aria-hidden="true">
        <path d={`M0 15H${STRIP.width}`} className="rule" />
        <path d={`M${STRIP.width / 2} 8V18`} className="thin" />
        {marks.map((mark, index) => (
          <circle
            // biome-ignore lint/suspicious/noArrayIndexKey: marks have no identity but their place
            key={index}
            cx={mark.x}
            cy={15}
            r={3.4}
            className={styles.mark}
            data-hollow={mark.hollow || undefined}
            data-bad={mark.bad || undefined}
          />
        ))}
      </svg>
    </div>
  );
}

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
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

function Actions({ state }: { readonly state: Reproduction }) {
  const { reports, status } = state;
  const none = reports.length === 0;
  return (
    <div className={styles.actions}>
      <Button
        size="small"
        disabled={status === 'running'}
        onClick={() => void runReproduction(clock)}
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

/** What made these numbers: the same digits elsewhere mean the same engine and the same results. */
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
