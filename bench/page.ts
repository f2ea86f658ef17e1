/** Measurements in a page: everything goes through workers and messages, as in the product. */
import { startWorker } from '../src/base/startWorker';
import type { RunLimit, SessionSpec, SweepJob, Sweeps } from '../src/engine/api';
import { createSweepWorkers, createWorkerEngine } from '../src/engine/workers';
import spinUrl from './spin-worker.ts?worker&url';

/** A session on its way into the page: bytes as plain numbers. */
export interface Sent {
  readonly config: readonly number[];
  readonly untilPs: number;
}

const sessionOf = ({ config }: Sent): SessionSpec => ({
  config: Uint8Array.from(config),
  commands: [],
});
const jobOf = (work: readonly Sent[]): SweepJob => ({
  sessions: work.map(sessionOf),
  limit: { untilPs: Math.max(...work.map(({ untilPs }) => untilPs)) },
});

const engine = createWorkerEngine();
const pools = new Map<number, Sweeps>();

function pool(workers: number): Sweeps {
  const found = pools.get(workers) ?? createSweepWorkers(workers);
  pools.set(workers, found);
  return found;
}

/** Events, and milliseconds as the worker counts them. */
export async function run(work: readonly Sent[]) {
  let [events, ms] = [0, 0];
  await engine.sweep(jobOf(work), (result) => {
    events += result.events;
    ms += result.wallMs;
  });
  return { events, ms };
}

/** Milliseconds from asking for a sweep to its last result. */
export async function sweep(work: readonly Sent[], workers: number): Promise<number> {
  const job = jobOf(work);
  const start = performance.now();
  await pool(workers).sweep(job, () => undefined);
  return performance.now() - start;
}

const spinners: Worker[] = [];

/** Milliseconds of a pure spin, shared among workers. */
export async function spin(steps: number, workers: number): Promise<number> {
  while (spinners.length < workers) spinners.push(startWorker(spinUrl, 'spin'));
  const start = performance.now();
  await Promise.all(
    spinners.slice(0, workers).map((worker) => {
      const done = new Promise((resolve) => {
        worker.onmessage = resolve;
      });
      worker.postMessage(steps / workers);
      return done;
    }),
  );
  return performance.now() - start;
}

/** Milliseconds from a new sweep to the end of the one it replaces. */
export async function overtake(work: readonly Sent[], workers: number): Promise<number> {
  const job = jobOf(work);
  const first = pool(workers).sweep(job, () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const start = performance.now();
  const second = pool(workers).sweep(
    { ...job, sessions: job.sessions.slice(0, 1) },
    () => undefined,
  );
  await first;
  const ms = performance.now() - start;
  await second;
  return ms;
}

/** Opens a session and runs it; milliseconds of the run. */
export async function explore(
  work: Sent,
  limit: RunLimit,
): Promise<{ events: number; ms: number }> {
  await engine.open(sessionOf(work));
  const start = performance.now();
  const { events } = await engine.run(limit);
  return { events, ms: performance.now() - start };
}

/** Milliseconds of a seek to each of the points, with a frame of all counters at the end of it. */
export async function seeks(points: readonly number[]): Promise<number[]> {
  const times: number[] = [];
  for (const point of points) {
    const start = performance.now();
    await engine.seekEvents(point);
    engine.release(await engine.frame({ views: [] }));
    times.push(performance.now() - start);
  }
  return times;
}

/** The kernel of limit.c in this page: milliseconds for so many events. */
export async function limit(bytes: readonly number[], events: number): Promise<number> {
  const { instance } = await WebAssembly.instantiate(Uint8Array.from(bytes));
  const kernel = instance.exports.limit as (events: number, trace: number) => number;
  kernel(events / 10, 0);
  const start = performance.now();
  kernel(events, 0);
  return performance.now() - start;
}
