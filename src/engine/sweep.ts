/**
 * Runs many short sessions one after another on one core, which is reused. Only the final state of each is
 * needed: no keyframes, no samples, no trace.
 */
import type { RunLimit, StopReason, SweepJob, SweepResult } from './api';
import { Core } from './core';
import type { EngineCode } from './engine-code';
import { Slices, STEP_EVENTS } from './run-slices';
import { MEASURE, SessionRunner } from './session';

/** Advances a run by one step; null while it is not finished. */
function advance(runner: SessionRunner, limit: RunLimit): StopReason | null {
  try {
    return runner.advance(limit, STEP_EVENTS);
  } catch (error) {
    if (!runner.core.dead) throw error;
    return 'trap';
  }
}

export class Sweeper {
  readonly #code: EngineCode;
  #core: Core | null = null;
  /** Number of the newest sweep; an older one stops after its next pause. */
  #newest = 0;

  constructor(code: EngineCode) {
    this.#code = code;
  }

  /**
   * Results arrive in order, all of a slice at once. A run that traps does not end the sweep.
   * @throws {EngineError} if a session is refused
   */
  async run(
    job: SweepJob,
    onResults: (results: readonly SweepResult[]) => void,
  ): Promise<'done' | 'cancelled'> {
    const sweep = ++this.#newest;
    const slices = new Slices();
    let batch: SweepResult[] = [];
    const flush = () => {
      if (batch.length > 0) onResults(batch);
      batch = [];
    };
    for (const [index, session] of job.sessions.entries()) {
      const started = performance.now();
      const runner = new SessionRunner(this.#liveCore(), session, MEASURE);
      let reason: StopReason | null = null;
      while (reason === null) {
        reason = advance(runner, job.limit);
        if (reason !== null) {
          const hash = job.hash && reason !== 'trap' ? runner.core.hash() : null;
          const wallMs = performance.now() - started;
          const counters = runner.counters();
          batch.push({ ...runner.position, index, hash, reason, counters, wallMs });
        }
        if (!slices.isOver) continue;
        flush();
        await slices.pause();
        if (this.#newest !== sweep) return 'cancelled';
      }
    }
    flush();
    return 'done';
  }

  /** The core of the last run, or a new one if that trapped. */
  #liveCore(): Core {
    if (!this.#core || this.#core.dead) this.#core = new Core(this.#code);
    return this.#core;
  }

  cancel(): void {
    this.#newest++;
  }
}
