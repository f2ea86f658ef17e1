import { fixed, NO_BREAK_SPACE, signed, significant } from '../../base/format';
import { barPath, type ErrorRow, errorPlot } from '../../draw/report/report';
import { noiseOf } from '../../model/published/published';
import { rangeText } from '../../model/report/check-text';
import type { CheckRow } from '../../model/report/check-types';
import { Mark, Marks } from './Mark';
import styles from './Rows.module.css';

/** Size of the error plot; its column head has the same width. */
const SCALE = { width: 184, inset: 6 };
const HEIGHT = 17;

export function publishedText(row: CheckRow, decimals: number): string {
  const { kind, published } = row;
  if (published === null || kind === 'statistic') return '';
  return rangeText(row) ?? fixed(published, decimals);
}

/**
 * With the published number of decimals and at least three digits; a value without a published one with four
 * digits.
 */
export function simulatedText({ kind, simulated, published }: CheckRow, decimals: number): string {
  if (simulated === null) return 'none';
  if (published === null || kind === 'statistic') return significant(simulated, 4);
  if (Number.isInteger(simulated) && decimals === 0) return fixed(simulated, 0);
  const whole = Math.floor(Math.log10(Math.max(1, Math.abs(simulated)))) + 1;
  return fixed(simulated, Math.max(decimals, 3 - whole, 0));
}

const isBad = ({ verdict }: CheckRow) => verdict === 'failed' || verdict === 'missed';

export function ErrorText({ row }: { readonly row: CheckRow }) {
  if (row.error_percent === null) return null;
  const digits =
    row.kind === 'statistic' ? fixed(row.error_percent, 1) : signed(row.error_percent, 1);
  return (
    <span className={styles.percent} data-bad={isBad(row) || undefined}>
      {digits}
      {NO_BREAK_SPACE}%
    </span>
  );
}

/** Whether the tolerance was set with the result known. */
const SET: Readonly<Record<CheckRow['tolerance_set'], string>> = {
  after: 'after',
  before: 'before',
  published: 'as published',
  exact: '',
  unsaid: 'not stated',
};

export function Tolerance({ row }: { readonly row: CheckRow }) {
  const { tolerance_percent: percent, tolerance_set: set } = row;
  if (percent === null) return null;
  if (set === 'exact') return 'exact';
  const value = set === 'published' ? 'range' : `${significant(percent, 3)}${NO_BREAK_SPACE}%`;
  return (
    <>
      {value} <span className={styles.set}>{SET[set]}</span>
    </>
  );
}

const USED: Readonly<Record<CheckRow['role'], string>> = {
  calibrated: 'calibrated',
  'held-out': 'held out',
  outside: 'outside data',
  structural: 'structural',
  context: 'for context',
};

const VERDICTS: Readonly<Record<CheckRow['verdict'], string>> = {
  passed: '',
  missed: 'missed',
  failed: 'failed',
  shown: '',
};

export function RoleSign({ role }: { readonly role: CheckRow['role'] }) {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <Mark mark={{ x: 5, role, bad: false, offScale: 0 }} y={5} />
    </svg>
  );
}

export function Role({ row }: { readonly row: CheckRow }) {
  return (
    <span className={styles.badge} data-role={row.role}>
      <RoleSign role={row.role} />
      {USED[row.role]}
      {isBad(row) && <em>{VERDICTS[row.verdict]}</em>}
    </span>
  );
}

const isSingle = ({ kind, published }: CheckRow): boolean => kind !== 'statistic' && !!published;

const known = (row: CheckRow) => (isSingle(row) ? noiseOf(row.figure) : undefined);

/** The published noise of a value. */
export function Noise({ row }: { readonly row: CheckRow }) {
  const noise = known(row);
  if (!noise) return null;
  return <span className={styles.noise}>{` ±${NO_BREAK_SPACE}${noise.value}`}</span>;
}

/** Adds the known noise of either value. */
function withBars(row: CheckRow): ErrorRow {
  const { published, lowest, highest, seeds } = row;
  if (!isSingle(row) || !published) return row;
  const noise = known(row);
  const percent = (value: number) => (100 * (value - published)) / published;
  return {
    ...row,
    noise_percent: noise ? (100 * noise.value) / published : null,
    spread_percent:
      seeds > 1 && lowest !== null && highest !== null ? [percent(lowest), percent(highest)] : null,
  };
}

export function Plot({ rows }: { readonly rows: readonly CheckRow[] }) {
  const { tolerance, marks, bars } = errorPlot(SCALE, rows.map(withBars));
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
      {bars.map((bar) => (
        <path
          key={bar.of}
          d={barPath(bar, bar.of === 'published' ? 3 : HEIGHT / 2)}
          className={styles.bar}
          data-of={bar.of}
        />
      ))}
      <Marks marks={marks} y={HEIGHT / 2} />
    </svg>
  );
}

interface ReasonsProps {
  readonly rows: readonly CheckRow[];
}

/** Reasons of rows without a prediction and of missed rows, and the basis of noise; each reason once. */
export function Reasons({ rows }: ReasonsProps) {
  const reasonTexts = rows.flatMap((row) => {
    const { role, because, missed, kind } = row;
    if (kind === 'statistic') return [];
    const noise = known(row);
    return [
      missed && `missed: ${missed}`,
      because && `${USED[role]}: ${because}`,
      noise && `noise: ${noise.basis}`,
    ];
  });
  const reasons = [...new Set(reasonTexts)].filter((text) => text);
  return reasons.map((text) => (
    <tr key={text}>
      <td colSpan={9} className={styles.reason}>
        <span>{text}</span>
      </td>
    </tr>
  ));
}
