/** The report of a scenario's check. */
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
  /** Violations of the rule of a third; each counts as a failure. */
  readonly breaches: readonly string[];
  readonly unexplained: Scenario['unexplained'];
  /** Why the scenario could not be run; every row has then failed. */
  readonly problems: readonly Problem[];
  readonly runs: number;
}

/**
 * Passed: inside its tolerance. Missed: outside, with a reason in the scenario. Failed: everything else, including
 * a row marked as missed that is inside. Shown: a context row.
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
  /** Number of seeds averaged, and the smallest and largest value. */
  readonly seeds: number;
  readonly lowest: number | null;
  readonly highest: number | null;
  /** Additional information: the refined crossing, or why there is no value. */
  readonly detail: string;
  /** The run behind a single value. */
  readonly at: Assignment | null;
}
