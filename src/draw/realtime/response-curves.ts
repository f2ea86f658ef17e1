/**
 * Response time over throughput, for an increasing number of clients that wait for their replies: a curve per
 * machine, with the published end points.
 *
 *     ms │             ┆ 240 clients     every client more makes all wait
 *        │            ╭╯ 151
 *        │  ·──·──·──╯                   every client more adds throughput
 *        └────────────── operations per second
 */
import { significant } from '../../base/format';
import type { RunRow, RunTable } from '../../model/lab/run-table';
import type { Assignment, Metric, Value } from '../../model/scenario/scenario-types';
import { linearAxis, niceStep } from '../axis';
import { circle, line, path, polyline, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

interface ResponsePoint {
  readonly clients: number;
  /** Null while the run is missing. */
  readonly throughput: number | null;
  readonly response: number | null;
  readonly published: { readonly throughput: number; readonly response: number } | null;
  readonly variables: Assignment;
}

interface ResponseCurve {
  readonly title: string;
  readonly points: readonly ResponsePoint[];
}

export interface ResponseChart {
  readonly throughput: Metric;
  readonly response: Metric;
  readonly curves: readonly ResponseCurve[];
}

function pointOf(row: RunRow, clients: Value, i: number, j: number): ResponsePoint {
  const [one, other] = [row.published[i], row.published[j]];
  return {
    clients: Number(clients),
    throughput: row.values[i] ?? null,
    response: row.values[j] ?? null,
    published: one && other ? { throughput: one.value, response: other.value } : null,
    variables: row.point.variables,
  };
}

/** Null for an experiment that does not measure both over a number of clients. */
export function responseChart({ axes, metrics, rows, scenario }: RunTable): ResponseChart | null {
  const x = scenario?.experiment?.x;
  const machines = axes.find((axis) => axis !== x);
  const indexOf = (name: string) => metrics.findIndex((metric) => metric.name === name);
  const [i, j] = [indexOf('throughput'), indexOf('response')];
  const [throughput, response] = [metrics[i], metrics[j]];
  if (!x || !machines || !throughput || !response) return null;
  const rowAt = (machine: Value, clients: Value) =>
    rows.find(({ point: { at } }) => at[x.name] === clients && at[machines.name] === machine);
  const curves = machines.values.map((machine, of) => ({
    title: machines.titles[of] ?? String(machine),
    points: x.values.flatMap((clients) => {
      const row = rowAt(machine, clients);
      return row ? [pointOf(row, clients, i, j)] : [];
    }),
  }));
  return { throughput, response, curves };
}

const LEFT = 52;
const RIGHT = 76;
const TOP = 20;
const BOTTOM = 24;
const AIR = 1.06;
/** Half the width of a tick's number, and the margin beside the unit. */
const [TICK, EDGE] = [18, 4];
/** Least distance between two grid lines, in px. */
const [ACROSS, UP] = [74, 30];
/** Distance between two names: least on a low sheet, and above flat curves. */
const [CLOSE, WIDE] = [12, 17];
const LINES = ['flow', 'heavy', 'thin'];
const DOTS = ['accf', 'inkf', 'ink3f'];
const WORDS = ['t11 b6 acc', 't11 b6', 't11 i2'];

type Known = ResponsePoint & { readonly throughput: number; readonly response: number };

const knownOf = ({ points }: ResponseCurve): Known[] =>
  points.filter((point): point is Known => point.throughput !== null && point.response !== null);

const ticksOf = (high: number, room: number, least: number): number[] => {
  const step = niceStep(high, Math.max(2, Math.floor(room / least)));
  return Array.from({ length: Math.floor(high / step) + 1 }, (_, i) => i * step);
};

export function responseShapes(chart: ResponseChart, width: number, height: number): Shape[] {
  const { throughput, response, curves } = chart;
  const [right, base] = [width - RIGHT, height - BOTTOM];
  const ends = curves.flatMap(({ points }) => points.flatMap(({ published }) => published ?? []));
  const all = [...curves.flatMap(knownOf), ...ends];
  const most = (values: readonly number[]) => Math.max(1, ...values) * AIR;
  const x = linearAxis(0, most(all.map((one) => one.throughput)), LEFT, right);
  const y = linearAxis(0, most(all.map((one) => one.response)), base, TOP);
  const name = Math.max(CLOSE, Math.min(WIDE, (base - TOP) / (curves.length + 1.2)));
  const unitAt = width - EDGE - widthOf(throughput.unit, 10);
  const shapes: Shape[] = [];
  for (const tick of ticksOf(y.high, base - TOP, UP))
    shapes.push(
      line(LEFT, y.at(tick), right, y.at(tick), tick === 0 ? 'thin' : 'hair'),
      words(LEFT - 6, y.at(tick) + 3.5, significant(tick, 3), 't10 i2 end'),
    );
  for (const tick of ticksOf(x.high, right - LEFT, ACROSS))
    shapes.push(
      line(x.at(tick), base, x.at(tick), base + 4, 'thin'),
      ...(x.at(tick) + TICK < unitAt
        ? [words(x.at(tick), base + 16, significant(tick, 4), 't10 i2 mid')]
        : []),
    );
  shapes.push(
    words(width - EDGE, base + 16, throughput.unit, 't10 i2 end'),
    words(LEFT, TOP - 8, `${response.title}, ${response.unit}`, 't10 i2'),
  );
  curves.forEach((curve, i) => {
    const known = knownOf(curve);
    const xy = known.flatMap((one) => [x.at(one.throughput), y.at(one.response)]);
    if (known.length > 1) shapes.push(path(polyline(xy, false), LINES[i] ?? ''));
    for (const one of known)
      shapes.push(circle(x.at(one.throughput), y.at(one.response), 2.6, DOTS[i] ?? ''));
    for (const one of ends.filter((end) => curve.points.some(({ published }) => published === end)))
      shapes.push(circle(x.at(one.throughput), y.at(one.response), 5.6, LINES[i] ?? ''));
    shapes.push(
      line(LEFT + 12, TOP + 10 + i * name, LEFT + 34, TOP + 10 + i * name, LINES[i] ?? ''),
      words(LEFT + 40, TOP + 13.5 + i * name, curve.title, `${WORDS[i] ?? ''} halo`),
    );
  });
  return [...shapes, ...clientShapes(chart, x.at, y.at)];
}

/** Numbers of clients beside the rightmost point, if there is room. */
function clientShapes(
  { curves }: ResponseChart,
  x: (value: number) => number,
  y: (value: number) => number,
): Shape[] {
  const rightmost = new Map<number, Known>();
  for (const one of curves.flatMap(knownOf))
    if (one.throughput > (rightmost.get(one.clients)?.throughput ?? 0))
      rightmost.set(one.clients, one);
  let before = Number.NEGATIVE_INFINITY;
  return [...rightmost.values()]
    .toSorted((one, other) => y(one.response) - y(other.response))
    .flatMap(({ clients, throughput, response }, i) => {
      const title = i === 0 ? `${clients} clients` : String(clients);
      const at = y(response);
      if (at - before < CLOSE) return [];
      before = at;
      return [words(x(throughput) + 9, at + 3.5, title, 't10 i2 halo')];
    });
}

/** The end of each curve, and the published ends. */
export function responseSentences({ throughput, response, curves }: ResponseChart): string[] {
  const both = (one: { readonly throughput: number; readonly response: number }) =>
    `${significant(one.throughput, 4)} ${throughput.title} and ${significant(one.response, 3)} ${response.unit} each`;
  return curves.map((curve) => {
    const known = knownOf(curve);
    const [first, last] = [known[0], known.at(-1)];
    if (!first || !last) return `${curve.title}: not run yet.`;
    const sentence = `${curve.title}: from ${both(first)} with ${first.clients} clients to ${both(last)} with ${last.clients}.`;
    const ends = curve.points.flatMap(({ published, clients }) =>
      published ? [` Published: ${both(published)}, compared with ${clients} clients.`] : [],
    );
    return sentence + ends.join('');
  });
}
