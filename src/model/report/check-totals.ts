/** Totals of a check: rows by verdict, by role, and by when their tolerances were chosen. */

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
