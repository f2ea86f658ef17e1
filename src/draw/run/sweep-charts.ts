/**
 * Charts of a sweep. An axis of numbers: a curve over it, one for each value of a second axis. Two axes, or an axis of
 * choices: a heat map. A third axis: a chart for each of its values, all on one scale.
 *
 *     4 KiB │ 12  │▒14 ▒│▓19 ▓│    each cell has its number, and a shade from the least value to the most
 *     8 KiB │ 11  │ 12  │▒15 ▒│
 *           └ 1 ──── 2 ──── 4 ─ posts
 */
import { headOf, significant } from '../../base/format';
import type { Measure } from '../../model/scenario/measure';
import type { Value } from '../../model/scenario/scenario-types';
import type { PointResult } from '../../model/sweep/run-points';
import { axisNumbers, type SweepAxis } from '../../model/sweep/sweep-axis';
import { rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import { experimentSentences, experimentShapes } from './experiment-curves';

export type SweepLook = 'lines' | 'map';

export interface SweepChart {
  readonly axes: readonly SweepAxis[];
  readonly measure: Measure;
  /** Index of the measure in each result. */
  readonly index: number;
  readonly results: readonly PointResult[];
  /** How two axes are drawn; one axis of numbers is always a line. */
  readonly look: SweepLook;
  /** The range of all charts that share their scale. */
  readonly range?: SweepRange | undefined;
}

interface SweepRange {
  readonly least: number;
  readonly most: number;
}

/** A chart of at most two axes. */
interface SweepFacet {
  /** The value of the third axis; null without one. */
  readonly title: string | null;
  readonly chart: SweepChart;
}

const knownIn = ({ results, index }: SweepChart): number[] =>
  results.flatMap(({ values }) => values[index] ?? []);

const rangeOf = (chart: SweepChart): SweepRange => {
  const known = knownIn(chart);
  return { least: Math.min(...known), most: Math.max(...known) };
};

/** The charts that a sweep makes: one, or one for each value of its third axis. */
export function facetsOf(chart: SweepChart): readonly SweepFacet[] {
  const { axes, results } = chart;
  const third = axes[2];
  if (!third) return [{ title: null, chart }];
  const range = rangeOf(chart);
  const { length } = third.values;
  return third.values.map((value, at) => {
    const own = results
      .filter(({ point }) => point.index % length === at)
      .map((one) => ({
        ...one,
        point: { ...one.point, index: Math.floor(one.point.index / length) },
      }));
    const part = { ...chart, axes: axes.slice(0, 2), results: own, range };
    return { title: `${third.title}: ${value}`, chart: part };
  });
}

/** More curves than strokes that differ cannot be told apart. */
const MOST_CURVES = 4;

/** The axis along which lines run: numbers, with few enough values of the other one. */
function lineAxis(axes: readonly SweepAxis[]) {
  for (const [at, axis] of axes.slice(0, 2).entries()) {
    const scale = axisNumbers(axis);
    const other = axes[1 - at];
    if (scale && (!other || (axis.values.length > 1 && other.values.length <= MOST_CURVES)))
      return { at, axis, other, scale };
  }
  return null;
}

/** Whether two axes can be drawn either way. */
export const hasLooks = (axes: readonly SweepAxis[]): boolean =>
  axes.length > 1 && lineAxis(axes) !== null;

/** The curves, if the chart is drawn as lines. */
function curvesOf({ axes, measure, index, results, look, range }: SweepChart) {
  const along = axes.length === 1 || look === 'lines' ? lineAxis(axes) : null;
  if (!along) return null;
  const { at, axis, other, scale } = along;
  const pointOf = (i: number, k: number): number =>
    other ? (at === 0 ? i * other.values.length + k : k * axis.values.length + i) : i;
  const curves = (other?.values ?? [null]).map((value, k) => ({
    title: value === null || !other ? measure.name : `${other.title}: ${value}`,
    points: scale.numbers
      .map((x, i) => {
        const result = results.find(({ point }) => point.index === pointOf(i, k));
        const y = result?.values[index] ?? null;
        return { x, y, published: null, variables: {}, open: false };
      })
      .sort((a, b) => a.x - b.x),
  }));
  const { name, title, unit } = measure;
  return {
    title: scale.unit ? `${axis.title}, ${scale.unit}` : axis.title,
    metric: { name, title, unit, product: [], over: [] },
    curves,
    most: range?.most,
  };
}

const [LEFT_MOST, TOP, FOOT, GAP] = [160, 26, 36, 2];
/** Between the lines of the head. */
const HEAD = 13;
const SIZE = 10.5;

function heatMap(chart: SweepChart, width: number, height: number) {
  const { axes, measure, index, results } = chart;
  const [first, second] = axes;
  if (!first) return [];
  const rows: readonly (Value | null)[] = second ? first.values : [null];
  const columns = (second ?? first).values;
  const over = second ? `${first.title} (down) and ${second.title} (across)` : first.title;
  const whole = [headOf(measure.title, measure.unit), `over ${over}`];
  const head = widthOf(whole.join(' '), SIZE) < width - 24 ? [whole.join(' ')] : whole;
  const top = TOP + (head.length - 1) * HEAD;
  const names = rows.map((value) => (value === null ? '' : String(value)));
  const left = 12 + Math.min(LEFT_MOST, Math.max(...names.map((name) => widthOf(name, SIZE))) + 8);
  const [cellWidth, cellHeight] = [
    (width - left - 12) / columns.length,
    (height - top - FOOT) / rows.length,
  ];
  const values = results.map((result) => result.values[index] ?? null);
  const { least, most } = chart.range ?? rangeOf(chart);
  const shapes: Shape[] = head.map((text, i) => words(12, 14 + i * HEAD, text, 't10 i2'));
  results.forEach((result, i) => {
    const value = values[i];
    const [row, column] = [
      Math.floor(result.point.index / columns.length),
      result.point.index % columns.length,
    ];
    const [x, y] = [left + column * cellWidth, top + row * cellHeight];
    const share =
      value === null || value === undefined || most === least
        ? 0
        : (value - least) / (most - least);
    shapes.push(rect(x, y, cellWidth - GAP, cellHeight - GAP, 'sheetf thin'));
    if (value !== null && value !== undefined)
      shapes.push(rect(x, y, cellWidth - GAP, cellHeight - GAP, 'accf', 0.04 + share * 0.36));
    const text = value === null || value === undefined ? 'none' : significant(value, 3);
    if (widthOf(text, SIZE) < cellWidth - 4 && cellHeight >= 14)
      shapes.push(words(x + (cellWidth - GAP) / 2, y + cellHeight / 2 + 3, text, 't10 mid'));
  });
  const every = (room: number, needed: number) => Math.max(1, Math.ceil(needed / room));
  names.forEach((name, i) => {
    if (i % every(cellHeight, 14) === 0)
      shapes.push(words(left - 6, top + (i + 0.5) * cellHeight + 3, name, 't10 i2 end'));
  });
  const widest = Math.max(...columns.map((value) => widthOf(String(value), SIZE))) + 6;
  columns.forEach((value, i) => {
    if (i % every(cellWidth, widest) === 0)
      shapes.push(
        words(left + (i + 0.5) * cellWidth, height - FOOT + 14, String(value), 't10 i2 mid'),
      );
  });
  return shapes;
}

export function sweepShapes(chart: SweepChart, width: number, height: number): readonly Shape[] {
  const curves = curvesOf(chart);
  return curves ? experimentShapes(curves, width, height).shapes : heatMap(chart, width, height);
}

/** What the chart shows: its course, or its least and its greatest value. */
export function sweepSentence(chart: SweepChart): string {
  const curves = curvesOf(chart);
  if (curves) return experimentSentences(curves).join(' ');
  const { measure, index, results } = chart;
  const known = results.filter(({ values }) => (values[index] ?? null) !== null);
  const sorted = known.toSorted((a, b) => (a.values[index] ?? 0) - (b.values[index] ?? 0));
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (!least || !most) return `${measure.title}: no run has a value.`;
  const say = ({ values, point }: PointResult) =>
    `${significant(values[index] ?? 0, 4)} ${measure.unit} at ${Object.values(point.at).join(', ')}`;
  return `${measure.title}: least ${say(least)}, most ${say(most)}.`;
}
