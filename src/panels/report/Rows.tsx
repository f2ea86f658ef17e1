import { significant, unbroken, unitAfter } from '../../base/format';
import { navigate } from '../../base/route';
import { decimalsOf, groupRows } from '../../draw/report/report';
import { figure, figureIds, matches, numberedColumnOf } from '../../model/published/published';
import { isJudged, tally } from '../../model/report/check-totals';
import type { CheckReport, CheckRow } from '../../model/report/check-types';
import { variablesAt } from '../../model/scenario/experiment';
import { setVariables } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { openScenario } from '../../model/session/session-module';
import { Icon } from '../../widgets/Icon';
import {
  ErrorText,
  Noise,
  Plot,
  publishedText,
  Reasons,
  Role,
  simulatedText,
  Tolerance,
} from './Cells';
import styles from './Rows.module.css';

interface RowsProps {
  readonly report: CheckReport;
  readonly open: readonly string[];
  toggle(key: string): void;
}

/** The rows of one scenario; those of one column of a published table are folded. */
export function Rows({ report, open, toggle }: RowsProps) {
  return groupRows(report.rows, numberedColumnOf).map(({ key, rows }) => {
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
  const judged = rows.filter(isJudged);
  const worst = judged.reduce<CheckRow>(
    (a, b) => (Math.abs(b.error_percent ?? 0) > Math.abs(a.error_percent ?? 0) ? b : a),
    judged[0] ?? first,
  );
  const decimals = Math.max(...rows.map((row) => decimalsOf(row.published ?? 0)));
  const { passed, missed } = tally(judged);
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
          {passed} of {judged.length} inside
        </td>
        <td className={`${styles.cell} ${styles.u}`}>{unitAfter('', first.unit)}</td>
        <td className={styles.cell}>
          <Plot rows={rows} />
        </td>
        <td className={`${styles.cell} ${styles.n}`}>
          <ErrorText row={worst} />
        </td>
        <td className={`${styles.cell} ${styles.within}`}>
          <Tolerance row={judged[0] ?? first} />
        </td>
        <td className={`${styles.cell} ${styles.used}`}>
          <span className={styles.badge}>
            {heldOut} held out{missed > 0 && <em>{missed} missed</em>}
          </span>
        </td>
        <td className={`${styles.cell} ${styles.source}`}>worst: {unbroken(worst.title)}</td>
      </tr>
      {isOpen && rows.map((row) => <Single key={row.figure} row={row} inner decimals={decimals} />)}
      {isOpen && <Reasons rows={rows} />}
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
  /** A row of an unfolded column. */
  readonly inner?: boolean;
  /** Decimals of all numbers of that column, so that their digits line up. */
  readonly decimals?: number;
}

function Single({ row, inner = false, decimals = decimalsOf(row.published ?? 0) }: SingleProps) {
  const source = figure(row.figure)?.source ?? '';
  return (
    <>
      <tr className={styles.row}>
        <th
          scope="row"
          className={`${styles.cell} ${inner ? styles.inner : ''}`}
          title={detailOf(row)}
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
        <td className={`${styles.cell} ${styles.n}`}>
          {publishedText(row, decimals)}
          <Noise row={row} />
        </td>
        <td className={`${styles.cell} ${styles.n}`}>{simulatedText(row, decimals)}</td>
        <td className={`${styles.cell} ${styles.u}`}>{unitAfter('', row.unit)}</td>
        <td className={styles.cell}>
          <Plot rows={[row]} />
        </td>
        <td className={`${styles.cell} ${styles.n}`}>
          <ErrorText row={row} />
        </td>
        <td className={`${styles.cell} ${styles.within}`}>
          <Tolerance row={row} />
        </td>
        <td className={`${styles.cell} ${styles.used}`}>
          <Role row={row} />
        </td>
        <td className={`${styles.cell} ${styles.source}`}>{unbroken(source || row.detail)}</td>
      </tr>
      {!inner && <Reasons rows={[row]} />}
    </>
  );
}

/** For a mean, with the spread. */
function detailOf({ detail, seeds, lowest, highest }: CheckRow): string | undefined {
  if (seeds === 1 || lowest === null || highest === null) return detail || undefined;
  const [from, to] = [lowest, highest].map((value) => significant(value, 4));
  return `Mean of ${seeds} seeds, from ${from} to ${to}.`;
}

/** A statistic has the name of its table column. */
function titleOf({ kind, title, figure: pattern }: CheckRow): string {
  if (kind !== 'statistic') return title;
  const member = [...figureIds()].find((id) => matches(pattern, id));
  return title.replace(pattern, figure(member ?? '')?.quantity ?? pattern);
}
