/**
 * Results of an experiment around the open run: a bar for each variant, with the published values, and
 * columns along each axis of numbers while the others stay fixed.
 *
 *     1 pool, hypercall under the lock          pools      1     2     4     8    16
 *     ▓▓▓ ├──┤ 1.27                             Gb/s     6.2   7.7   8.7   8.9   9.1
 *     16 pools, hypercall outside               contended 54 %  40 %  21 %   9 %   0 %
 *     ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓├──┤ 9.05
 */
import { percent, significant } from '../../base/format';
import type { RunRow, RunTable } from '../../model/lab/run-table';
import type { Figure } from '../../model/published/published';
import { agrees } from '../../model/scenario/experiment';
import type { Assignment, Axis, Metric } from '../../model/scenario/scenario-types';
import { linearAxis, type Tick } from '../axis';
import { comparedRows, isCurrent, runTitle } from '../run/run-rows';

export interface ResultBar {
  readonly row: RunRow;
  readonly title: string;
  /** The open run. */
  readonly current: boolean;
  /** A result from before an edit. */
  readonly old: boolean;
  /** Undefined while the run has not ended, null if it has no such value. */
  readonly value: number | null | undefined;
  readonly text: string;
  readonly y: number;
  readonly width: number;
  /** End of the bar before the edits; null if there was none. */
  readonly ghost: number | null;
  readonly textX: number;
  /** The published range, from and to on the sheet. */
  readonly bracket: { readonly from: number; readonly to: number; readonly text: string } | null;
}

export interface BarsModel {
  readonly metric: Metric;
  readonly width: number;
  readonly height: number;
  readonly bars: readonly ResultBar[];
  readonly ticks: readonly Tick[];
  readonly bottom: number;
}

interface ResultColumn {
  readonly row: RunRow;
  readonly title: string;
  readonly current: boolean;
  readonly x: number;
  readonly width: number;
  readonly top: number;
  /** Top before the edits; null if there was none. */
  readonly ghost: number | null;
  /** Text of each metric. */
  readonly texts: readonly string[];
  /** Share of the height, 0 to 1; unused in the text alternative. */
  readonly share: number;
}

export interface ColumnsModel {
  readonly axis: Axis;
  readonly metrics: readonly Metric[];
  readonly width: number;
  readonly height: number;
  readonly base: number;
  readonly columns: readonly ResultColumn[];
}

const STEP = 29;
const TOP = 14;

const ended = (rows: readonly RunRow[], metric: number): number[] =>
  rows.flatMap(({ values }) => {
    const value = values[metric];
    return typeof value === 'number' ? [value] : [];
  });

/** The first metric before the edits. */
const originals = (rows: readonly RunRow[]): number[] =>
  rows.flatMap(({ original: [value] }) => (typeof value === 'number' ? [value] : []));

/** Position of the value before the edits, if it was different. */
function ghostOf({ original: [before], values: [now] }: RunRow, at: (value: number) => number) {
  return typeof before === 'number' && before !== now ? at(before) : null;
}

/** A value as far as it is known: estimates are marked. */
const valueText = (metric: Metric, { values, state }: RunRow, i: number): string => {
  const text = metricText(metric, values[i]);
  return state === 'estimate' && text !== '' ? `≈ ${text}` : text;
};

export const rangeOf = ({ value, range }: Figure): readonly [number, number] => [
  range?.[0] ?? value,
  range?.[1] ?? value,
];

/** A value as written on a bar: shares in per cent, others to three digits. */
export function metricText({ unit }: Metric, value: number | null | undefined): string {
  if (value === undefined) return '';
  if (value === null) return 'none';
  return unit === '%' ? percent(value, value > 0 && value < 1 ? 2 : 0) : significant(value, 3);
}

/** End of a scale; a typical value if nothing is known yet or all values are zero. */
const largest = (values: readonly number[], metric: Metric | undefined): number =>
  Math.max(0, ...values) || (metric?.unit === '%' ? 100 : 1);

