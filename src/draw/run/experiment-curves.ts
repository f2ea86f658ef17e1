/**
 * Runs of an experiment as curves over a number: rows of a TLB, processors, minutes. Every dot is a run;
 * rings are published values, and a square is the open run.
 *
 *     ── coherent   ╌╌ not coherent      curves differ by stroke, not by colour alone
 *     │        ▫─────────·
 *     │   ·───╯ ╌╌╌╌╌╌╌╌╌·
 *     └───1────2────────4─── processors
 */
import { significant, unitAfter } from '../../base/format';
import type { RunRow, RunTable } from '../../model/lab/run-table';
import { figure } from '../../model/published/published';
import { agrees } from '../../model/scenario/experiment';
import type { Assignment, CurveSet, Metric } from '../../model/scenario/scenario-types';
import { type Axis, linearAxis, logAxis, niceStep } from '../axis';
import { circle, line, path, polyline, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

export interface CurvePoint {
  readonly x: number;
  /** Null while the run is missing, or if it has no such value. */
  readonly y: number | null;
  readonly published: number | null;
  readonly variables: Assignment;
  /** It is the open run. */
  readonly open: boolean;
}

export interface ExperimentCurve {
  readonly title: string;
  readonly points: readonly CurvePoint[];
}

export interface ExperimentChart {
  /** Title of the horizontal axis. */
  readonly title: string;
  readonly metric: Metric;
  readonly curves: readonly ExperimentCurve[];
  /** The greatest value of charts that share their vertical scale. */
  readonly most?: number | undefined;
}

/** Null if the experiment does not measure it. */
export function experimentChart(
  { metrics, rows }: RunTable,
  set: CurveSet,
  name: string,
  shown: Assignment,
): ExperimentChart | null {
  const index = metrics.findIndex((one) => one.name === name);
  const metric = metrics[index];
  if (!metric) return null;
  const pointOf = ({ point, values, published }: RunRow, id: string | null): CurvePoint => ({
    x: Number(point.variables[set.over]),
    y: values[index] ?? null,
    published: (published[index] ?? (name === set.metric && id ? figure(id) : null))?.value ?? null,
    variables: point.variables,
    open: Object.entries(point.at).every(([axis, value]) => shown[axis] === value),
  });
  const curves = set.lines.map(({ title, at, figures }) => ({
    title,
    points: at.flatMap((x, i) => {
      const row = rows.find(({ point }) => agrees(point.at, x));
      return row ? [pointOf(row, figures[i] ?? null)] : [];
    }),
  }));
  return { title: set.title, metric, curves };
}

/** Position of a run on the sheet. */
export interface PlacedPoint {
  readonly at: { readonly x: number; readonly y: number };
  readonly curve: ExperimentCurve;
  readonly point: CurvePoint;
}

export interface DrawnChart {
  readonly shapes: readonly Shape[];
  /** The runs that have a value, curve after curve. */
  readonly runs: readonly PlacedPoint[];
}

const LEFT = 48;
const RIGHT = 16;
const BOTTOM = 24;
const AIR = 1.06;
/** Distance between the names of curves, and between their rows. */
const [BESIDE, BELOW] = [16, 15];
/** Length of the stroke before a name. */
const SWATCH = 24;
/** Least distance between two grid lines, in px. */
const [ACROSS, UP] = [46, 30];
/** Most values on the x-axis that are all labelled. */
const NAMED = 8;
/** From this ratio of largest to smallest on, the axis is logarithmic. */
const DECADES = 64;
const PUBLISHED = 'published';
const LINES = ['flow', 'heavy', 'thin', 'ghost'];
const DOTS = ['accf', 'inkf', 'ink3f', 'ink2f'];
const WORDS = ['t11 b6 acc', 't11 b6', 't11 i2', 't11 i2'];

/** For each curve the first identical one: both are drawn as one, with one entry in the legend. */
const sameAs = (curves: readonly ExperimentCurve[]): number[] =>
  curves.map((curve, i) => {
    const first = curves.findIndex(
      ({ points }) =>
        points.length === curve.points.length &&
        points.every(
          ({ x, y }, k) => y !== null && x === curve.points[k]?.x && y === curve.points[k]?.y,
        ),
    );
    return first < 0 ? i : first;
  });

/** The legend above the plot, in as many rows as needed, and its height. */
function legend(
  curves: readonly ExperimentCurve[],
  strokes: readonly number[],
  right: number,
): { readonly shapes: Shape[]; readonly end: number } {
  const shapes: Shape[] = [];
  let [x, y] = [12, 12];
  curves.forEach(({ title }, i) => {
    const width = SWATCH + 6 + widthOf(title, 11.5);
    if (x > 12 && x + width > right) [x, y] = [12, y + BELOW];
    const stroke = (strokes[i] ?? 0) % LINES.length;
    shapes.push(
      line(x, y - 4, x + SWATCH, y - 4, LINES[stroke] ?? ''),
      words(x + SWATCH + 6, y, title, WORDS[stroke] ?? ''),
    );
    x += width + BESIDE;
  });
  if (curves.some(({ points }) => points.some(({ published }) => published !== null))) {
    const width = SWATCH / 2 + 6 + widthOf(PUBLISHED, 11.5);
    if (x > 12 && x + width > right) [x, y] = [12, y + BELOW];
    shapes.push(circle(x + 6, y - 4, 5.6, 'thin'), words(x + 18, y, PUBLISHED, 't11 i2'));
  }
  return { shapes, end: y };
}

function xAxisOf(values: readonly number[], left: number, right: number): Axis {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low > 0 && high / low >= DECADES
    ? logAxis(low, high, left, right)
    : linearAxis(low, Math.max(high, low + 1), left, right);
}

/** Ticks at the values if they are few, else at round numbers. */
function xTicks(values: readonly number[], x: Axis): number[] {
  const known = [...new Set(values)].sort((one, other) => one - other);
  if (known.length <= NAMED) return known;
  const step = niceStep(x.high - x.low, NAMED);
  const first = Math.ceil(x.low / step);
  const count = Math.floor(x.high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}

export function experimentShapes(
  { title, metric, curves, most = 0 }: ExperimentChart,
  width: number,
  height: number,
): DrawnChart {
  const strokes = sameAs(curves);
  const names = legend(curves, strokes, width - RIGHT);
  const [right, base, top] = [width - RIGHT, height - BOTTOM, names.end + 26];
  const points = curves.flatMap((curve) => curve.points);
  const values = points.map((point) => point.x);
  const heights = points.flatMap(({ y, published }) => [y ?? 0, published ?? 0]);
  const x = xAxisOf(values, LEFT + 10, right - 10);
  const y = linearAxis(0, (Math.max(0, most, ...heights) || 1) * AIR, base, top);
  const step = niceStep(y.high, Math.max(2, Math.floor((base - top) / UP)));
  const shapes: Shape[] = [...names.shapes];
  for (let tick = 0; tick <= y.high; tick += step)
    shapes.push(
      line(LEFT, y.at(tick), right, y.at(tick), tick === 0 ? 'thin' : 'hair'),
      words(LEFT - 6, y.at(tick) + 3.5, significant(tick, 3), 't10 i2 end'),
    );
  let before = Number.NEGATIVE_INFINITY;
  for (const tick of xTicks(values, x)) {
    const at = x.at(tick);
    const fits = at - before >= Math.min(ACROSS, widthOf(String(tick), 10.5) + 8);
    if (fits) before = at;
    shapes.push(
      line(at, base, at, base + 4, 'thin'),
      ...(fits ? [words(at, base + 15, significant(tick, 4), 't10 i2 mid')] : []),
    );
  }
  shapes.push(words(12, top - 8, `${labelOf(metric)} over ${title}`, 't10 i2'));
  const runs: PlacedPoint[] = [];
  curves.forEach((curve, i) => {
    const stroke = (strokes[i] ?? 0) % LINES.length;
    const style = LINES[stroke] ?? '';
    const placed = curve.points.flatMap((point): PlacedPoint[] =>
      point.y === null ? [] : [{ at: { x: x.at(point.x), y: y.at(point.y) }, curve, point }],
    );
    const xy = placed.flatMap(({ at }) => [at.x, at.y]);
    const first = strokes[i] === i;
    if (first && placed.length > 1) shapes.push(path(polyline(xy, false), style));
    for (const { at, point } of placed) {
      if (first) shapes.push(circle(at.x, at.y, 2.6, DOTS[stroke] ?? ''));
      if (point.open) shapes.push(rect(at.x - 5.5, at.y - 5.5, 11, 11, 'thin'));
    }
    for (const { x: value, published } of curve.points)
      if (published !== null) shapes.push(circle(x.at(value), y.at(published), 5.6, style));
    runs.push(...placed);
  });
  return { shapes, runs };
}

/** A metric with its unit, unless its title contains it. */
const labelOf = ({ title, unit }: Metric): string =>
  !unit || title.split(' ').includes(unit) ? title : `${title}, ${unitAfter('', unit)}`;

/** One run: its position, curve and value. */
export const runSentence = (
  { title, metric }: ExperimentChart,
  curve: ExperimentCurve,
  { x, y, published }: CurvePoint,
): string => {
  const value = y === null ? 'not run yet' : `${significant(y, 4)} ${metric.unit}`.trim();
  const beside = published === null ? '' : `, published ${significant(published, 4)}`;
  return `${curve.title}, ${title} ${x}: ${value}${beside}`;
};

/** Start, end and highest point of each curve, and the published values. */
export function experimentSentences({ title, metric, curves }: ExperimentChart): string[] {
  const shown = (y: number) => `${significant(y, 4)} ${metric.unit}`.trim();
  const same = sameAs(curves);
  return curves.map((curve, i) => {
    const like = curves[same[i] ?? i];
    if (like && like !== curve) return `${curve.title}: as ${like.title}.`;
    const known = curve.points.filter(({ y }) => y !== null);
    const [first, last] = [known[0], known.at(-1)];
    if (!first || !last) return `${curve.title}: not run yet.`;
    const most = known.reduce((best, one) => ((one.y ?? 0) > (best.y ?? 0) ? one : best), first);
    const inside =
      most === first || most === last ? '' : `, at most ${shown(most.y ?? 0)} at ${most.x}`;
    const sentence = `${curve.title}, ${metric.title} over ${title}: from ${shown(first.y ?? 0)} at ${first.x} to ${shown(last.y ?? 0)} at ${last.x}${inside}.`;
    const published = curve.points.flatMap(({ x, published: value }) =>
      value === null ? [] : [` Published: ${shown(value)}, at ${x}.`],
    );
    return sentence + published.join('');
  });
}
