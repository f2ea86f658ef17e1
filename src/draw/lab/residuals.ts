/** The strip under the chart: the deviation of each simulated value from the measured one, in per cent. */
import { fixed, NO_BREAK_SPACE } from '../../base/format';
import { clamp } from '../../base/geometry';
import type {
  Box,
  ChartSeries,
  Reading,
  Residual,
  ResidualRow,
  ResidualStrip,
} from './chart-types';
import type { Axes } from './curves';

/** Per cent at full height, the same for every row, so that rows can be compared. */
const FULL_SCALE = 10;

/** From the lower edge of the plot to the middle of the first row. */
const HEAD = 58;
const TAIL = 22;

const rowStep = (rows: number): number => (rows > 4 ? 16 : 22);
export const stripHeight = (rows: number): number =>
  rows === 0 ? 34 : HEAD + (rows - 1) * rowStep(rows) + TAIL;

interface Deviation {
  readonly size: number;
  readonly percent: number;
  readonly calibrated: boolean;
}

/** Deviations from the measured values, for the sizes that have both. */
function deviations(series: ChartSeries, values: readonly Reading[]): Deviation[] {
  const known = new Map(values.map(({ size, value }) => [size, value]));
  return series.measured.flatMap(({ size, value, calibrated }) => {
    const ours = known.get(size);
    return ours === undefined ? [] : [{ size, calibrated, percent: (ours / value - 1) * 100 }];
  });
}

function barOf(axes: Axes, y: number, half: number, deviation: Deviation): Residual {
  const shown = clamp(deviation.percent, -FULL_SCALE, FULL_SCALE);
  const height = Math.max(0.8, (Math.abs(shown) / FULL_SCALE) * half);
  return {
    ...deviation,
    x: axes.size.at(deviation.size) - 3,
    y: shown > 0 ? y - height : y,
    width: 6,
    height,
    clipped: Math.abs(deviation.percent) > FULL_SCALE,
  };
}

const worstOf = (list: readonly Deviation[], decimals: number): string =>
  fixed(Math.max(0, ...list.map(({ percent }) => Math.abs(percent))), decimals);

/** The largest deviation of the runs, and of the linear fit where it is drawn. */
function worstText(ours: readonly Deviation[], linearFit: readonly Deviation[]): string {
  if (ours.length === 0) return '';
  const tail = `${NO_BREAK_SPACE}%`;
  if (linearFit.length === 0) return `worst ${worstOf(ours, 1)}${tail}`;
  return `worst ${worstOf(ours, 1)}, fit ${worstOf(linearFit, 0)}${tail}`;
}

function rowOf(axes: Axes, plot: Box, series: ChartSeries, y: number, half: number): ResidualRow {
  const list = deviations(series, series.simulated);
  const fitted = deviations(series, series.linearFit);
  const short = series.title.replace(/ write$/, ' w').replace(/ read$/, ' r');
  return {
    series: series.id,
    hue: series.hue,
    y,
    title: { x: plot.x - 8, y: y + 4, text: short, anchor: 'end' },
    worst: {
      x: plot.x + plot.width + 12,
      y: y + 4,
      text: worstText(list, fitted),
      anchor: 'start',
    },
    bars: list.map((deviation) => barOf(axes, y, half, deviation)),
    linearFit: fitted.map((deviation) => {
      const { x, width } = barOf(axes, y, half, deviation);
      const shown = clamp(deviation.percent, -FULL_SCALE, FULL_SCALE);
      return { x: x - 2, width: width + 4, y: y - (shown / FULL_SCALE) * half };
    }),
  };
}

export function residualsOf(
  axes: Axes,
  plot: Box,
  series: readonly ChartSeries[],
): ResidualStrip | null {
  const compared = series.filter((one) => one.measured.length > 0);
  if (compared.length === 0) return null;
  const bottom = plot.y + plot.height;
  const step = rowStep(compared.length);
  const heading = `simulated minus measured, ±${FULL_SCALE}${NO_BREAK_SPACE}% full height`;
  return {
    heading: { x: Math.max(4, plot.x - 46), y: bottom + 42, text: heading, anchor: 'start' },
    note: {
      x: plot.x + plot.width,
      y: bottom + 42,
      text: 'hollow = row used to calibrate',
      anchor: 'end',
    },
    rows: compared.map((one, row) =>
      rowOf(axes, plot, one, bottom + HEAD + row * step, step / 2 - 1.5),
    ),
  };
}
