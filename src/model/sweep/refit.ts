/**
 * Fits the constants of a machine to somebody's own gttp table. Each row is a run. The runs' answer to a change of the
 * constants is measured, and a library's least squares finds the step on it that makes the relative errors of the
 * throughputs smallest; runs then say whether the step is taken. Every third row of a column is held out: it has no
 * say in the fit, and its error tells what the fitted constants are worth.
 */
import type { Engine } from '../../engine/api';
import type { CompiledMachine } from '../scenario/compiled';
import type { GttpColumn, GttpTable } from '../scenario/gttp-import';
import { type Measure, readMeasure } from '../scenario/measure';
import type { Assignment, Edits, Scenario } from '../scenario/scenario-types';
import { outOfRange, toText } from '../scenario/values';
import { runPoint, share } from './run-points';
import type { SweepPlan } from './sweep-plan';

export interface RefitRow {
  readonly column: string;
  /** Bytes. */
  readonly size: number;
  /** MB/s, 10^6 bytes per second, as are the two below. */
  readonly measured: number;
  readonly use: 'fitted' | 'held out' | 'left out';
  /** Why it is left out; '' for others. */
  readonly because: string;
  /** With the constants as they were; null if there is no such run. */
  readonly before: number | null;
  readonly after: number | null;
}

export interface RefitConstant {
  /** "part.param" */
  readonly path: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly beforePs: number;
  readonly afterPs: number;
  /** The same as a scenario file writes them. */
  readonly before: string;
  readonly after: string;
  /** after / before - 1 */
  readonly change: number;
}

export interface Refit {
  readonly rows: readonly RefitRow[];
  readonly constants: readonly RefitConstant[];
  /** Constants chosen from these columns that act in steps, such as thresholds, and are kept: path and value. */
  readonly kept: readonly {
    readonly path: string;
    readonly title: string;
    readonly value: string;
  }[];
  readonly steps: number;
  readonly runs: number;
}

/** The machine that is fitted. */
export interface RefitInput {
  readonly scenario: Scenario;
  readonly machine: CompiledMachine;
  readonly variables: Assignment;
  readonly edits: Edits;
  readonly seed: number | undefined;
  readonly table: GttpTable;
}

interface Column {
  readonly name: GttpColumn;
  readonly title: string;
  readonly at: Assignment;
  readonly axis: string;
}

interface Constant {
  readonly path: string;
  readonly title: string;
  readonly type: string;
  readonly value: bigint;
  readonly columns: readonly GttpColumn[];
  readonly check: (value: bigint) => boolean;
}

interface Point {
  readonly column: Column;
  readonly size: number;
  readonly measured: number;
  use: RefitRow['use'];
  because: string;
}

/** Relative change of a constant by which its effect is measured: above the rounding of a poll, below a bend. */
const PROBE = 0.02;
/** The largest relative change of one step, and the one below which no further step is tried. */
const LARGEST_STEP = 0.5;
const SMALLEST_STEP = 0.005;
const MOST_STEPS = 12;
/** A step that lowers the sum of squares by less than this fraction is the last one. */
const WORTHWHILE = 1e-3;
const HELD_OUT = { every: 3, from: 1 };

/** The curves of the experiment whose published figures are columns of gttp. */
function columnsOf({ scenario, table }: RefitInput): Column[] {
  const { experiment } = scenario;
  return (experiment?.series ?? []).flatMap(({ figures, title, at }) => {
    const name = /^gt\.(\w+)\.\{(\w+)\}$/.exec(figures ?? '')?.[1] as GttpColumn | undefined;
    return name && experiment && table[name] ? [{ name, title, at, axis: experiment.x.name }] : [];
  });
}

/** Why a scenario cannot be fitted to a table; null if it can. */
function refitProblem(input: RefitInput): string | null {
  if (columnsOf(input).length === 0)
    return `"${input.scenario.title}" has no experiment that measures a column of this table.`;
  return constantsOf(input).fitted.length === 0
    ? 'No constant of this machine was chosen from these columns.'
    : null;
}

/** The constants that were chosen from columns of the table: those that a fit moves, and those that act in steps. */
function constantsOf(input: RefitInput) {
  const known = columnsOf(input).map(({ name }) => name);
  const fitted: Constant[] = [];
  const kept: Constant[] = [];
  for (const part of input.machine.parts) {
    const settings = input.scenario.machine.parts.find(({ name }) => name === part.name)?.params;
    for (const { spec, path, value, variable } of part.params) {
      const figures = settings?.get(spec.name)?.figures ?? spec.figures ?? [];
      const columns = known.filter((column) =>
        figures.some((id) => id.startsWith(`gt.${column}.`)),
      );
      if (variable || columns.length === 0) continue;
      const check = (given: bigint) => outOfRange(given, spec, part.type.enums) === null;
      const title = `${part.title}: ${spec.title}`;
      const constant = { path, title, type: spec.type, value, columns, check };
      (spec.type === 'time' && value > 0n ? fitted : kept).push(constant);
    }
  }
  return { fitted, kept };
}

