/**
 * Experiments: the points of a sweep, the metrics of finished runs, the resulting curves, and where two of them
 * cross.
 */
import { assign } from './compile';
import { type CompiledMachine, paramAt } from './compiled';
import { failure, type Problem, problem, type Result, success } from './problems';
import type {
  Assignment,
  Axis,
  Change,
  Edits,
  Factor,
  Metric,
  Scenario,
  Value,
  WhatIf,
} from './scenario-types';
import { outOfRange, toInteger, toText } from './values';

/** One run of an experiment. */
export interface Point {
  readonly index: number;
  /** Values of the axes. */
  readonly at: Assignment;
  /** All variables, including those that follow an axis. */
  readonly variables: Assignment;
}

/** Index of a value on its axis; a value between two numbers gets the index of the larger one. */
function placeOn(axis: Axis, value: Value | undefined): number {
  const exact = axis.values.indexOf(value as Value);
  if (exact >= 0 || typeof value !== 'number') return exact;
  const next = axis.values.findIndex((one) => typeof one === 'number' && one >= value);
  return next >= 0 ? next : axis.values.length - 1;
}

/** Variables for some axis values, including those that follow an axis. */
export function variablesAt(scenario: Scenario, at: Assignment): Result<Assignment> {
  const variables: Record<string, Value> = { ...at };
  for (const axis of scenario.experiment?.axes ?? []) {
    const index = placeOn(axis, at[axis.name]);
    if (index < 0) continue;
    for (const [name, values] of Object.entries(axis.also)) {
      const value = values[index];
      if (value !== undefined && !Object.hasOwn(at, name)) variables[name] = value;
    }
  }
  return assign(scenario, variables);
}

/** Variables of a run without those that nobody chose and that follow an axis: elsewhere on it they have other values. */
export function withoutFollowing(scenario: Scenario, variables: Assignment): Assignment {
  const kept: Record<string, Value> = { ...variables };
  for (const axis of scenario.experiment?.axes ?? []) {
    const index = placeOn(axis, variables[axis.name]);
    for (const [name, values] of Object.entries(axis.also))
      if ([values[index], scenario.variables.get(name)?.value].includes(variables[name]))
        delete kept[name];
  }
  return kept;
}

/** All points. The horizontal axis varies fastest, so the points of a curve are consecutive. */
export function pointsOf(scenario: Scenario): Point[] {
  const { experiment } = scenario;
  if (!experiment) return [];
  const others = experiment.axes.filter((axis) => axis !== experiment.x);
  let ats: Assignment[] = [{}];
  for (const axis of [...others, experiment.x])
    ats = ats.flatMap((at) => axis.values.map((value) => ({ ...at, [axis.name]: value })));
  return ats.flatMap((at, index) => {
    const variables = variablesAt(scenario, at);
    return variables.ok ? [{ index, at, variables: variables.value }] : [];
  });
}

/** Whether two assignments agree on all names that both contain. */
export const agrees = (at: Assignment, required: Assignment): boolean =>
  Object.entries(required).every(([name, value]) => !Object.hasOwn(at, name) || at[name] === value);

type Counters = readonly ArrayLike<number>[];

function factorValue(factor: Factor, variables: Assignment, counters: Counters): number {
  switch (factor.kind) {
    case 'number':
      return factor.value;
    case 'variable':
      return Number(variables[factor.name]);
    case 'counter':
      return counters[factor.part]?.[factor.counter] ?? Number.NaN;
    case 'sum':
      return factor.terms.reduce((sum, term) => sum + productOf(term, variables, counters), 0);
  }
}

const productOf = (factors: readonly Factor[], variables: Assignment, counters: Counters): number =>
  factors.reduce((product, factor) => product * factorValue(factor, variables, counters), 1);

/** A metric of a finished run; null if undefined, such as a lap time without a lap. */
export function metricValue(
  metric: Metric,
  variables: Assignment,
  counters: Counters,
): number | null {
  const [product, over] = [metric.product, metric.over].map((factors) =>
    productOf(factors, variables, counters),
  ) as [number, number];
  const value = product / over;
  return Number.isFinite(value) ? value : null;
}

/** One line of a chart. */
export interface Curve {
  readonly title: string;
  readonly at: Assignment;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
  /** Index of the point behind each value. */
  readonly point: readonly number[];
}

const titleOf = (at: Assignment, axes: readonly Axis[]): string =>
  axes
    .filter((axis) => Object.hasOwn(at, axis.name))
    .map((axis) => axis.titles[axis.values.indexOf(at[axis.name] as Value)] ?? '')
    .join(', ');

