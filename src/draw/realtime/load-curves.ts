/**
 * The gain of one design over another at each load, as curves over the work per byte. Published gains are at
 * the work of their applications.
 *
 *     +30 %             ╭─◌─╮            above the line the second of the two is better
 *       0 % ──────────╱──────╲───────    below it the first
 *           ·  ·  · ·  ·   ·     ·
 */
import { signedPercent, text, time } from '../../base/format';
import type { RunTable } from '../../model/lab/run-table';
import { figure } from '../../model/published/published';
import type { CompiledMachine } from '../../model/scenario/compiled';
import type { Assignment, Axis as RunAxis, Value } from '../../model/scenario/scenario-types';
import { toInteger } from '../../model/scenario/values';
import { type Axis, linearAxis, logAxis } from '../axis';
import { circle, line, path, polyline, type Shape, words } from '../shape';
import { widthOf } from '../text-width';
import { gainAxisShapes } from './gain-axis';

interface LoadPoint {
  /** Picoseconds per byte. */
  readonly work: number;
  /** In per cent; null while a run is missing. */
  readonly gain: number | null;
  readonly variables: Assignment;
}

interface LoadCurve {
  readonly title: string;
  readonly points: readonly LoadPoint[];
}

interface Mark {
  readonly title: string;
  readonly work: number;
  readonly gain: number;
  readonly curve: number;
}

/** An application of the paper, at its work per byte. */
interface Application {
  readonly title: string;
  readonly work: number;
}

export interface LoadChart {
  readonly curves: readonly LoadCurve[];
  readonly marks: readonly Mark[];
  readonly applications: readonly Application[];
}

/** The published gains: application, passes, and curve. */
const PUBLISHED = [
  { id: 'soc.crc.extra', param: 'crc_time', passes: 1, curve: 1 },
  { id: 'soc.crc.double', param: 'crc_time', passes: 2, curve: 0 },
  { id: 'soc.md5.extra', param: 'md5_time', passes: 1, curve: 1 },
  { id: 'soc.md5.double', param: 'md5_time', passes: 2, curve: 0 },
] as const;

const APPLICATIONS = [
  { title: 'CRC', param: 'crc_time' },
  { title: 'MD5', param: 'md5_time' },
  { title: 'Huffman', param: 'huffman_time' },
  { title: 'DES', param: 'des_time' },
] as const;

const psOf = (value: Value): number => {
  const found = toInteger(value, 'time', {});
  return typeof found === 'bigint' ? Number(found) : Number.NaN;
};

/** The two designs compared, and the axis of the curves. */
interface Axes {
  readonly designs: RunAxis;
  readonly others: RunAxis;
}

function axesOf({ axes, scenario }: RunTable): Axes | null {
  const designs = axes.find(({ name }) => name === 'design');
  const others = axes.find((axis) => axis !== designs && axis !== scenario?.experiment?.x);
  return designs && others ? { designs, others } : null;
}

function curveOf(table: RunTable, { designs, others }: Axes, other: Value, i: number): LoadCurve {
  const x = table.scenario?.experiment?.x;
  const [first, second] = designs.values;
  const rowAt = (work: Value, design: Value | undefined) =>
    table.rows.find(
      ({ point: { at } }) =>
        at[x?.name ?? ''] === work && at[designs.name] === design && at[others.name] === other,
    );
  const points = (x?.values ?? []).map((work): LoadPoint => {
    const [one, two] = [rowAt(work, first), rowAt(work, second)];
    const [from, to] = [one?.values[0], two?.values[0]];
    const gain = from && to ? (to / from - 1) * 100 : null;
    return { work: psOf(work), gain, variables: two?.point.variables ?? {} };
  });
  return { title: others.titles[i] ?? String(other), points };
}

/** Null for an experiment without two designs over loads. */
export function loadChart(table: RunTable, machine: CompiledMachine): LoadChart | null {
  const axes = axesOf(table);
  if (!axes) return null;
  const params = machine.parts.flatMap((part) => part.params);
  // The work per byte of a paper's application is the calibrated cost, whatever the sweep sets.
  const workOf = (param: string) =>
    Number(params.find(({ spec }) => spec.name === param)?.spec.default ?? 0);
  const marks = PUBLISHED.flatMap(({ id, param, passes, curve }): Mark[] => {
    const known = figure(id);
    const work = workOf(param);
    return known
      ? [{ title: known.title, work: work * passes, gain: (known.value - 1) * 100, curve }]
      : [];
  });
  const curves = axes.others.values.map((value, i) => curveOf(table, axes, value, i));
  const applications = APPLICATIONS.map(({ title, param }) => ({ title, work: workOf(param) }));
  return { curves, marks, applications };
}

/** Loads at which a curve crosses zero between two runs, on the straight line that is drawn. */
function crossingsOf({ points }: LoadCurve): { readonly work: number; readonly up: boolean }[] {
  const known = points.filter(({ gain }) => gain !== null);
  return known.flatMap((to, i) => {
    const from = known[i - 1];
    const [a, b] = [from?.gain ?? 0, to.gain ?? 0];
    if (!from || a < 0 === b < 0 || a === b) return [];
    const work = from.work * (to.work / from.work) ** (a / (a - b));
    return [{ work, up: b > a }];
  });
}