function pointsOf({ scenario, table }: RefitInput, columns: readonly Column[]): Point[] {
  const missed = new Map(
    scenario.expect.flatMap(({ figure, missed: why }) => (figure && why ? [[figure, why]] : [])),
  );
  return columns.flatMap((column) => {
    let usable = 0;
    return (table[column.name] ?? []).map(({ size, value }): Point => {
      const because = missed.get(`gt.${column.name}.${size}`) ?? '';
      const point = { column, size, measured: value, because };
      if (because) return { ...point, use: 'left out' };
      const isHeld = usable++ % HELD_OUT.every === HELD_OUT.from;
      return { ...point, use: isHeld ? 'held out' : 'fitted' };
    });
  });
}

/** The metric of the experiment in gttp's unit. */
function throughputOf({ scenario, machine }: RefitInput): Measure | string {
  const name = scenario.experiment?.metrics.find(
    (one) => scenario.metrics.get(one)?.unit === 'MB/s',
  );
  return name
    ? readMeasure(scenario, machine.parts, name)
    : 'The experiment has no metric in MB/s.';
}

/** Runs rows with values of the constants, and each of them once. */
class Runs {
  readonly #values = new Map<string, number | null>();
  readonly #problems = new Map<string, string>();
  count = 0;

  constructor(
    private readonly engines: readonly Engine[],
    private readonly plan: SweepPlan,
    private readonly constants: readonly Constant[],
    private readonly onRun: (runs: number) => void,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** A constant changes only the columns from which it was chosen. */
  #at({ column, size }: Point, values: readonly bigint[]): Assignment {
    const edits = this.constants.flatMap(({ path, type, columns }, i) =>
      columns.includes(column.name) ? [[path, toText(values[i] ?? 0n, type, {})]] : [],
    );
    return { ...column.at, [column.axis]: size, ...Object.fromEntries(edits) };
  }

  problem = (point: Point, values: readonly bigint[]): string =>
    this.#problems.get(JSON.stringify(this.#at(point, values))) ?? '';

