import { fixed, NO_BREAK_SPACE, signed, significant } from '../../base/format';
import { navigate } from '../../base/route';
import { decimalsOf, errorPlot, groupRows } from '../../draw/report';
import type { CheckReport, CheckRow } from '../../model/check';
import { variablesAt } from '../../model/experiment';
import { columnOf, figure, figureIds, matches } from '../../model/published';
import { openScenario, session, setVariables } from '../../model/session';
import { Icon } from '../../widgets/Icon';
import styles from './Rows.module.css';

const SCALE = { width: 212, inset: 6 };
const HEIGHT = 17;

interface RowsProps {
  readonly report: CheckReport;
  readonly open: readonly string[];
  toggle(key: string): void;
}

/** The rows of one scenario; those of one column of a published table are folded into one. */
export function Rows({ report, open, toggle }: RowsProps) {
  return groupRows(report.rows, columnOf).map(({ key, rows }) => {
    const [first] = rows;
    if (!first) return null;
    if (!key) return <Single key={`${first.figure} ${first.title}`} row={first} />;
    const id = `${report.scenario} ${key}`;
    return <Folded key={key} rows={rows} isOpen={open.includes(id)} toggle={() => toggle(id)} />;
  });
}

interface FoldedProps {
  readonly rows: readonly CheckRow[];
  readonly isOpen: boolean;
  toggle(): void;
}

function Folded({ rows, isOpen, toggle }: FoldedProps) {
  const [first] = rows as [CheckRow];
  const judged = rows.filter((row) => row.role !== 'context');
  const worst = judged.reduce<CheckRow>(
    (a, b) => (Math.abs(b.error_percent ?? 0) > Math.abs(a.error_percent ?? 0) ? b : a),
    judged[0] ?? first,
  );
  const decimals = Math.max(...rows.map((row) => decimalsOf(row.published ?? 0)));
  const inside = judged.filter((row) => row.pass).length;
  const heldOut = judged.filter((row) => row.role === 'held-out').length;
  return (
    <>
      <tr className={styles.row}>
        <th scope="row" className={styles.cell}>
          <button
            type="button"
            className={styles.fold}
            aria-expanded={isOpen}
            onClick={toggle}
            data-open={isOpen || undefined}
          >
            <Icon name="down" size={12} />
            {figure(first.figure)?.quantity ?? first.title}
          </button>
        </th>
        <td className={`${styles.cell} ${styles.n}`} colSpan={2}>
          {inside} of {judged.length} inside
        </td>
        <td className={`${styles.cell} ${styles.u}`}>{first.unit}</td>
        <td className={styles.cell}>
          <Plot rows={rows} />
        </td>
        <td className={`${styles.cell} ${styles.n}`}>
          <ErrorText row={worst} />
        </td>
        <td className={`${styles.cell} ${styles.used}`}>{heldOut} held out</td>
        <td className={`${styles.cell} ${styles.source}`}>worst: {worst.title}</td>
      </tr>
      {isOpen && rows.map((row) => <Single key={row.figure} row={row} inner decimals={decimals} />)}
    </>
  );
}

async function openRun({ scenario, at }: CheckRow): Promise<void> {
  const opened = await openScenario(scenario);
  const { data } = session.getState();
  if (!opened.ok || !data) return;
  const variables = at ? variablesAt(data, at) : null;
  if (variables?.ok) setVariables(variables.value);
  navigate({ view: 'machine', scenario });
}

interface SingleProps {
  readonly row: CheckRow;
  /** A row of a column that was unfolded. */
  readonly inner?: boolean;
  /** Decimals of all numbers of that column, so that their digits line up. */
  readonly decimals?: number;
}

function Single({ row, inner = false, decimals = decimalsOf(row.published ?? 0) }: SingleProps) {
  const source = figure(row.figure)?.source ?? '';
  return (
    <tr className={styles.row}>
      <th
        scope="row"
        className={`${styles.cell} ${inner ? styles.inner : ''}`}
        title={row.detail || undefined}
      >
        {row.at ? (
          <button
            type="button"
            className={styles.open}
            title="Open this run"
            onClick={() => void openRun(row)}
          >
            {titleOf(row)}
          </button>
        ) : (
          titleOf(row)
        )}
      </th>
      <td className={`${styles.cell} ${styles.n}`}>{publishedText(row, decimals)}</td>
      <td className={`${styles.cell} ${styles.n}`}>{simulatedText(row, decimals)}</td>
      <td className={`${styles.cell} ${styles.u}`}>{row.unit.replace('us', 'µs')}</td>
      <td className={styles.cell}>
        <Plot rows={[row]} />
      </td>
      <td className={`${styles.cell} ${styles.n}`}>
        <ErrorText row={row} />
      </td>
      <td className={`${styles.cell} ${styles.used}`}>
        <Role row={row} />
      </td>
      <td className={`${styles.cell} ${styles.source}`}>{source || row.detail}</td>
    </tr>
  );
}

