/**
 * Simulated against published: every row of `expect`, from runs. A row that was used to choose constants
 * is called calibrated and proves little; a held-out row was not looked at; a context row cannot fail.
 */
import type { Engine } from '../engine/api';
import type { Catalogue } from './catalogue';
import {
  type CrossingResult,
  findCrossing,
  metricValue,
  refineCrossing,
  stepOf,
} from './experiment';
import { type Problem, problem } from './problems';
import { figure, matches } from './published';
import { type FinishedRun, runAll } from './runs';
import type {
  Assignment,
  Axis,
  Crossing,
  Expectation,
  Quantity,
  Role,
  Scenario,
} from './scenarioTypes';

export interface CheckRow {
  /** Id of the published figure; a pattern for a statistic; '' for a value nobody published. */
  readonly figure: string;
  readonly title: string;
  readonly scenario: string;
  readonly kind: Quantity['kind'];
  readonly unit: string;
  readonly published: number | null;
  readonly simulated: number | null;
  readonly error_percent: number | null;
  readonly tolerance_percent: number | null;
  readonly role: Role;
  readonly pass: boolean;
  /** More about the value: where the curves themselves cross, or why there is none. */
  readonly detail: string;
  /** The run behind a single value, to be opened. */
  readonly at: Assignment | null;
}

export interface CheckReport {
  readonly scenario: string;
  readonly title: string;
  readonly system: string;
  readonly rows: readonly CheckRow[];
  readonly unexplained: Scenario['unexplained'];
  /** Why nothing could be run, if so; every row has then failed. */
  readonly problems: readonly Problem[];
  readonly runs: number;
}

/** Rounding of the engine's picoseconds must not decide a row with tolerance 0. */
const SLACK_PERCENT = 1e-9;

type RunAt = (at: Assignment) => FinishedRun | null;

interface Value {
  readonly value: number | null;
  readonly unit: string;
  readonly detail: string;
}

const keyOf = (at: Assignment) => JSON.stringify(Object.entries(at).sort());

function crossingAts(scenario: Scenario, crossing: Crossing): Assignment[] {
  const axis = scenario.experiment?.axes.find((one) => one.name === crossing.axis);
  return (axis?.values ?? []).flatMap((value) => [
    { ...crossing.more, [crossing.axis]: value },
    { ...crossing.than, [crossing.axis]: value },
  ]);
}

function atsOf(scenario: Scenario, { quantity }: Expectation): Assignment[] {
  switch (quantity.kind) {
    case 'value':
      return [quantity.at];
    case 'ratio':
      return [quantity.of, quantity.to];
    case 'crossing':
      return crossingAts(scenario, quantity.crossing);
    case 'statistic':
      return [];
  }
}

function metricAt(scenario: Scenario, runAt: RunAt, name: string, at: Assignment): number | null {
  const [metric, run] = [scenario.metrics.get(name), runAt(at)];
  return metric && run ? metricValue(metric, run.variables, run.counters) : null;
}

type CrossingQuantity = Extract<Quantity, { kind: 'crossing' }>;

/** Where two curves cross: on the values of the axis, and between them by further runs. */
interface Crossed extends CrossingResult {
  readonly axis: Axis;
  readonly exact: number | null;
}

async function crossed(
  scenario: Scenario,
  { crossing }: CrossingQuantity,
  runAt: RunAt,
  runMore: (ats: readonly Assignment[]) => Promise<(FinishedRun | null)[]>,
): Promise<Crossed | null> {
  const axis = scenario.experiment?.axes.find((one) => one.name === crossing.axis);
  const metric = scenario.metrics.get(crossing.metric);
  if (!axis || !metric) return null;
  const worth = (run: FinishedRun | null | undefined) =>
    run ? metricValue(metric, run.variables, run.counters) : null;
  const x = axis.values.map(Number);
  const side = (at: Assignment) => x.map((value) => worth(runAt({ ...at, [axis.name]: value })));
  const found = findCrossing(x, side(crossing.more), side(crossing.than));
  if (!found.between) return { ...found, axis, exact: null };
  const exact = await refineCrossing(found.between, stepOf(axis), async (value) => {
    const runs = await runMore([
      { ...crossing.more, [axis.name]: value },
      { ...crossing.than, [axis.name]: value },
    ]);
    const [more, than] = runs.map(worth);
    return typeof more === 'number' && typeof than === 'number' ? more - than : Number.NaN;
  });
  return { ...found, axis, exact };
}

function crossingValue({ report }: CrossingQuantity, found: Crossed | null | undefined): Value {
  const unit = found?.axis.unit ?? '';
  if (!found || found.grid === null)
    return { value: null, unit, detail: 'The curves do not cross.' };
  const detail =
    found.exact === null
      ? `From the first ${found.axis.title} on.`
      : `Between the values of the table it is ${`${found.exact} ${unit}`.trim()}.`;
  return { value: report === 'grid' ? found.grid : found.exact, unit, detail };
}

function measured(
  scenario: Scenario,
  runAt: RunAt,
  quantity: Quantity,
  crossing: Crossed | null | undefined,
): Value {
  if (quantity.kind === 'statistic') return { value: null, unit: '%', detail: '' };
  if (quantity.kind === 'crossing') return crossingValue(quantity, crossing);
  const { metric } = quantity;
  if (quantity.kind === 'value') {
    const value = metricAt(scenario, runAt, metric, quantity.at);
    const detail = value === null ? 'The run gave no value.' : '';
    return { value, unit: scenario.metrics.get(metric)?.unit ?? '', detail };
  }
  const [of, to] = [quantity.of, quantity.to].map((at) => metricAt(scenario, runAt, metric, at));
  const value = typeof of === 'number' && typeof to === 'number' ? of / to : null;
  return { value, unit: 'x', detail: '' };
}