export function barsModel(table: RunTable, variables: Assignment, width: number): BarsModel | null {
  const [metric] = table.metrics;
  const x = table.scenario?.experiment?.x;
  const rows = comparedRows(table, variables);
  if (!metric || !x || rows.length === 0) return null;
  const published = rows.flatMap(({ published: [figure] }) => (figure ? [...rangeOf(figure)] : []));
  const most = largest([...ended(rows, 0), ...published, ...originals(rows)], metric);
  const axis = linearAxis(0, most * 1.02, 0, width - 44);
  const bars = rows.map((row, index): ResultBar => {
    const [value] = row.values;
    const [figure] = row.published;
    const [low, high] = figure ? rangeOf(figure) : [0, 0];
    const end = axis.at(value ?? 0);
    const bracket = figure
      ? { from: axis.at(low), to: axis.at(high), text: bracketText(low, high, figure.unit) }
      : null;
    return {
      row,
      title: runTitle(row, table, variables),
      current: isCurrent(row, variables),
      old: row.state === 'old',
      value,
      text: valueText(metric, row, 0),
      y: TOP + index * STEP,
      width: end,
      ghost: ghostOf(row, (before) => axis.at(before)),
      textX: Math.max(end, bracket?.to ?? 0, ghostOf(row, (before) => axis.at(before)) ?? 0) + 5,
      bracket,
    };
  });
  const bottom = TOP + rows.length * STEP - 12;
  return {
    metric,
    width,
    height: bottom + 16,
    bars,
    ticks: valueTicks(axis, most, metric),
    bottom,
  };
}

const bracketText = (low: number, high: number, unit: string): string =>
  low === high
    ? `published ${significant(low, 3)} ${unit}`
    : `published ${significant(low, 3)} to ${significant(high, 3)} ${unit}`;

function valueTicks(axis: ReturnType<typeof linearAxis>, most: number, { unit }: Metric): Tick[] {
  const decade = 10 ** Math.floor(Math.log10(most));
  const step =
    [0.2, 0.5, 1, 2].map((share) => share * decade).find((one) => most / one <= 6) ?? decade;
  const ticks: Tick[] = [];
  for (let i = 0; i * step <= most * 1.001; i++) {
    const value = i * step;
    const isLast = (i + 1) * step > most * 1.001;
    const label = `${significant(value, 3)}${isLast && unit ? ` ${unit}` : ''}`;
    ticks.push({ value, at: axis.at(value), label, major: i === 0 });
  }
  return ticks;
}

const NAMES = 62;
const LEAST_COLUMN = 30;
const HIGH = 32;
const LINE = 17;
/** Further metrics written under the columns. */
export const MAX_METRICS_SHOWN = 2;

/** Runs along one axis, everything else as in the open run. */
export function columnsModel(
  table: RunTable,
  axis: Axis,
  variables: Assignment,
  width: number,
): ColumnsModel | null {
  const others = Object.fromEntries(
    table.axes.filter((one) => one !== axis).map(({ name }) => [name, variables[name] ?? '']),
  );
  const along = table.rows.filter(({ point }) => agrees(point.at, others));
  const fits = Math.floor((width - NAMES) / LEAST_COLUMN);
  const rows = thinned(along, fits, (row) => isCurrent(row, variables));
  const metrics = table.metrics.slice(0, MAX_METRICS_SHOWN);
  if (rows.length < 2 || metrics.length === 0) return null;
  const most = largest([...ended(rows, 0), ...originals(rows)], metrics[0]);
  const step = (width - NAMES) / rows.length;
  const place = table.axes.indexOf(axis);
  const base = 14 + HIGH;
  const columns = rows.map((row, index): ResultColumn => {
    const share = Math.max(0, (row.values[0] ?? 0) / most);
    return {
      row,
      title: row.titles[place] ?? '',
      current: isCurrent(row, variables),
      x: NAMES + (index + 0.5) * step,
      width: Math.min(22, step * 0.6),
      top: base - share * HIGH,
      ghost: ghostOf(row, (before) => base - (before / most) * HIGH),
      texts: metrics.map((metric, i) => metricText(metric, row.values[i])),
      share,
    };
  });
  return { axis, metrics, width, height: base + LINE * metrics.length + 6, base, columns };
}

/** At most `most` items, evenly spread, including those that must stay. */
function thinned<T>(all: readonly T[], most: number, keep: (one: T) => boolean): readonly T[] {
  if (all.length <= most || most < 2) return all;
  const step = (all.length - 1) / (most - 1);
  const picked = new Set(Array.from({ length: most }, (_, i) => Math.round(i * step)));
  return all.filter((one, index) => picked.has(index) || keep(one));
}
