/** What a check of a scenario reports: rows, each with its verdict. */
import type { Problem } from '../scenario/problems';
import type {
  Assignment,
  Quantity,
  Role,
  Scenario,
  ToleranceSet,
} from '../scenario/scenario-types';

export interface CheckReport {
  readonly scenario: string;
  readonly title: string;
  readonly system: string;
  readonly rows: readonly CheckRow[];
  readonly beyondThird: Scenario['beyondThird'];
  /** How labels break the rule of a third; each counts as a failure. */
  readonly breaches: readonly string[];
  readonly unexplained: Scenario['unexplained'];
  /** Why nothing could be run, if so; every row has then failed. */
  readonly problems: readonly Problem[];
  readonly runs: number;
}

/**
 * Passed: inside its tolerance. Missed: outside, and its scenario says so and why. Failed: any other, also a row
 * that is said to miss and does not. Shown: for context, without a judgement.
 */
export type Verdict = 'passed' | 'missed' | 'failed' | 'shown';

export interface CheckRow {
  /** Id of the published figure; a pattern for a statistic; '' for an unpublished value. */
  readonly figure: string;
  readonly title: string;
  readonly scenario: string;
  readonly kind: Quantity['kind'];
  readonly unit: string;
  readonly published: number | null;
  readonly simulated: number | null;
  readonly error_percent: number | null;
  readonly tolerance_percent: number | null;
  readonly tolerance_set: ToleranceSet;
  readonly role: Role;
  readonly verdict: Verdict;
  /** Why a structural row predicts nothing, or why a row misses. */
  readonly because: string;
  readonly missed: string;
  /** Seeds that the value is the mean of, and its least and greatest. */
  readonly seeds: number;
  readonly lowest: number | null;
  readonly highest: number | null;
  /** More about the value: where the curves themselves cross, or why there is none. */
  readonly detail: string;
  /** The run behind a single value, to be opened. */
  readonly at: Assignment | null;
}
