/** Names at the ends of the curves, and a legend in the emptiest corner of the plot. */

import { widthOf } from '../text-width';
import type {
  Box,
  ChartInput,
  ChartSeries,
  Label,
  LegendRow,
  Mark,
  SeriesLabel,
} from './chart-types';
import type { Axes } from './curves';

/** In a small plot a label is above the end of its curve, so it has to clear this many last marks. */
const CLEARED = 5;

/** Height at which a series can be labelled. */
function endOf(axes: Axes, series: ChartSeries, compact: boolean): number | null {
  const readings = series.simulated.length > 0 ? series.simulated : series.measured;
  const last = readings.slice(compact ? -CLEARED : -1);
  if (last.length === 0) return null;
  return Math.min(...last.map((reading) => axes.value.at(reading.value)));
}

/**
 * Moves positions apart to a distance of at least `gap`, keeping their order and staying within the limits.
 */
export function spread(at: readonly number[], gap: number, low: number, high: number): number[] {
  const order = at.map((_, index) => index).sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0));
  const out = [...at];
  let floor = low;
  for (const index of order) {
    out[index] = Math.max(out[index] ?? 0, floor);
    floor = (out[index] ?? 0) + gap;
  }
  let ceiling = high;
  for (const index of order.toReversed()) {
    out[index] = Math.min(out[index] ?? 0, ceiling);
    ceiling = (out[index] ?? 0) - gap;
  }
  return out;
}

/** Beside the right end of each curve; on a small screen inside the plot, above it. */
export function seriesLabels(axes: Axes, plot: Box, input: ChartInput): SeriesLabel[] {
  const named = input.series.flatMap((series) => {
    const at = endOf(axes, series, input.compact);
    return at === null ? [] : [{ series, at }];
  });
  const lift = input.compact ? -9 : 4;
  const requested = named.map(({ at }) => at + lift);
  const at = spread(requested, 14, plot.y + 8, plot.y + plot.height - 2);
  const explained = new Set<string>();
  return named.map(({ series }, index) => {
    const y = at[index] ?? 0;
    const x = input.compact ? plot.x + plot.width - 3 : plot.x + plot.width + 12;
    const anchor = input.compact ? ('end' as const) : ('start' as const);
    const room = at.every((other, i) => i === index || other < y || other - y >= 26);
    const words = `${series.open ? 'open' : 'filled'}, ${series.dash}`;
    const explains = room && !input.compact && !explained.has(words);
    if (explains) explained.add(words);
    const note: Label | null = explains ? { x, y: y + 13, text: words, anchor } : null;
    return { series: series.id, hue: series.hue, x, y, text: series.title, anchor, note };
  });
}

const ROW = 18;
const PAD = 12;

function legendWords(input: ChartInput): { kind: LegendRow['kind']; text: string }[] {
  const has = (kind: LegendRow['kind']) =>
    input.series.some((series) =>
      kind === 'stale' ? series.simulated.some(({ stale }) => stale) : series[kind].length > 0,
    );
  const { compact } = input;
  // Rows that come and go are first, so that the others stay where they are in a lower corner.
  const all = [
    { kind: 'fan' as const, text: input.fan },
    { kind: 'stale' as const, text: compact ? 'not run again' : 'not run again yet' },
    { kind: 'measured' as const, text: compact ? 'measured' : input.source },
    { kind: 'own' as const, text: 'your table' },
    { kind: 'simulated' as const, text: compact ? 'simulated' : 'simulated, each point a run' },
    { kind: 'linearFit' as const, text: compact ? 'fit' : 'linear fit: overhead and bandwidth' },
    { kind: 'before' as const, text: compact ? 'before' : 'before the last edit' },
  ];
  return all.filter(({ kind }) => has(kind));
}

/** Number of marks under the legend. */
const hitsOf = (box: Box, marks: readonly Mark[]): number =>
  marks.filter(
    (mark) =>
      mark.x > box.x - PAD &&
      mark.x < box.x + box.width + PAD &&
      mark.y > box.y - PAD &&
      mark.y < box.y + box.height + PAD,
  ).length;

/** The corner with the fewest marks under the legend; the first one wins a tie. */
function emptiest(corners: readonly Box[], marks: readonly Mark[]): Box | undefined {
  let best: Box | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const corner of corners) {
    const count = hitsOf(corner, marks);
    if (count < least) [best, least] = [corner, count];
  }
  return best;
}

/** A plot lower than this has little room between its lowest curve and its axis. */
const LOW = 180;

export function legendOf(plot: Box, input: ChartInput, marks: readonly Mark[]): LegendRow[] {
  return placedLegend(legendWords(input), plot, input, marks);
}

/** A small sheet leaves out the upper rows, which come and go, if the legend would cover marks. */
const LEAST_ROWS = 2;

function placedLegend(
  rows: ReturnType<typeof legendWords>,
  plot: Box,
  input: ChartInput,
  marks: readonly Mark[],
): LegendRow[] {
  if (rows.length === 0) return [];
  const width = 28 + Math.max(...rows.map((row) => widthOf(row.text, 11.5)));
  const height = rows.length * ROW;
  const [left, right] = [plot.x + 20, plot.x + plot.width - width - 20];
  const foot = plot.height < LOW ? 4 : 20;
  const [top, bottom] = [plot.y + 26, plot.y + plot.height - height - foot];
  const middle = plot.x + plot.width * 0.56;
  const box = (x: number, y: number): Box => ({ x, y, width, height });
  const corners = [box(middle, bottom), box(right, bottom), box(left, top), box(left, bottom)];
  const at = emptiest(corners, marks);
  if (!at) return [];
  if (input.compact && rows.length > LEAST_ROWS && hitsOf(at, marks) > 0)
    return placedLegend(rows.slice(1), plot, input, marks);
  return rows.map((row, index) => ({ ...row, x: at.x, y: at.y + ROW / 2 + index * ROW }));
}
