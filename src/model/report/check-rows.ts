/** Rows of a check: simulated value, deviation from the published one, and labels. */

import { figure, matches } from '../published/published';
import { type CrossingResult, metricValue } from '../scenario/experiment';
import type { Assignment, Axis, Expectation, Quantity, Scenario } from '../scenario/scenario-types';
import type { CheckRow, Verdict } from './check-types';
import type { FinishedRun } from './run-all';

/** Rounding to picoseconds must not fail a row with tolerance 0. */
const SLACK_PERCENT = 1e-9;

/** A finished run at a point, with the scenario's own seed or another. */
export type RunAt = (at: Assignment, seed?: number) => FinishedRun | null;

interface Value {
  readonly value: number | null;
  readonly unit: string;
  readonly detail: string;
  readonly range?: readonly [number, number];
}

/** Seeds of a row: the scenario's own, or 1 to n. */
export const seedsOf = ({ seeds }: Expectation): (number | undefined)[] =>
  seeds === 1 ? [undefined] : Array.from({ length: seeds }, (_, i) => i + 1);

function metricAt(
  scenario: Scenario,
  runAt: RunAt,
  name: string,
  at: Assignment,
  seed: number | undefined,
): number | null {
  const [metric, run] = [scenario.metrics.get(name), runAt(at, seed)];
  return metric && run ? metricValue(metric, run.variables, run.counters) : null;
}

export type CrossingQuantity = Extract<Quantity, { kind: 'crossing' }>;

/** A crossing: on the axis values, and refined by additional runs. */
export interface Crossed extends CrossingResult {
  readonly axis: Axis;
  readonly exact: number | null;
}

function crossingValue({ report }: CrossingQuantity, found: Crossed | null | undefined): Value {
  const unit = found?.axis.unit ?? '';
  if (!found || found.grid === null)
    return { value: null, unit, detail: 'The curves do not cross.' };
  const detail =
    found.exact === null
      ? `From the first ${found.axis.title} on.`
      : `Between the values of the table: ${`${found.exact} ${unit}`.trim()}.`;
  return { value: report === 'grid' ? found.grid : found.exact, unit, detail };
}

type RunQuantity = Extract<Quantity, { kind: 'value' | 'ratio' | 'difference' }>;

/** The value of one run, or the ratio of two. */
function runValue(
  scenario: Scenario,
  runAt: RunAt,
  quantity: RunQuantity,
  seed: number | undefined,
): number | null {
  const of = (at: Assignment, metric = quantity.metric) =>
    metricAt(scenario, runAt, metric, at, seed);
  if (quantity.kind === 'value') return of(quantity.at);
  const [one, other] = [of(quantity.of), of(quantity.to)];
  if (one === null || other === null) return null;
  if (quantity.kind === 'ratio') return one / other;
  const parts = quantity.per === null ? 1 : of(quantity.of, quantity.per);
  return parts === null ? null : (one - other) / parts;
}

function measured(
  scenario: Scenario,
  runAt: RunAt,
  expectation: Expectation,
  crossing: Crossed | null | undefined,
): Value {
  const { quantity } = expectation;
  if (quantity.kind === 'statistic') return { value: null, unit: '%', detail: '' };
  if (quantity.kind === 'crossing') return crossingValue(quantity, crossing);
  const unit =
    quantity.kind === 'ratio' ? 'x' : (scenario.metrics.get(quantity.metric)?.unit ?? '');
  const values = seedsOf(expectation).map((seed) => runValue(scenario, runAt, quantity, seed));
  const known = values.filter((value) => value !== null);
  if (known.length < values.length) return { value: null, unit, detail: 'The run gave no value.' };
  const value = known.reduce((sum, one) => sum + one, 0) / known.length;
  return { value, unit, detail: '', range: [Math.min(...known), Math.max(...known)] };
}

const isInside = (error: number | null, tolerance: number | null): boolean =>
  error !== null && tolerance !== null && Math.abs(error) <= tolerance + SLACK_PERCENT;

/** A row marked as missed must miss; otherwise its mark is out of date. */
function verdictOf(
  value: number | null,
  inside: boolean,
  { role, missed }: Pick<Expectation, 'role' | 'missed'>,
): Verdict {
  if (role === 'context') return 'shown';
  if (missed === '') return inside ? 'passed' : 'failed';
  return inside || value === null ? 'failed' : 'missed';
}

/** The fields of a row that come from its expectation and its error. */
function labelled(
  scenario: Scenario,
  expectation: Expectation,
  error: number | null,
  verdict = verdictOf(error, isInside(error, expectation.tolerance), expectation),
) {
  const { role, tolerance, toleranceSet, because, missed, seeds, title } = expectation;
  return {
    title,
    scenario: scenario.id,
    error_percent: error,
    tolerance_percent: tolerance,
    tolerance_set: toleranceSet,
    role,
    verdict,
    because,
    missed,
    seeds,
  };
}

export function checkRow(
  scenario: Scenario,
  runAt: RunAt,
  expectation: Expectation,
  crossing: Crossed | null | undefined,
): CheckRow {
  const { quantity, tolerance } = expectation;
  const { value, unit, detail, range } = measured(scenario, runAt, expectation, crossing);
  const published = expectation.figure === null ? undefined : figure(expectation.figure);
  const apart = published && value !== null ? (value / published.value - 1) * 100 : null;
  // A bound has no error, however far the value is on the right side.
  const error = published?.side ? null : apart;
  const inside = published?.side === 'below' ? (apart ?? 0) < 0 : isInside(error, tolerance);
  return {
    ...labelled(scenario, expectation, error, verdictOf(value, inside, expectation)),
    figure: expectation.figure ?? '',
    kind: quantity.kind,
    unit: published?.unit ?? unit,
    published: published?.value ?? null,
    simulated: value,
    lowest: range?.[0] ?? null,
    highest: range?.[1] ?? null,
    detail,
    at: quantity.kind === 'value' ? quantity.at : null,
  };
}

/** A row with a statistic over the errors of other rows; the statistic itself has no error. */
export function statisticRow(
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
  const result = complete ? value : null;
  return {
    ...labelled(scenario, expectation, result),
    figure: group,
    kind: 'statistic',
    unit: '%',
    published: 0,
    simulated: result,
    lowest: null,
    highest: null,
    detail: `${known.length} rows, worst ${worst?.title ?? 'unknown'}`,
    at: null,
  };
}