/** A statistic is about a column of a table: that has a name. */
function titleOf({ kind, title, figure: pattern }: CheckRow): string {
  if (kind !== 'statistic') return title;
  const member = [...figureIds()].find((id) => matches(pattern, id));
  return title.replace(pattern, figure(member ?? '')?.quantity ?? pattern);
}

function publishedText({ kind, published }: CheckRow, decimals: number): string {
  if (published === null || kind === 'statistic') return '';
  return fixed(published, decimals);
}

/** With as many decimals as were published, and three digits at least; a value of ours alone with four. */
function simulatedText({ kind, simulated, published }: CheckRow, decimals: number): string {
  if (simulated === null) return 'none';
  if (published === null || kind === 'statistic') return significant(simulated, 4);
  if (Number.isInteger(simulated) && decimals === 0) return fixed(simulated, 0);
  const whole = Math.floor(Math.log10(Math.max(1, Math.abs(simulated)))) + 1;
  return fixed(simulated, Math.max(decimals, 3 - whole, 0));
}

function ErrorText({ row }: { readonly row: CheckRow }) {
  if (row.error_percent === null) return null;
  const digits =
    row.kind === 'statistic' ? fixed(row.error_percent, 1) : signed(row.error_percent, 1);
  return (
    <span className={styles.percent} data-bad={!row.pass || undefined}>
      {digits}
      {NO_BREAK_SPACE}%
    </span>
  );
}

const USED: Readonly<Record<CheckRow['role'], string>> = {
  calibrated: 'calibrated',
  'held-out': 'held out',
  context: 'for context',
};

/** A ring was used to calibrate, a disc was held out; a dash only shows a value. */
function Role({ row }: { readonly row: CheckRow }) {
  const hollow = row.role === 'calibrated';
  return (
    <span className={styles.badge} data-role={row.role}>
      <svg width="9" height="9" viewBox="0 0 9 9" aria-hidden="true">
        {row.role === 'context' ? (
          <path d="M1 4.5h7" stroke="currentColor" strokeWidth="1.3" />
        ) : (
          <circle
            cx="4.5"
            cy="4.5"
            r="3.4"
            fill={hollow ? 'none' : 'currentColor'}
            stroke="currentColor"
            strokeWidth="1.3"
          />
        )}
      </svg>
      {USED[row.role]}
      {!row.pass && <em>outside</em>}
    </span>
  );
}

function Plot({ rows }: { readonly rows: readonly CheckRow[] }) {
  const { tolerance, marks } = errorPlot(SCALE, rows);
  const middle = SCALE.width / 2;
  return (
    <svg
      width={SCALE.width}
      height={HEIGHT}
      viewBox={`0 0 ${SCALE.width} ${HEIGHT}`}
      aria-hidden="true"
    >
      <path d={`M${middle} 0V${HEIGHT}`} className="rule" />
      {tolerance && <rect {...tolerance} y={4} height={9} className={styles.tolerance} />}
      {marks.map((mark, index) =>
        mark.beyond === 0 ? (
          <circle
            // biome-ignore lint/suspicious/noArrayIndexKey: marks have no identity but their place
            key={index}
            cx={mark.x}
            cy={HEIGHT / 2}
            r={3.6}
            className={styles.mark}
            data-hollow={mark.hollow || undefined}
            data-bad={mark.bad || undefined}
            data-quiet={mark.quiet || undefined}
          />
        ) : (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: marks have no identity but their place
            key={index}
            d={`M${mark.x} ${HEIGHT / 2 - 4.5}l${mark.beyond * 6} 4.5l${-mark.beyond * 6} 4.5z`}
            className={styles.mark}
            data-hollow={mark.hollow || undefined}
            data-bad={mark.bad || undefined}
            data-quiet={mark.quiet || undefined}
          />
        ),
      )}
    </svg>
  );
}
