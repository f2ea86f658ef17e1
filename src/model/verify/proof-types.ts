/** State of an exploration, during and after its run. */
import type { Explored } from '../../engine/explore';

/** Progress when all states at a distance had been reached. */
interface Growth {
  readonly distance: number;
  readonly states: number;
  readonly waiting: number;
}

export interface DefectTrial {
  readonly status: 'waiting' | 'running' | 'done' | 'stopped' | 'failed';
  readonly found: Explored | null;
  readonly growth: readonly Growth[];
  /** Error message, if it failed. */
  readonly problem: string | null;
}

export interface ProofRunnerState {
  readonly trials: Readonly<Record<string, DefectTrial>>;
  /** Name of the running task, or of the last one. */
  readonly current: string | null;
  readonly running: boolean;
}
