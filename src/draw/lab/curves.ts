/** Curves and marks. A curve joins simulated points by straight lines and passes through nothing else. */
import { area, line } from 'd3-shape';
import type { Axis } from '../axis';
import type { Band, ChartSeries, Curve, Mark, Reading, Simulated } from './chart-types';

export interface Axes {
  readonly size: Axis;
  readonly value: Axis;
}

const inside = (axis: Axis, value: number): boolean =>
  value >= axis.low * 0.999 && value <= axis.high * 1.001;

const drawable = (axes: Axes, reading: Reading): boolean =>
  inside(axes.size, reading.size) && inside(axes.value, reading.value);

/** Neighbours with the same parameters: a curve joins nothing else. */
function segmentsOf(readings: readonly Simulated[]): Simulated[][] {
  const segments: Simulated[][] = [];
  for (const reading of readings) {
    const last = segments.at(-1);
    if (last && last[0]?.parameters === reading.parameters) last.push(reading);
    else segments.push([reading]);
  }
  return segments;
}

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

type Pieces = readonly (readonly [Curve['kind'], readonly (readonly Reading[])[]])[];

function piecesOf(series: ChartSeries): Pieces {
  const segments = segmentsOf(series.simulated);
  const isStale = ([first]: readonly Simulated[]) => first?.stale ?? false;
  return [
    ['fan', series.fan],
    ['linearFit', [series.linearFit]],
    ['before', [series.before]],
    ['stale', segments.filter(isStale)],
    ['simulated', segments.filter((segment) => !isStale(segment))],
  ];
}

const KINDS = ['fan', 'linearFit', 'before', 'stale', 'simulated'] as const;

export function curvesOf(axes: Axes, series: readonly ChartSeries[]): Curve[] {
  const curves = series.flatMap((one) =>
    piecesOf(one).flatMap(([kind, pieces]) => {
      const paths = pieces.filter((piece) => piece.length > 1).map((piece) => pathOf(axes, piece));
      const path = paths.join('');
      const id = `${one.id}-${kind}`;
      return path ? [{ id, series: one.id, kind, hue: one.hue, dash: one.dash, path }] : [];
    }),
  );
  return KINDS.flatMap((kind) => curves.filter((curve) => curve.kind === kind));
}

/** The areas that a slider can reach, at the sizes that have been run at both of its ends. */
export function bandsOf(axes: Axes, series: readonly ChartSeries[]): Band[] {
  return series.flatMap(({ id, hue, fan: [low = [], high = []] }) => {
    const other = new Map(high.map(({ size, value }) => [size, value]));
    const both = low.flatMap(({ size, value }) => {
      const end = other.get(size);
      return end !== undefined && end > 0 && value > 0 && inside(axes.size, size)
        ? [{ size, from: value, to: end }]
        : [];
    });
    const draw = area<(typeof both)[number]>()
      .x(({ size }) => axes.size.at(size))
      .y0(({ from }) => axes.value.at(from))
      .y1(({ to }) => axes.value.at(to))
      .digits(2);
    const path = both.length > 1 ? draw(both) : null;
    return path ? [{ series: id, hue, path }] : [];
  });
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
        .map(({ size, value, stale = false }: Reading & { readonly stale?: boolean }) => ({
          series: one.id,
          size,
          value,
          x: axes.size.at(size),
          y: axes.value.at(value),
          hue: one.hue,
          open: one.open,
          kind,
          between: !table.has(size),
          stale,
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
