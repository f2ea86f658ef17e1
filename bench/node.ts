/** Measurements in this process, each a few hundred milliseconds; the caller repeats and interleaves them. */

import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { EXPLORE, MEASURE, type SessionOptions, SessionRunner } from '../src/engine/session';
import { curves, long, methods, type Work } from './workload';

const code = await inlineCode();
const core = new Core(code);

export { curves, long, methods };

function timed(work: readonly Work[], options: SessionOptions) {
  let [events, ms] = [0, 0];
  for (const session of work) {
    const runner = new SessionRunner(core, session, options);
    const start = performance.now();
    events += runner.run({ untilPs: session.untilPs }).events;
    ms += performance.now() - start;
  }
  return { events, ms };
}

/** Events and milliseconds of some runs, the trace off or on, or with keyframes and samples as well. */
export const run = (work: readonly Work[]) => timed(work, MEASURE);
export const runRecorded = (work: readonly Work[]) => timed(work, { ...MEASURE, record: true });
export const runExplored = (work: readonly Work[]) => timed(work, EXPLORE);

/** Milliseconds to compile the sessions of all points. */
export function compileCurves(): number {
  const start = performance.now();
  curves();
  return performance.now() - start;
}

/** Size of a snapshot, and microseconds to take one and to put it back. */
export function snapshots(work: Work) {
  const { core: at } = new SessionRunner(core, work, MEASURE);
  at.run(Number.POSITIVE_INFINITY, 100_000);
  const slots = Array.from({ length: 16 }, () => new Uint8Array(at.stateBytes));
  for (const slot of slots) at.snapshot(slot);
  const each = (act: (slot: Uint8Array) => void) => {
    const start = performance.now();
    for (let i = 0; i < 64; i++) act(slots[i % 16] as Uint8Array);
    return ((performance.now() - start) / 64) * 1000;
  };
  return {
    bytes: at.stateBytes,
    takeUs: each((slot) => at.snapshot(slot)),
    restoreUs: each((slot) => at.restore(slot)),
  };
}

/** The kernel of limit.c in this process: milliseconds for so many events. */
export async function limit(bytes: Uint8Array<ArrayBuffer>, events: number): Promise<number> {
  const { instance } = await WebAssembly.instantiate(bytes);
  const kernel = instance.exports.limit as (events: number, trace: number) => number;
  kernel(events / 10, 0);
  const start = performance.now();
  kernel(events, 0);
  return performance.now() - start;
}
