/**
 * What one design gains over another at each load, as curves over the work for a byte; published gains stand where
 * their application has its work.
 *
 *     +30 %             ╭─◌─╮            above the line the second of the two is better
 *       0 % ──────────╱──────╲───────    below it the first
 *           ·  ·  · ·  ·   ·     ·
 */
import { signedPercent, text, time } from '../../base/format';
import { figure } from '../../model/report/published';
import type { RunTable } from '../../model/run/run-table';
import type { CompiledMachine } from '../../model/scenario/compile';
import type { Assignment, Axis as RunAxis, Value } from '../../model/scenario/scenario-types';
import { toInteger } from '../../model/scenario/values';
import { linearAxis, logAxis, niceStep } from '../axis';
import { circle, line, path, polyline, rect, type Shape, words } from '../shape';

interface LoadPoint {
  /** Picoseconds for a byte. */
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

export interface LoadChart {
  readonly curves: readonly LoadCurve[];
  readonly marks: readonly Mark[];
}

/** The published gains: whose work for a byte, how often, and on which curve. */
const PUBLISHED = [
  { id: 'soc.crc.extra', param: 'crc_time', passes: 1, curve: 1 },
  { id: 'soc.crc.double', param: 'crc_time', passes: 2, curve: 0 },
  { id: 'soc.md5.extra', param: 'md5_time', passes: 1, curve: 1 },
  { id: 'soc.md5.double', param: 'md5_time', passes: 2, curve: 0 },
] as const;

const psOf = (value: Value): number => {
  const found = toInteger(value, 'time', {});
  return typeof found === 'bigint' ? Number(found) : Number.NaN;
};

/** The two designs compared, and what the curves differ in. */
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
  const marks = PUBLISHED.flatMap(({ id, param, passes, curve }): Mark[] => {
    const known = figure(id);
    // What an application of the paper takes for a byte is the calibrated cost, whatever the sweep sets.
    const work = Number(params.find(({ spec }) => spec.name === param)?.spec.default ?? 0);
    return known
      ? [{ title: known.title, work: work * passes, gain: (known.value - 1) * 100, curve }]
      : [];
  });
  const curves = axes.others.values.map((value, i) => curveOf(table, axes, value, i));
  return { curves, marks };
}

const LEFT = 52;
const RIGHT = 16;
const TOP = 22;
const BOTTOM = 40;
const TICKS = [100e3, 300e3, 1e6, 3e6, 10e6];
const LINES = ['flow', 'heavy'];
const DOTS = ['accf', 'inkf'];

const span = (ps: number): string => text(time(ps, 3));

export function loadShapes({ curves, marks }: LoadChart, width: number, height: number): Shape[] {
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
  const shapes: Shape[] = [rect(LEFT, zero, right - LEFT, base - zero, 'rail')];
  const step = niceStep(high - low, Math.max(3, Math.floor((base - TOP) / 34)));
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step)
    shapes.push(
      line(LEFT, y.at(tick), right, y.at(tick), Math.abs(tick) < 1e-9 ? 'thin' : 'hair'),
      words(LEFT - 6, y.at(tick) + 3.5, signedPercent(tick, 0), 't10 i2 end'),
    );
  for (const tick of TICKS.filter((value) => value >= x.low && value <= x.high))
    shapes.push(
      line(x.at(tick), base, x.at(tick), base + 4, 'thin'),
      words(x.at(tick), base + 16, span(tick), 't10 i2 mid'),
    );
  shapes.push(words((LEFT + right) / 2, base + 31, 'work for a byte', 't11 i2 mid'));
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
  return shapes;
}

/** From which load on two processors are better, as far as the runs tell, and the published gains. */
export function loadSentences({ curves, marks }: LoadChart): string[] {
  const told = curves.map(({ title, points }) => {
    const better = points.find(({ gain }) => (gain ?? 0) > 0);
    const best = points.reduce<LoadPoint | null>(
      (most, one) =>
        (one.gain ?? Number.NEGATIVE_INFINITY) > (most?.gain ?? Number.NEGATIVE_INFINITY)
          ? one
          : most,
      null,
    );
    if (!better || !best)
      return `${title}: two processors are nowhere better, as far as it has run.`;
    return `${title}: two processors are better from ${span(better.work)} a byte on, most at ${span(best.work)}, by ${signedPercent(best.gain ?? 0)}.`;
  });
  const published = marks.map(
    ({ title, work, gain }) =>
      `Published: ${title}, at ${span(work)} a byte, ${signedPercent(gain)}.`,
  );
  return [...told, ...published];
}
