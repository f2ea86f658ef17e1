/**
 * Charts of a sweep. One axis of numbers: a curve over it. Two axes, or an axis of choices: a heat map.
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

export interface SweepChart {
  readonly axes: readonly SweepAxis[];
  readonly measure: Measure;
  /** Index of the measure in each result. */
  readonly index: number;
  readonly results: readonly PointResult[];
}

/** The curve, if the chart has one axis and its values are numbers. */
function curveOf({ axes, measure, index, results }: SweepChart) {
  const [axis, other] = axes;
  const scale = axis && !other ? axisNumbers(axis) : null;
  if (!axis || !scale) return null;
  const points = scale.numbers
    .map((x, i) => {
      const result = results.find(({ point }) => point.index === i);
      const y = result?.values[index] ?? null;
      return { x, y, published: null, variables: {}, open: false };
    })
    .sort((a, b) => a.x - b.x);
  const { name, title, unit } = measure;
  return {
    title: scale.unit ? `${axis.title}, ${scale.unit}` : axis.title,
    metric: { name, title, unit, product: [], over: [] },
    curves: [{ title: measure.name, points }],
  };
}

const [LEFT_MOST, TOP, FOOT, GAP] = [160, 26, 36, 2];
const SIZE = 10.5;

function heatMap({ axes, measure, index, results }: SweepChart, width: number, height: number) {
  const [first, second] = axes;
  if (!first) return [];
  const rows: readonly (Value | null)[] = second ? first.values : [null];
  const columns = (second ?? first).values;
  const names = rows.map((value) => (value === null ? '' : String(value)));
  const left = 12 + Math.min(LEFT_MOST, Math.max(...names.map((name) => widthOf(name, SIZE))) + 8);
  const [cellWidth, cellHeight] = [
    (width - left - 12) / columns.length,
    (height - TOP - FOOT) / rows.length,
  ];
  const values = results.map((result) => result.values[index] ?? null);
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const over = second ? `${first.title} (down) and ${second.title} (across)` : first.title;
  const shapes: Shape[] = [
    words(12, 14, `${headOf(measure.title, measure.unit)} over ${over}`, 't10 i2'),
  ];
  results.forEach((result, i) => {
    const value = values[i];
    const [row, column] = [
      Math.floor(result.point.index / columns.length),
      result.point.index % columns.length,
    ];
    const [x, y] = [left + column * cellWidth, TOP + row * cellHeight];
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
      shapes.push(words(left - 6, TOP + (i + 0.5) * cellHeight + 3, name, 't10 i2 end'));
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
  const curve = curveOf(chart);
  return curve ? experimentShapes(curve, width, height).shapes : heatMap(chart, width, height);
}

/** What the chart shows: its course, or its least and its greatest value. */
export function sweepSentence(chart: SweepChart): string {
  const curve = curveOf(chart);
  if (curve) return experimentSentences(curve).join(' ');
  const { measure, index, results } = chart;
  const known = results.filter(({ values }) => (values[index] ?? null) !== null);
  const sorted = known.toSorted((a, b) => (a.values[index] ?? 0) - (b.values[index] ?? 0));
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (!least || !most) return `${measure.title}: no run has a value.`;
  const say = ({ values, point }: PointResult) =>
    `${significant(values[index] ?? 0, 4)} ${measure.unit} at ${Object.values(point.at).join(', ')}`;
  return `${measure.title}: least ${say(least)}, most ${say(most)}.`;
}
