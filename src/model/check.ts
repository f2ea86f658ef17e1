/**
 * Simulated against published: every row of `expect`, from runs. A row that was used to choose constants
 * is called calibrated and proves little; a held-out row was not looked at; a context row cannot fail.
 */
import type { Engine } from '../engine/api';
import type { Catalogue } from './catalogue';
import { findCrossing, metricValue } from './experiment';
import { type Problem, problem } from './problems';
import { figure, matches } from './published';
import { type FinishedRun, runAll } from './runs';
import type { Assignment, Crossing, Expectation, Quantity, Role, Scenario } from './scenarioTypes';

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

function crossingValue(
  scenario: Scenario,
  runAt: RunAt,
  quantity: Extract<Quantity, { kind: 'crossing' }>,
): Value {
  const { crossing, report } = quantity;
  const axis = scenario.experiment?.axes.find((one) => one.name === crossing.axis);
  const x = axis?.values.map(Number) ?? [];
  const side = (at: Assignment) =>
    x.map((value) => metricAt(scenario, runAt, crossing.metric, { ...at, [crossing.axis]: value }));
  const found = findCrossing(x, side(crossing.more), side(crossing.than));
  const exact = found.crossing === null ? null : Math.round(found.crossing);
  const detail =
    exact === null
      ? 'The curves do not cross.'
      : `The curves cross at ${exact} ${axis?.unit ?? ''}`;
  return {
    value: report === 'grid' ? found.grid : exact,
    unit: axis?.unit ?? '',
    detail: detail.trim(),
  };
}

function valueOfQuantity(scenario: Scenario, runAt: RunAt, quantity: Quantity): Value {
  if (quantity.kind === 'statistic') return { value: null, unit: '%', detail: '' };
  if (quantity.kind === 'crossing') return crossingValue(scenario, runAt, quantity);
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

function checkRow(scenario: Scenario, runAt: RunAt, expectation: Expectation): CheckRow {
  const { quantity, role, tolerance, title } = expectation;
  const { value, unit, detail } = valueOfQuantity(scenario, runAt, quantity);
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
  let problems: readonly Problem[] = [];
  try {
    const finished = await runAll(engine, scenario, ats, { onProgress, catalogue });
    if (finished.ok)
      for (const [i, at] of ats.entries()) runs.set(keyOf(at), finished.value[i] ?? null);
    else problems = finished.problems;
  } catch (error) {
    problems = [problem(error instanceof Error ? error.message : String(error), '', scenario.id)];
  }
  const runAt: RunAt = (at) => runs.get(keyOf(at)) ?? null;
  const rows = scenario.expect.map((row) => checkRow(scenario, runAt, row));
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
