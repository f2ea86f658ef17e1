/** The run that decides a question, completely recorded. */
import type { CompiledMachine } from '../scenario/compiled';

/** Finds the first event of a run after which a condition holds to its end. */
type Find = (
  holds: (counters: ArrayLike<number>) => boolean,
) => Promise<{ readonly timePs: number } | null>;

export interface RunOfQuestion {
  readonly machine: CompiledMachine;
  readonly counters: ArrayLike<number>;
  readonly endPs: number;
  readonly find: Find;
}