const passes = (error: number | null, tolerance: number | null, role: Role): boolean =>
  role === 'context' ||
  (error !== null && tolerance !== null && Math.abs(error) <= tolerance + SLACK_PERCENT);

function checkRow(
  scenario: Scenario,
  runAt: RunAt,
  expectation: Expectation,
  crossing: Crossed | null | undefined,
): CheckRow {
  const { quantity, role, tolerance, title } = expectation;
  const { value, unit, detail } = measured(scenario, runAt, quantity, crossing);
  const published = expectation.figure === null ? undefined : figure(expectation.figure);
  const error = published && value !== null ? (value / published.value - 1) * 100 : null;
  return {
    figure: expectation.figure ?? '',
    title,
    scenario: scenario.id,
    kind: quantity.kind,
    unit: published?.unit ?? unit,
    published: published?.value ?? null,
    simulated: value,
    error_percent: error,
    tolerance_percent: tolerance,
    role,
    pass: passes(error, tolerance, role),
    detail,
    at: quantity.kind === 'value' ? quantity.at : null,
  };
}

/** A statistic over the errors of other rows; what it is compared with is no error at all. */
function statisticRow(
  scenario: Scenario,
  expectation: Expectation,
  quantity: Extract<Quantity, { kind: 'statistic' }>,
  rows: readonly CheckRow[],
): CheckRow {
  const { group, statistic, over } = quantity;
  const members = rows.filter(
    (row) =>
      row.figure && matches(group, row.figure) && (over === 'all' || row.role === 'held-out'),
  );
  const errors = members.map((row) => row.error_percent);
  const known = errors.filter((error) => error !== null).map(Math.abs);
  const complete = known.length > 0 && known.length === errors.length;
  const value =
    statistic === 'worst-abs-error'
      ? Math.max(...known)
      : known.reduce((sum, error) => sum + error, 0) / known.length;
  const worst = members.find((row) => Math.abs(row.error_percent ?? 0) === Math.max(...known));
  const { role, tolerance, title } = expectation;
  const result = complete ? value : null;
  return {
    figure: group,
    title,
    scenario: scenario.id,
    kind: 'statistic',
    unit: '%',
    published: 0,
    simulated: result,
    error_percent: result,
    tolerance_percent: tolerance,
    role,
    pass: passes(result, tolerance, role),
    detail: `${known.length} rows, worst ${worst?.title ?? 'unknown'}`,
    at: null,
  };
}

/** Runs what a scenario's expectations need, and compares. */
export async function checkScenario(
  engine: Engine,
  scenario: Scenario,
  onProgress: (done: number, total: number) => void = () => {},
  catalogue?: Catalogue,
): Promise<CheckReport> {
  const ats = scenario.expect.flatMap((row) => atsOf(scenario, row));
  const runs = new Map<string, FinishedRun | null>();
  const crossings = new Map<Expectation, Crossed | null>();
  const runAt: RunAt = (at) => runs.get(keyOf(at)) ?? null;
  let problems: readonly Problem[] = [];
  try {
    const finished = await runAll(engine, scenario, ats, { onProgress, catalogue });
    if (finished.ok)
      for (const [i, at] of ats.entries()) runs.set(keyOf(at), finished.value[i] ?? null);
    else problems = finished.problems;
    for (const row of finished.ok ? scenario.expect : []) {
      if (row.quantity.kind !== 'crossing') continue;
      const more = async (wanted: readonly Assignment[]) => {
        const result = await runAll(engine, scenario, wanted, { catalogue });
        return result.ok ? result.value : [];
      };
      crossings.set(row, await crossed(scenario, row.quantity, runAt, more));
    }
  } catch (error) {
    problems = [problem(error instanceof Error ? error.message : String(error), '', scenario.id)];
  }
  const rows = scenario.expect.map((row) => checkRow(scenario, runAt, row, crossings.get(row)));
  const complete = scenario.expect.map((row, i): CheckRow => {
    const { quantity } = row;
    const own = rows[i] as CheckRow;
    return quantity.kind === 'statistic' ? statisticRow(scenario, row, quantity, rows) : own;
  });
  return {
    scenario: scenario.id,
    title: scenario.title,
    system: scenario.system,
    rows: complete,
    unexplained: scenario.unexplained,
    problems,
    runs: runs.size,
  };
}

export interface CheckTotals {
  readonly passed: number;
  readonly failed: number;
  readonly calibrated: number;
  readonly heldOut: number;
  readonly context: number;
}

/** Context rows count neither as passed nor as failed. */
export function totalsOf(reports: readonly CheckReport[]): CheckTotals {
  const rows = reports.flatMap((report) => report.rows);
  const judged = rows.filter((row) => row.role !== 'context');
  const count = (role: Role) => rows.filter((row) => row.role === role).length;
  const unrunnable = reports.filter(
    (report) => report.problems.length > 0 && report.rows.length === 0,
  );
  return {
    passed: judged.filter((row) => row.pass).length,
    failed: judged.filter((row) => !row.pass).length + unrunnable.length,
    calibrated: count('calibrated'),
    heldOut: count('held-out'),
    context: count('context'),
  };
}
