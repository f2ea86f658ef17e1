/** What is known of an exploration while it runs and when it has ended. */
import type { Explored } from '../../engine/explore';

/** How far exploration was when all states at a distance had been reached. */
interface Growth {
  readonly distance: number;
  readonly states: number;
  readonly waiting: number;
}

export interface DefectTrial {
  readonly status: 'waiting' | 'running' | 'done' | 'stopped' | 'failed';
  readonly found: Explored | null;
  readonly growth: readonly Growth[];
  /** A sentence, when it failed. */
  readonly problem: string | null;
}

export interface ProofRunnerState {
  readonly trials: Readonly<Record<string, DefectTrial>>;
  /** Name of the task that runs, or ran last. */
  readonly current: string | null;
  readonly running: boolean;
}
