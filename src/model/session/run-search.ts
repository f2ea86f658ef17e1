/**
 * Search over a whole run whose records are too many to keep: the run is repeated on an engine of its own, and
 * each stretch of records is tested and dropped. Only where the hits are is kept.
 */
import type { Engine, SessionSpec, TraceChunk } from '../../engine/api';
import type { WorkerPort } from '../../engine/client';
import { type Failure, fromFailure, type Port, toFailure } from '../../engine/worker-protocol';
import { eventTest } from '../trace/event-search';
import type { TracedMachine } from '../trace/event-text';
import type { Term } from '../trace/terms';
import { createTrace } from '../trace/trace';
import { isKindListed, type Listed } from './recorder';

export interface RunSearchJob {
  readonly machine: TracedMachine;
  readonly session: SessionSpec;
  /** Events up to which the run is recorded: the search ends there. */
  readonly endEvents: number;
  readonly listed: Listed;
  readonly words: string;
  readonly terms: readonly Term[];
}

/** Where hits are, in order of the run. */
export interface Hits {
  readonly seqs: readonly number[];
  readonly timesPs: readonly number[];
  readonly parts: readonly number[];
}

/** How far a search has come. */
export interface SearchProgress {
  /** Hits since the last report. */
  readonly hits: Hits;
  /** Hits so far, including those that are not kept. */
  readonly count: number;
  readonly events: number;
  readonly timePs: number;
}

const noHits = () => ({
  seqs: [] as number[],
  timesPs: [] as number[],
  parts: [] as number[],
});

/** Hits kept: 2.4 MB of numbers, more than a user visits one by one. */
export const MAX_HITS = 100_000;

/** Events run between two looks at the trace, whose ring holds more than they write. */
const EVENTS_AT_ONCE = 4096;
const RECORDS_AT_ONCE = 16_384;

/** Time between two reports: ten a second are enough for a progress bar. */
const REPORT_MS = 100;

/** All records that an engine has written after one, in stretches that its ring holds. */
async function* recordsFrom(engine: Engine, fromSeq: number): AsyncGenerator<TraceChunk> {
  for (let next = fromSeq; ; ) {
    const frame = await engine.frame({
      views: [],
      trace: { fromSeq: next, max: RECORDS_AT_ONCE },
    });
    const { trace, seq } = frame;
    if (!trace || trace.length === 0) return;
    next = trace.firstSeq + trace.length;
    yield trace;
    engine.release(frame);
    if (seq < next) return;
  }
}

/** Searches a run from its start; resolves at its end. */
export async function searchRun(
  engine: Engine,
  job: RunSearchJob,
  onProgress: (progress: SearchProgress) => void,
): Promise<void> {
  const { machine, session, endEvents, listed, words, terms } = job;
  const test = eventTest(words, terms);
  const isListed = isKindListed(
    machine.parts.map(({ type }) => type),
    listed,
  );
  const trace = createTrace(machine);
  let hits = noHits();
  let [count, next] = [0, 1];
  let reportAt = performance.now() + REPORT_MS;

  const look = (chunk: TraceChunk) => {
    trace.dropAfter(0);
    trace.append(chunk);
    for (let i = 0; i < chunk.length; i++) {
      const seq = chunk.firstSeq + i;
      if (!isListed(chunk.kind[i] ?? 0) || !test?.(trace, seq)) continue;
      count++;
      if (count > MAX_HITS) continue;
      hits.seqs.push(seq);
      hits.timesPs.push(chunk.timePs[i] ?? 0);
      hits.parts.push(chunk.part[i] ?? 0);
    }
  };
  await engine.open(session);
  for (let at = 0; ; ) {
    const untilEvents = Math.min(endEvents, at + EVENTS_AT_ONCE);
    const end = await engine.run({ untilEvents });
    for await (const chunk of recordsFrom(engine, next)) {
      look(chunk);
      next = chunk.firstSeq + chunk.length;
    }
    at = end.events;
    const isOver = at >= endEvents || end.reason !== 'events';
    if (!isOver && performance.now() < reportAt) continue;
    onProgress({ hits, count, events: at, timePs: end.timePs });
    hits = noHits();
    if (isOver) return;
    reportAt = performance.now() + REPORT_MS;
  }
}

type Message =
  | { readonly progress: SearchProgress }
  | { readonly done: true }
  | { readonly failure: Failure };

/** The worker's side: searches what the first message brings. */
export function serveSearch<Job extends RunSearchJob>(
  port: Port,
  createEngine: (job: Job) => Promise<Engine>,
): void {
  port.onmessage = async ({ data }) => {
    const tell = (message: Message) => port.postMessage(message);
    try {
      const job = data as Job;
      await searchRun(await createEngine(job), job, (progress) => tell({ progress }));
      tell({ done: true });
    } catch (error) {
      tell({ failure: toFailure(error) });
    }
  };
}

/** Searches in a worker that ends with it; resolves to whether the search came to the end of the run. */
export function searchIn(
  start: () => WorkerPort,
  job: RunSearchJob,
  onProgress: (progress: SearchProgress) => void,
  signal: AbortSignal,
): Promise<'done' | 'stopped'> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve('stopped');
    const port = start();
    const end = (act: () => void) => {
      port.onmessage = port.onerror = null;
      port.terminate();
      signal.removeEventListener('abort', stop);
      act();
    };
    const stop = () => end(() => resolve('stopped'));
    const fail = (error: Error) => end(() => reject(error));
    port.onerror = ({ message }) =>
      fail(new Error(message || 'The worker that searches did not start.'));
    port.onmessage = ({ data }) => {
      const message = data as Message;
      if ('progress' in message) onProgress(message.progress);
      else if ('done' in message) end(() => resolve('done'));
      else fail(fromFailure(message.failure));
    };
    signal.addEventListener('abort', stop);
    port.postMessage(job);
  });
}

/**
 * Index of the next hit after a record, or of the one before it. After the last of a finished search comes the first;
 * while a search goes on the last is unknown, and the result is null.
 */
export function nextHit(
  seqs: readonly number[],
  at: number,
  by: 1 | -1,
  isFinished: boolean,
): number | null {
  if (seqs.length === 0) return null;
  const index = by > 0 ? seqs.findIndex((seq) => seq > at) : seqs.findLastIndex((seq) => seq < at);
  if (index >= 0) return index;
  if (!isFinished) return null;
  return by > 0 ? 0 : seqs.length - 1;
}
