/**
 * Distributes a sweep over several engines, each in its own worker: an idle worker takes the next few runs. The
 * batches shrink towards the end, so that one long run does not delay the rest of its batch.
 */
import type { SweepJob, SweepResult, Sweeps } from './api';

/** The remaining runs are divided into this many batches per engine. */
const SHARES = 4;

export class SweepPool implements Sweeps {
  readonly #create: () => Sweeps;
  readonly #most: number;
  readonly #engines: Sweeps[] = [];
  /** Number of the newest sweep. */
  #newest = 0;

  /** @param most maximum number of engines; they are created on demand */
  constructor(create: () => Sweeps, most: number) {
    this.#create = create;
    this.#most = Math.max(1, most);
  }

  #take(engines: number): readonly Sweeps[] {
    const count = Math.min(engines, this.#most);
    while (this.#engines.length < count) this.#engines.push(this.#create());
    return this.#engines.slice(0, count);
  }

  /** @throws {EngineError} if a session is refused; this ends the sweep */
  async sweep(
    job: SweepJob,
    onResult: (result: SweepResult) => void,
  ): Promise<'done' | 'cancelled'> {
    this.cancel();
    const sweep = this.#newest;
    const { sessions } = job;
    const engines = this.#take(sessions.length);
    let next = 0;
    const work = async (engine: Sweeps) => {
      while (next < sessions.length && this.#newest === sweep) {
        const first = next;
        next += Math.ceil((sessions.length - first) / (engines.length * SHARES));
        const share = { ...job, sessions: sessions.slice(first, next) };
        await engine.sweep(share, (result) => {
          if (this.#newest === sweep) onResult({ ...result, index: first + result.index });
        });
      }
    };
    try {
      await Promise.all(engines.map(work));
    } catch (error) {
      if (this.#newest === sweep) this.cancel();
      throw error;
    }
    return this.#newest === sweep ? 'done' : 'cancelled';
  }

  cancel(): void {
    this.#newest++;
    for (const engine of this.#engines) engine.cancel();
  }

  dispose(): void {
    this.#newest++;
    for (const engine of this.#engines.splice(0)) engine.dispose();
  }
}
