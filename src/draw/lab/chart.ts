/**
 * The size chart: measured marks and simulated curves on two logarithmic axes.
 *
 *     strips      who is faster, per direction        ─┐ share the size axis
 *     handles     drag to move a crossing              │
 *     plot        curves, marks, the size looked at    │
 *     residuals   simulated minus measured            ─┘
 *
 * Input is data, output is places and words; the panel only puts them into SVG.
 */
import { text, time } from '../../base/format';
import { decadeTicks, logAxis, logRange, plainLabel, sizeTicks, timeLabel } from '../axis';
import type { Box, ChartInput, ChartModel, Mark, Quantity } from './chart-types';
import { type Axes, curvesOf, marksOf } from './curves';
import { legendOf, seriesLabels } from './labels';
import { markersOf, stripsOf } from './markers';
import { residualsOf, stripHeight } from './residuals';

/** Nearer than this to the pointer, a mark is meant. */
const REACH = 14;

interface Layout {
  readonly plot: Box;
  readonly grip: number;
  readonly strips: { y: number; height: number; step: number; compact: boolean };
  readonly residuals: boolean;
}

/** Under this height the residual strip gives way to the curves; its figures stay in the table. */
const LEAST_PLOT = 230;
/** Where the title of the axis stands, no value is named. */
const TITLE_ROOM = 12;

function layoutOf(input: ChartInput): Layout {
  const { width, height, compact, crossings } = input;
  const rows = input.series.filter((series) => series.measured.length > 0).length;
  const strips = compact
    ? { y: 4, height: 16, step: 18, compact }
    : { y: 26, height: 15, step: 19, compact };
  const stripsEnd = crossings.length > 0 ? strips.y + crossings.length * strips.step : 8;
  const top = crossings.length === 0 ? 24 : stripsEnd + (compact ? 34 : 22);
  const strip = stripHeight(rows);
  const residuals = !compact && rows > 0 && height - top - strip >= LEAST_PLOT;
  const below = residuals ? strip : compact ? 26 : 34;
  const [left, right] = compact ? [36, 10] : [62, 114];
  const plot = { x: left, y: top, width: width - left - right, height: height - top - below };
  return { plot, grip: stripsEnd - (compact ? 0 : 2), strips, residuals };
}

/** The range that shows all values and curves. */
export function rangeOf({ series }: ChartInput): readonly [number, number] {
  return logRange(
    series.flatMap(({ measured, simulated, own }) =>
      [measured, simulated, own].flat().map((reading) => reading.value),
    ),
  );
}

function axesOf(input: ChartInput, plot: Box): Axes {
  const [low, high] = input.range ?? rangeOf(input);
  const [smallest = 1, largest = 2] = [Math.min(...input.sizes), Math.max(...input.sizes)];
  return {
    size: logAxis(smallest, largest, plot.x, plot.x + plot.width),
    value: logAxis(low, high, plot.y + plot.height, plot.y),
  };
}

/** The value as the chart writes it: "61.45 MB/s", "8.33 µs". */
export function valueText(quantity: Quantity, value: number): string {
  return quantity === 'throughput'
    ? text({ value: value.toFixed(2), unit: 'MB/s' })
    : text(time(value));
}

const TITLES: Readonly<Record<Quantity, string>> = {
  throughput: 'MB/s',
  time: 'time',
  cpu: 'CPU time',
};

function hoverOf(axes: Axes, plot: Box, input: ChartInput, bottom: number, marks: readonly Mark[]) {
  if (input.size === null) return null;
  const measured = new Set(
    marks.filter((mark) => mark.kind === 'measured').map((mark) => mark.series),
  );
  const rings = marks.filter(
    (mark) =>
      mark.size === input.size &&
      mark.kind === (measured.has(mark.series) ? 'measured' : 'simulated'),
  );
  return { x: axes.size.at(input.size), from: plot.y - 20, to: bottom, rings };
}

function nearestSize(sizes: readonly number[], size: number): number {
  let best = sizes[0] ?? size;
  for (const candidate of sizes) {
    if (Math.abs(Math.log(candidate / size)) < Math.abs(Math.log(best / size))) best = candidate;
  }
  return best;
}

function nearestMark(marks: readonly Mark[], x: number, y: number): Mark | null {
  let best: Mark | null = null;
  let least = REACH;
  for (const mark of marks) {
    const distance = Math.hypot(mark.x - x, mark.y - y);
    if (distance < least) [best, least] = [mark, distance];
  }
  return best;
}

export function chartOf(input: ChartInput): ChartModel {
  const { width, height, compact, quantity, series } = input;
  const { plot, grip, strips, residuals } = layoutOf(input);
  const axes = axesOf(input, plot);
  const marks = marksOf(axes, series, input.sizes);
  const bottom = plot.y + plot.height;
  const label = quantity === 'throughput' ? plainLabel : timeLabel;
  const place = { grip, left: compact ? 2 : 8, right: width - 4, compact };
  const every = compact ? 4 : plot.width < 460 ? 3 : 2;
  return {
    width,
    height,
    plot,
    valueTicks: decadeTicks(axes.value, label).map((tick) =>
      tick.at < plot.y + TITLE_ROOM ? { ...tick, label: '' } : tick,
    ),
    sizeTicks: sizeTicks(axes.size, every),
    valueTitle: { x: plot.x - 8, y: plot.y + 4, text: TITLES[quantity], anchor: 'end' },
    sizeTitle: {
      x: plot.x + plot.width + 26,
      y: bottom + 18,
      text: 'transfer size',
      anchor: 'start',
    },
    strips: stripsOf(axes, input.crossings, strips, quantity),
    curves: curvesOf(axes, series),
    marks,
    markers: markersOf(axes, input.crossings, series, place, quantity),
    labels: seriesLabels(axes, plot, input),
    legend: legendOf(plot, input, marks),
    residuals: residuals ? residualsOf(axes, plot, series) : null,
    hover: hoverOf(axes, plot, input, residuals ? height - 4 : bottom, marks),
    sizeAt: (x) => nearestSize(input.sizes, axes.size.valueAt(x)),
    exactSizeAt: (x) => axes.size.valueAt(x),
    markAt: (x, y) => nearestMark(marks, x, y),
  };
}
