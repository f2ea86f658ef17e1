/**
 * Distributes a sweep over several engines, each in its own worker: an idle worker takes the next few runs, the
 * longest first. The batches shrink towards the end, so that no worker is left with a long rest.
 */
import type { SweepJob, SweepResult, Sweeps } from './api';

/** The remaining work is divided into this many batches per engine. */
const SHARES = 4;

/** Batches of a job, the longest runs first. */
class Batches {
  readonly #lengths: readonly number[];
  /** Indices of the runs in the order in which they are taken. */
  readonly #order: readonly number[];
  readonly #parts: number;
  #rest: number;
  #next = 0;

  constructor({ sessions, lengths }: SweepJob, engines: number) {
    const all = lengths ?? sessions.map(() => 1);
    const length = (index: number) => all[index] ?? 1;
    this.#lengths = all;
    this.#order = [...sessions.keys()].sort((a, b) => length(b) - length(a) || a - b);
    this.#parts = engines * SHARES;
    this.#rest = this.#order.reduce((sum, index) => sum + length(index), 0);
  }

  /** Indices of the next batch; empty at the end. */
  take(): readonly number[] {
    const first = this.#next;
    const share = this.#rest / this.#parts;
    let taken = 0;
    while (this.#next < this.#order.length && (taken === 0 || taken < share)) {
      taken += this.#lengths[this.#order[this.#next] ?? 0] ?? 1;
      this.#next++;
    }
    this.#rest -= taken;
    return this.#order.slice(first, this.#next);
  }
}

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

  prepare(): void {
    for (const engine of this.#take(this.#most)) engine.prepare?.();
  }

  /** @throws {EngineError} if a session is refused; this ends the sweep */
  async sweep(
    job: SweepJob,
    onResult: (result: SweepResult) => void,
  ): Promise<'done' | 'cancelled'> {
    this.cancel();
    const sweep = this.#newest;
    const { lengths: _, ...common } = job;
    const engines = this.#take(job.sessions.length);
    const batches = new Batches(job, engines.length);
    const work = async (engine: Sweeps) => {
      while (this.#newest === sweep) {
        const batch = batches.take();
        if (batch.length === 0) return;
        const sessions = batch.flatMap((index) => job.sessions[index] ?? []);
        await engine.sweep({ ...common, sessions }, (result) => {
          const index = batch[result.index];
          if (this.#newest === sweep && index !== undefined) onResult({ ...result, index });
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
