/** Curves and marks. A curve joins simulated points by straight lines and passes through nothing else. */
import { line } from 'd3-shape';
import type { Axis } from '../axis';
import type { ChartSeries, Curve, Mark, Reading } from './chart-types';

export interface Axes {
  readonly size: Axis;
  readonly value: Axis;
}

const inside = (axis: Axis, value: number): boolean =>
  value >= axis.low * 0.999 && value <= axis.high * 1.001;

const drawable = (axes: Axes, reading: Reading): boolean =>
  inside(axes.size, reading.size) && inside(axes.value, reading.value);

/** Path through the readings in order of size; a missing reading is bridged. */
function pathOf(axes: Axes, readings: readonly Reading[]): string {
  const draw = line<Reading>()
    .x((reading) => axes.size.at(reading.size))
    .y((reading) => axes.value.at(reading.value))
    .digits(2);
  return (
    draw(readings.filter((reading) => reading.value > 0 && inside(axes.size, reading.size))) ?? ''
  );
}

export function curvesOf(axes: Axes, series: readonly ChartSeries[]): Curve[] {
  const kinds = ['linearFit', 'before', 'simulated'] as const;
  return kinds.flatMap((kind) =>
    series
      .filter((one) => one[kind].length > 1)
      .map((one) => ({
        id: `${one.id}-${kind}`,
        series: one.id,
        kind,
        hue: one.hue,
        dash: one.dash,
        path: pathOf(axes, one[kind]),
      })),
  );
}

const MARKS = ['simulated', 'own', 'measured'] as const;

export function marksOf(
  axes: Axes,
  series: readonly ChartSeries[],
  sizes: readonly number[],
): Mark[] {
  const table = new Set(sizes);
  return MARKS.flatMap((kind) =>
    series.flatMap((one) =>
      one[kind]
        .filter((reading) => drawable(axes, reading))
        .map(({ size, value }) => ({
          series: one.id,
          size,
          value,
          x: axes.size.at(size),
          y: axes.value.at(value),
          hue: one.hue,
          open: one.open,
          kind,
          between: !table.has(size),
        })),
    ),
  );
}

/** The value at a size between two readings, interpolated as the chart draws it. */
export function valueBetween(
  { size: axis }: Axes,
  readings: readonly Reading[],
  size: number,
): number | null {
  const above = readings.findIndex((reading) => reading.size >= size);
  const to = readings[above];
  if (!to) return null;
  if (to.size === size) return to.value;
  const from = readings[above - 1];
  if (!from || from.value <= 0 || to.value <= 0) return null;
  const share = (axis.at(size) - axis.at(from.size)) / (axis.at(to.size) - axis.at(from.size));
  return from.value * (to.value / from.value) ** share;
}