/** The curves of an experiment from the values of its points (null where a run is missing). */
export function curvesOf(
  scenario: Scenario,
  points: readonly Point[],
  values: readonly (number | null)[],
): Curve[] {
  const { experiment } = scenario;
  if (!experiment) return [];
  const curves = new Map<string, { at: Assignment; points: Point[] }>();
  for (const point of points) {
    const at = Object.fromEntries(
      Object.entries(point.at).filter(([name]) => name !== experiment.x.name),
    );
    const key = JSON.stringify(at);
    const curve = curves.get(key) ?? { at, points: [] };
    curve.points.push(point);
    curves.set(key, curve);
  }
  return [...curves.values()].map((curve) => ({
    title:
      experiment.series.find((series) => agrees(curve.at, series.at))?.title ??
      titleOf(curve.at, experiment.axes),
    at: curve.at,
    x: curve.points.map((point) => Number(point.at[experiment.x.name])),
    y: curve.points.map((point) => values[point.index] ?? null),
    point: curve.points.map((point) => point.index),
  }));
}

export interface CrossingResult {
  /** First axis value at which `more` is larger; null if none. */
  readonly grid: number | null;
  /** Axis value at which the curves meet, interpolated on log-log axes; null if they do not cross. */
  readonly crossing: number | null;
  /** The two axis values around the crossing. */
  readonly between: readonly [number, number] | null;
}

export function findCrossing(
  x: readonly number[],
  more: readonly (number | null)[],
  than: readonly (number | null)[],
): CrossingResult {
  const gap = (i: number): number | null => {
    const [a, b] = [more[i], than[i]];
    return typeof a === 'number' && typeof b === 'number' && a > 0 && b > 0
      ? Math.log(a) - Math.log(b)
      : null;
  };
  const first = x.findIndex((_, i) => (gap(i) ?? 0) > 0);
  const [at, before] = [x[first], x[first - 1]];
  const none = { grid: at ?? null, crossing: null, between: null };
  const [low, high] = [gap(first - 1), gap(first)];
  if (at === undefined || before === undefined || low === null || high === null) return none;
  const [from, to] = [Math.log(before), Math.log(at)];
  const crossing = Math.exp(from + ((to - from) * -low) / (high - low));
  return { grid: at, crossing, between: [before, at] };
}

/** The step of an axis: the greatest common divisor of whole values, otherwise the smallest gap. */
export function stepOf(axis: Axis): number {
  const values = axis.values.map(Number);
  if (!values.every(Number.isInteger)) {
    const gaps = values.slice(1).map((value, i) => Math.abs(value - (values[i] ?? value)));
    return Math.min(...gaps.filter((gap) => gap > 0), 1);
  }
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  return values.reduce(divisor, 0) || 1;
}

/**
 * Refines a crossing with additional runs: bisects until the interval is one `step` wide (a transfer size is a
 * multiple of 4 bytes).
 * @returns the first multiple at which `more` wins
 */
export async function refineCrossing(
  between: readonly [number, number],
  step: number,
  moreMinusThan: (x: number) => Promise<number>,
): Promise<number> {
  let low = Math.floor(between[0] / step);
  let high = Math.ceil(between[1] / step);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((await moreMinusThan(middle * step)) > 0) high = middle;
    else low = middle;
  }
  return high * step;
}

const MILLIONTHS = 1_000_000n;

function changed(
  machine: CompiledMachine,
  path: string,
  change: Change,
): { text: string } | string {
  const param = paramAt(machine, path);
  const part = machine.parts.find((one) => one.params.some((own) => own.path === path));
  if (!param || !part) return `There is no parameter "${path}".`;
  const { type } = param.spec;
  const { enums } = part.type;
  const integer = (value: Value) => toInteger(value, type, enums);
  let value: bigint | string;
  if (typeof change !== 'object') value = integer(change);
  else if ('times' in change)
    value = (param.value * BigInt(Math.round(change.times * 1e6)) + MILLIONTHS / 2n) / MILLIONTHS;
  else {
    const by = integer('plus' in change ? change.plus : change.minus);
    if (typeof by === 'string') return by;
    value = 'plus' in change ? param.value + by : param.value - by;
  }
  if (typeof value === 'string') return value;
  const refused = outOfRange(value, param.spec, enums);
  return refused ?? { text: toText(value, type, enums) };
}

/** The edits of a "what if" on top of those in force. */
export function editsOf(machine: CompiledMachine, edits: Edits, whatif: WhatIf): Result<Edits> {
  const next: Record<string, Value> = { ...edits };
  const problems: Problem[] = [];
  for (const [path, change] of Object.entries(whatif.set)) {
    const result = changed(machine, path, change);
    if (typeof result === 'string') problems.push(problem(result, `/edits/${path}`));
    else next[path] = result.text;
  }
  return problems.length > 0 ? failure(problems) : success(next);
}