const LEFT = 52;
const RIGHT = 16;
const TOP = 22;
const BOTTOM = 40;
const TICKS = [100e3, 300e3, 1e6, 3e6, 10e6];
const LINES = ['flow', 'heavy'];
const DOTS = ['accf', 'inkf'];

const span = (ps: number): string => text(time(ps, 3));

export function loadShapes(chart: LoadChart, width: number, height: number): Shape[] {
  const { curves, marks } = chart;
  const points = curves.flatMap((curve) => curve.points);
  const gains = [
    ...points.flatMap(({ gain }) => gain ?? []),
    ...marks.map(({ gain }) => gain),
    -10,
    10,
  ];
  const works = points.map(({ work }) => work);
  const [right, base] = [width - RIGHT, height - BOTTOM];
  const x = logAxis(Math.min(...works), Math.max(...works), LEFT + 8, right - 8);
  const [low, high] = [Math.min(...gains) - 4, Math.max(...gains) + 6];
  const y = linearAxis(low, high, base, TOP);
  const zero = y.at(0);
  const shapes = gainAxisShapes(y, { left: LEFT, right, top: TOP, base });
  for (const tick of TICKS.filter((value) => value >= x.low && value <= x.high))
    shapes.push(
      line(x.at(tick), base, x.at(tick), base + 4, 'thin'),
      words(x.at(tick), base + 16, span(tick), 't10 i2 mid'),
    );
  shapes.push(words((LEFT + right) / 2, base + 31, 'work per byte', 't11 i2 mid'));
  shapes.push(words(LEFT + 8, TOP - 8, 'two processors better', 't10 i2'));
  shapes.push(words(right - 8, zero + 14, 'one processor better', 't10 i2 end'));
  curves.forEach((curve, i) => {
    const known = curve.points.filter(({ gain }) => gain !== null);
    const xy = known.flatMap(({ work, gain }) => [x.at(work), y.at(gain ?? 0)]);
    if (known.length > 1) shapes.push(path(polyline(xy, false), LINES[i % 2] ?? ''));
    for (const { work, gain } of known)
      shapes.push(circle(x.at(work), y.at(gain ?? 0), 2.6, DOTS[i % 2] ?? ''));
    const last = known.reduce<LoadPoint | null>(
      (best, one) => ((one.gain ?? 0) > (best?.gain ?? 0) ? one : best),
      null,
    );
    if (last)
      shapes.push(
        words(
          x.at(last.work) + (i === 0 ? 10 : -10),
          y.at(last.gain ?? 0) - 6,
          curve.title,
          i === 0 ? 't11 b6 acc halo' : 't11 b6 halo end',
        ),
      );
  });
  for (const { work, gain } of marks) shapes.push(circle(x.at(work), y.at(gain), 5.6, 'heavy'));
  return [...shapes, ...applicationShapes(chart, x, base), ...crossingShapes(chart, x, zero)];
}

/** The work of the paper's applications, for one and two passes. */
function applicationShapes({ applications }: LoadChart, x: Axis, base: number): Shape[] {
  const twice = applications.map(({ title, work }) => ({ title: `${title} ×2`, work: work * 2 }));
  const shown = [...applications, ...twice].filter(({ work }) => work >= x.low && work <= x.high);
  let last = Number.NEGATIVE_INFINITY;
  return shown
    .toSorted((one, other) => one.work - other.work)
    .flatMap(({ title, work }) => {
      const at = x.at(work);
      const room = widthOf(title, 10.5) / 2 + 4;
      const fits = at - room > last;
      if (fits) last = at + room;
      return [
        line(at, base - 6, at, base, 'thin'),
        ...(fits ? [words(at, base - 10, title, 't10 i2 mid halo')] : []),
      ];
    });
}

/** The load from which two processors are better: a mark on the line of no gain, and the load. */
const crossingShapes = ({ curves }: LoadChart, x: Axis, zero: number): Shape[] =>
  curves.flatMap((curve, i) =>
    crossingsOf(curve)
      .filter(({ up }) => up)
      .flatMap(({ work }) => [
        line(x.at(work), zero - 5, x.at(work), zero + 5, i === 0 ? 'flow' : 'heavy'),
        words(x.at(work), zero + 16, span(work), i === 0 ? 't10 acc mid halo' : 't10 mid halo'),
      ]),
  );

/** The load from which two processors are better, as far as the runs show, and the published gains. */
export function loadSentences({ curves, marks }: LoadChart): string[] {
  const sentences = curves.map((curve) => {
    const { title, points } = curve;
    const best = points.reduce<LoadPoint | null>(
      (most, one) => ((one.gain ?? 0) > (most?.gain ?? 0) ? one : most),
      null,
    );
    if (!best) return `${title}: two processors are never better in the runs so far.`;
    const from = crossingsOf(curve).find(({ up }) => up)?.work;
    const where = from === undefined ? '' : ` from ${span(from)} per byte on,`;
    return `${title}: two processors are better${where} most at ${span(best.work)} per byte, by ${signedPercent(best.gain ?? 0)}.`;
  });
  const published = marks.map(
    ({ title, work, gain }) =>
      `Published: ${title}, at ${span(work)} per byte, ${signedPercent(gain)}.`,
  );
  return [...sentences, ...published];
}