  /** Throughputs of rows in MB/s; null for a row without a run. */
  async of(points: readonly Point[], values: readonly bigint[]): Promise<(number | null)[]> {
    const ats = points.map((point) => this.#at(point, values));
    const keys = ats.map((at) => JSON.stringify(at));
    const fresh = ats.flatMap((at, i) => {
      const key = keys[i] ?? '';
      return this.#values.has(key) ? [] : [{ at, key }];
    });
    await share(this.engines, fresh, async (engine, { at, key }) => {
      if (this.signal?.aborted) return;
      const { values: found, problem } = await runPoint(engine, this.plan, { index: 0, at });
      this.#values.set(key, found[0] ?? null);
      this.#problems.set(key, problem || 'The run has no throughput.');
      this.onRun(++this.count);
    });
    return keys.map((key) => this.#values.get(key) ?? null);
  }
}

/** Relative errors, as logarithms: twice as fast weighs as much as half as fast. */
const errorsOf = (points: readonly Point[], found: readonly (number | null)[]): number[] =>
  points.map(({ measured }, i) => Math.log((found[i] ?? measured) / measured));

const squares = (errors: readonly number[]): number =>
  errors.reduce((sum, error) => sum + error * error, 0);

type Matrix = readonly (readonly number[])[];

/** The change of the constants that makes errors smallest if they answer as measured, within bounds. */
async function bestStep(errors: readonly number[], answers: Matrix, most: number) {
  const { levenbergMarquardt } = await import('ml-levenberg-marquardt');
  const x = errors.map((_, i) => i);
  const { parameterValues } = levenbergMarquardt(
    { x, y: errors.map((error) => -error) },
    (step) => (row) => step.reduce((sum, by, k) => sum + by * (answers[row]?.[k] ?? 0), 0),
    {
      initialValues: (answers[0] ?? []).map(() => 0),
      minValues: (answers[0] ?? []).map(() => -most),
      maxValues: (answers[0] ?? []).map(() => most),
      gradientDifference: 1e-3,
      damping: 1e-3,
      maxIterations: 100,
      errorTolerance: 1e-12,
    },
  );
  return parameterValues;
}

function movedConstant(
  { path, title, type, value, columns }: Constant,
  now: bigint,
  all: readonly Column[],
): RefitConstant {
  return {
    path,
    title,
    columns: all.flatMap((one) => (columns.includes(one.name) ? [one.title] : [])),
    beforePs: Number(value),
    afterPs: Number(now),
    before: toText(value, type, {}),
    after: toText(now, type, {}),
    change: Number(now) / Number(value) - 1,
  };
}

/**
 * Fits the constants to the table.
 * @param onRun - called with the number of runs so far
 * @throws {RangeError} if the scenario cannot be fitted, or too few rows have a run
 */
export async function refit(
  engines: readonly Engine[],
  input: RefitInput,
  onRun: (runs: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<Refit> {
  const problem = refitProblem(input);
  if (problem !== null) throw new RangeError(problem);
  const measure = throughputOf(input);
  if (typeof measure === 'string') throw new RangeError(measure);
  const { fitted: constants, kept } = constantsOf(input);
  const { scenario, variables, edits, seed } = input;
  const plan = { scenario, base: { variables, edits, seed }, axes: [], measures: [measure] };
  const runs = new Runs(engines, plan, constants, onRun, signal);
  const original = constants.map(({ value }) => value);
  const all = pointsOf(input, columnsOf(input));
  const before = await runs.of(all, original);
  all.forEach((point, i) => {
    if (before[i] !== null) return;
    point.use = 'left out';
    point.because = runs.problem(point, original);
  });
  const points = all.filter(({ use }) => use === 'fitted');
  if (points.length < constants.length)
    throw new RangeError(
      `${points.length} rows have a run and no known miss; ${constants.length} constants need as many.`,
    );

  const moved = (values: readonly bigint[], by: readonly number[]) =>
    values.map((value, k) => {
      const next = BigInt(Math.max(1, Math.round(Number(value) * (1 + (by[k] ?? 0)))));
      return constants[k]?.check(next) ? next : value;
    });
  /** How each error answers to a relative change of each constant. */
  async function answersAt(values: readonly bigint[], errors: readonly number[]): Promise<Matrix> {
    const answers = points.map(() => constants.map(() => 0));
    for (const [k, { columns }] of constants.entries()) {
      const acted = [...points.keys()].filter((i) =>
        columns.includes((points[i] as Point).column.name),
      );
      const probed = moved(
        values,
        constants.map((_, other) => (other === k ? PROBE : 0)),
      );
      const by = Number(probed[k]) / Number(values[k]) - 1;
      if (by === 0) continue;
      const chosen = acted.map((i) => points[i] as Point);
      const there = errorsOf(chosen, await runs.of(chosen, probed));
      acted.forEach((i, at) => {
        (answers[i] as number[])[k] = ((there[at] ?? 0) - (errors[i] ?? 0)) / by;
      });
    }
    return answers;
  }

  let values: readonly bigint[] = original;
  let errors = errorsOf(points, await runs.of(points, values));
  let [steps, most] = [0, LARGEST_STEP];
  let answers = await answersAt(values, errors);
  while (steps < MOST_STEPS && most >= SMALLEST_STEP && !signal?.aborted) {
    const tried = moved(values, await bestStep(errors, answers, most));
    const there = errorsOf(points, await runs.of(points, tried));
    const [now, then] = [squares(errors), squares(there)];
    if (then >= now) {
      most /= 4;
      continue;
    }
    steps++;
    [values, errors] = [tried, there];
    if (now - then < WORTHWHILE * now) break;
    answers = await answersAt(values, errors);
  }
  if (signal?.aborted) throw new RangeError('The fit was cancelled.');
  const after = await runs.of(all, values);
  return {
    rows: all.map(({ column, size, measured, use, because }, i) => {
      const [was, is] = [before[i] ?? null, after[i] ?? null];
      return { column: column.title, size, measured, use, because, before: was, after: is };
    }),
    constants: constants.map((one, k) =>
      movedConstant(one, values[k] ?? one.value, columnsOf(input)),
    ),
    kept: kept.map(({ path, title, type, value }) => ({
      path,
      title,
      value: toText(value, type, {}),
    })),
    steps,
    runs: runs.count,
  };
}

/** Mean error in per cent, without sign, of rows with a use; null if there are none. */
export function refitError(
  rows: readonly RefitRow[],
  use: RefitRow['use'],
  when: 'before' | 'after',
): number | null {
  const errors = rows.flatMap((row) => {
    const found = row[when];
    return row.use === use && found !== null ? [Math.abs(found / row.measured - 1) * 100] : [];
  });
  return errors.length > 0 ? errors.reduce((sum, error) => sum + error, 0) / errors.length : null;
}
