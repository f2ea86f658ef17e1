/**
 * Errors of simulated against published values on one scale: zero is in the middle, the tolerance is shaded,
 * and the mark of a row shows its role.
 */
import { clamp } from '../../base/geometry';

/** Errors beyond this many per cent are drawn at the edge. */
const FARTHEST = 10;

export interface ErrorScale {
  readonly width: number;
  /** Room for half a mark at either end. */
  readonly inset: number;
}

export const errorX = ({ width, inset }: ErrorScale, percent: number): number => {
  const half = width / 2 - inset;
  return width / 2 + (clamp(percent, -FARTHEST, FARTHEST) / FARTHEST) * half;
};

export interface ErrorRow {
  readonly error_percent: number | null;
  readonly tolerance_percent: number | null;
  readonly role: string;
  readonly verdict: string;
  /** Noise of the published value in per cent, plus or minus. */
  readonly noise_percent?: number | null;
  /** Errors of the smallest and largest result over several seeds. */
  readonly spread_percent?: readonly [number, number] | null;
}

export interface ErrorMark {
  readonly x: number;
  readonly role: string;
  /** Outside its tolerance. */
  readonly bad: boolean;
  /** Side on which it is off the scale: the mark points outwards. */
  readonly offScale: -1 | 0 | 1;
}

/** Half the size of a mark, in px. */
const REACH = 3.6;

/** Ring: calibrated; disc: held out; diamond: outside; square: structural; dash: context. */
export function markPath(role: string, x: number, y: number, offScale: -1 | 0 | 1 = 0): string {
  const r = REACH;
  if (offScale !== 0) return `M${x} ${y - 4.5}l${offScale * 6} 4.5l${-offScale * 6} 4.5z`;
  if (role === 'structural') return `M${x - 3} ${y - 3}h6v6h-6z`;
  if (role === 'outside') return `M${x} ${y - 4.5}l4.5 4.5l-4.5 4.5l-4.5 -4.5z`;
  if (role === 'context') return `M${x - r} ${y - 0.7}h${2 * r}v1.4h${-2 * r}z`;
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

/** An error bar: from and to, and which of the two values it belongs to. */
export interface ErrorBar {
  readonly of: 'published' | 'simulated';
  readonly from: number;
  readonly to: number;
}

export interface ErrorPlot {
  /** Only for a single row: those of several would overlap. */
  readonly bars: readonly ErrorBar[];
  readonly tolerance: { readonly x: number; readonly width: number } | null;
  readonly marks: readonly ErrorMark[];
}

const isBad = ({ verdict }: ErrorRow) => verdict === 'failed' || verdict === 'missed';
const isPredicted = ({ role }: ErrorRow) => role === 'held-out' || role === 'outside';

function markOf(scale: ErrorScale, row: ErrorRow): ErrorMark[] {
  const error = row.error_percent;
  if (error === null) return [];
  const offScale = error > FARTHEST ? 1 : error < -FARTHEST ? -1 : 0;
  return [{ x: errorX(scale, error), role: row.role, bad: isBad(row), offScale }];
}

function barsOf(scale: ErrorScale, row: ErrorRow): ErrorBar[] {
  const bar = (of: ErrorBar['of'], [from, to]: readonly [number, number]): ErrorBar => ({
    of,
    from: errorX(scale, from),
    to: errorX(scale, to),
  });
  const { noise_percent: noise, spread_percent: spread } = row;
  return [
    ...(noise ? [bar('published', [-noise, noise])] : []),
    ...(spread ? [bar('simulated', spread)] : []),
  ];
}

/** An error bar with its ends, along a line. */
export const barPath = ({ from, to }: ErrorBar, y: number): string =>
  `M${from} ${y - 2.5}v5M${from} ${y}H${to}M${to} ${y - 2.5}v5`;

/** One row, or several on one line; the shaded tolerance is the widest of theirs. */
export function errorPlot(scale: ErrorScale, rows: readonly ErrorRow[]): ErrorPlot {
  const tolerance = Math.max(0, ...rows.map((row) => row.tolerance_percent ?? 0));
  const [from, to] = [errorX(scale, -tolerance), errorX(scale, tolerance)];
  // Predictions are on top, wrong ones above all: they are the subject of the report.
  const rank = (row: ErrorRow) => (isBad(row) ? 2 : 0) + (isPredicted(row) ? 1 : 0);
  const ordered = [...rows].sort((a, b) => rank(a) - rank(b));
  const [only, ...others] = rows;
  return {
    bars: only && others.length === 0 ? barsOf(scale, only) : [],
    tolerance: tolerance > 0 ? { x: from, width: to - from } : null,
    marks: ordered.flatMap((row) => markOf(scale, row)),
  };
}

/** Decimals of a published number, as far as the number still shows them. */
export function decimalsOf(value: number): number {
  const [, fraction = ''] = String(value).split('.');
  return Math.min(fraction.length, 4);
}

/** Rows of one table column, if there are enough to group. */
export interface RowGroup<R> {
  readonly key: string;
  readonly rows: readonly R[];
}

const ENOUGH = 5;

export function groupRows<R extends { readonly figure: string }>(
  rows: readonly R[],
  columnOf: (figure: string) => string,
): RowGroup<R>[] {
  const groups: { key: string; rows: R[] }[] = [];
  for (const row of rows) {
    const key = columnOf(row.figure);
    const open = groups.find((group) => key !== '' && group.key === key);
    if (open) open.rows.push(row);
    else groups.push({ key, rows: [row] });
  }
  return groups.flatMap((group) =>
    group.rows.length >= ENOUGH ? [group] : group.rows.map((row) => ({ key: '', rows: [row] })),
  );
}
