/**
 * The size chart: measured marks and simulated curves, the values on a logarithmic axis, over transfer sizes
 * (logarithmic too) or over another variable of the experiment.
 *
 *     strips      faster method, per direction      ─┐ share the size axis
 *     handles     drag to move a crossing            │
 *     plot        curves, marks, the hovered size    │
 *     residuals   simulated minus measured          ─┘
 *
 * Input and output are data: positions and words. The panel turns them into SVG.
 */
import { text, time } from '../../base/format';
import { isSizes } from '../../model/lab/plan';
import {
  axisFor,
  decadeTicks,
  logAxis,
  logRange,
  plainLabel,
  sizeTicks,
  timeLabel,
  valueTicks,
} from '../axis';
import { wrapped } from '../text-width';
import { alongText } from './along-curve';
import type { Box, ChartInput, ChartModel, Mark, Quantity } from './chart-types';
import { type Axes, bandsOf, curvesOf, marksOf } from './curves';
import { legendOf, seriesLabels } from './labels';
import { markersOf, placeLabelsApart, type StripPlace, stripsOf } from './markers';
import { residualsOf, stripHeight } from './residuals';

/** Distance in px within which a mark is under the pointer. */
const REACH = 14;

interface Layout {
  readonly plot: Box;
  readonly grip: number;
  readonly strips: StripPlace;
  readonly residuals: boolean;
}

/** Below this height there is no residual strip; its figures are in the table. */
const LEAST_PLOT = 230;
/** Room for a title above its strip. */
const STRIP_TITLE = 14;
/** Near the title of the axis no value is labelled. */
const TITLE_ROOM = 12;

function layoutOf(input: ChartInput): Layout {
  const { width, height, compact, crossings } = input;
  const rows = input.series.filter((series) => series.measured.length > 0).length;
  const [left, right] = compact ? [36, 10] : [62, 114];
  const titles = placeLabelsApart(crossings, left) ? ('beside' as const) : ('above' as const);
  const above = titles === 'above' ? STRIP_TITLE : 0;
  const strips = compact
    ? { y: 4 + above, height: 16, step: 18 + above, compact, titles }
    : { y: 26, height: 15, step: 19 + above, compact, titles };
  const stripsEnd = crossings.length > 0 ? strips.y - above + crossings.length * strips.step : 8;
  const top = crossings.length === 0 ? 24 : stripsEnd + (compact ? 34 : 22);
  const strip = stripHeight(rows);
  const residuals = !compact && rows > 0 && height - top - strip >= LEAST_PLOT;
  const below = residuals ? strip : compact ? 26 : 34;
  const plot = { x: left, y: top, width: width - left - right, height: height - top - below };
  return { plot, grip: stripsEnd - (compact ? 0 : 2), strips, residuals };
}

/** The range of all values and curves. */
export function rangeOf({ series }: ChartInput): readonly [number, number] {
  return logRange(
    series.flatMap(({ measured, simulated, own }) =>
      [measured, simulated, own].flat().map((reading) => reading.value),
    ),
  );
}

function axesOf(input: ChartInput, plot: Box): Axes {
  const [low, high] = input.range ?? rangeOf(input);
  const { sizes } = input;
  const [left, right] = [plot.x, plot.x + plot.width];
  return {
    size: isSizes(input.along)
      ? logAxis(Math.min(...sizes), Math.max(...sizes), left, right)
      : axisFor(sizes, left, right),
    value: logAxis(low, high, plot.y + plot.height, plot.y),
  };
}

/** A value as the chart writes it: "61.45 MB/s", "8.33 µs". */
export function valueText(quantity: Quantity, unit: string, value: number): string {
  const isTime = quantity === 'time' || quantity === 'cpu';
  return text(isTime ? time(value) : { value: value.toFixed(2), unit });
}

const TITLES: Readonly<Partial<Record<Quantity, string>>> = { time: 'time', cpu: 'CPU time' };

/** Labels of closer ticks would overlap. */
const TICK_GAP = 30;

/** Right of the axis, below the names of the curves. */
function sizeTitleOf({ along, width }: ChartInput, plot: Box) {
  const x = plot.x + plot.width + 26;
  const lines = wrapped(alongText(along), 12, width - x - 4, 2);
  const y = plot.y + plot.height + 18;
  return lines.map((text, row) => ({ x, y: y + row * 13, text, anchor: 'start' as const }));
}

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

function nearestSize({ size: axis }: Axes, sizes: readonly number[], x: number): number {
  const far = (size: number) => Math.abs(axis.at(size) - x);
  return sizes.reduce((best, size) => (far(size) < far(best) ? size : best), sizes[0] ?? 0);
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
  const { width, height, compact, quantity, series, along } = input;
  const { plot, grip, strips, residuals } = layoutOf(input);
  const axes = axesOf(input, plot);
  const marks = marksOf(axes, series, input.sizes);
  const bottom = plot.y + plot.height;
  const label = quantity === 'time' || quantity === 'cpu' ? timeLabel : plainLabel;
  const place = { grip, left: compact ? 2 : plot.x, right: width - 4, compact };
  const every = compact ? 4 : plot.width < 460 ? 3 : 2;
  return {
    width,
    height,
    plot,
    valueTicks: decadeTicks(axes.value, label).map((tick) =>
      tick.at < plot.y + TITLE_ROOM ? { ...tick, label: '' } : tick,
    ),
    sizeTicks: isSizes(along)
      ? sizeTicks(axes.size, every)
      : valueTicks(axes.size, input.sizes, TICK_GAP),
    valueTitle: {
      x: plot.x - 8,
      y: plot.y + 4,
      text: TITLES[quantity] ?? input.unit,
      anchor: 'end',
    },
    sizeTitle: sizeTitleOf(input, plot),
    strips: stripsOf(axes, input.crossings, strips, quantity),
    bands: bandsOf(axes, series),
    curves: curvesOf(axes, series),
    marks,
    markers: markersOf(axes, input.crossings, series, place, quantity, along),
    labels: seriesLabels(axes, plot, input),
    legend: legendOf(plot, input, marks),
    residuals: residuals ? residualsOf(axes, plot, series) : null,
    hover: hoverOf(axes, plot, input, residuals ? height - 4 : bottom, marks),
    sizeAt: (x) => nearestSize(axes, input.sizes, x),
    exactSizeAt: (x) => axes.size.valueAt(x),
    markAt: (x, y) => nearestMark(marks, x, y),
  };
}
