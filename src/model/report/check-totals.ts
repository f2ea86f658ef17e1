/** Totals of a check: rows by verdict, by role, and by when their tolerances were chosen. */

import { phenomenonOf } from '../published/published';
import type { Role, ToleranceSet } from '../scenario/scenario-types';
import type { CheckReport, CheckRow, Verdict } from './check-types';

export interface Tally {
  readonly rows: number;
  readonly passed: number;
  readonly missed: number;
  readonly failed: number;
}

export interface CheckTotals {
  readonly passed: number;
  readonly missed: number;
  readonly failed: number;
  /** Predictions whose tolerance was set before the first run. */
  readonly before: Tally;
  /** What the predictions show, each counted once; passed if all its rows are inside. */
  readonly phenomena: Tally;
  readonly roles: Readonly<Record<Role, Tally>>;
  /** Judged rows by when their tolerance was chosen. */
  readonly tolerances: Readonly<Record<ToleranceSet, number>>;
}

export const isJudged = (row: CheckRow): boolean => row.verdict !== 'shown';

/** Held-out and outside rows: figures from which no constant was chosen. */
export const isPrediction = ({ role }: CheckRow): boolean =>
  role === 'held-out' || role === 'outside';

export function tally(rows: readonly CheckRow[]): Tally {
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
  return {
    rows: rows.length,
    passed: count('passed'),
    missed: count('missed'),
    failed: count('failed'),
  };
}

/** Predictions by what they show. One row outside its tolerance is enough for a miss. */
export function phenomenaOf(rows: readonly CheckRow[]): Tally {
  const worst = new Map<string, CheckRow>();
  const order: readonly Verdict[] = ['shown', 'passed', 'missed', 'failed'];
  for (const row of rows.filter(isPrediction)) {
    const key = phenomenonOf(row.figure);
    const before = worst.get(key);
    if (!before || order.indexOf(row.verdict) > order.indexOf(before.verdict)) worst.set(key, row);
  }
  return tally([...worst.values()]);
}

export function totalsOf(reports: readonly CheckReport[]): CheckTotals {
  const rows = reports.flatMap((report) => report.rows);
  const judged = rows.filter(isJudged);
  const of = (role: Role) => tally(rows.filter((row) => row.role === role));
  const set = (when: ToleranceSet) => judged.filter((row) => row.tolerance_set === when).length;
  const unrunnable = reports.filter(
    (report) => report.problems.length > 0 && report.rows.length === 0,
  );
  const breaches = reports.reduce((sum, report) => sum + report.breaches.length, 0);
  const { passed, missed, failed } = tally(judged);
  return {
    passed,
    missed,
    failed: failed + unrunnable.length + breaches,
    before: tally(rows.filter((row) => isPrediction(row) && row.tolerance_set === 'before')),
    phenomena: phenomenaOf(rows),
    roles: {
      'held-out': of('held-out'),
      outside: of('outside'),
      calibrated: of('calibrated'),
      structural: of('structural'),
      context: of('context'),
    },
    tolerances: {
      before: set('before'),
      after: set('after'),
      published: set('published'),
      exact: set('exact'),
      unsaid: set('unsaid'),
    },
  };
}
