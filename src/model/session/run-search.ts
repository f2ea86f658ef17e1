/**
 * Searches a run with too many records to keep: repeats the run on its own engine, tests the records of each slice
 * and drops them. Only the positions of the hits are kept.
 */
import type { Engine, SessionSpec, TraceChunk } from '../../engine/api';
import type { WorkerPort } from '../../engine/client';
import type { EngineCode } from '../../engine/engine-code';
import { type Failure, fromFailure, type Port, toFailure } from '../../engine/worker-protocol';
import { eventTest } from '../trace/event-search';
import type { TracedMachine } from '../trace/event-text';
import type { Term } from '../trace/terms';
import { createTrace } from '../trace/trace';
import { isKindListed, type Listed } from './recorder';

export interface RunSearchJob {
  readonly machine: TracedMachine;
  readonly session: SessionSpec;
  /** Event count at which the search ends: the end of the recorded run. */
  readonly endEvents: number;
  readonly listed: Listed;
  readonly words: string;
  readonly terms: readonly Term[];
}

/** A search with the engine's code, which the page has already loaded. */
export interface PageSearchJob extends RunSearchJob {
  readonly code: EngineCode;
}

/** Positions of hits, in order of the run. */
export interface Hits {
  readonly seqs: readonly number[];
  readonly timesPs: readonly number[];
  readonly parts: readonly number[];
}

/** Progress of a search. */
export interface SearchProgress {
  /** Hits since the last report. */
  readonly hits: Hits;
  /** Number of hits, including those that are not kept. */
  readonly count: number;
  readonly events: number;
  readonly timePs: number;
}

const noHits = () => ({
  seqs: [] as number[],
  timesPs: [] as number[],
  parts: [] as number[],
});

/** Maximum number of stored hits: 2.4 MB, more than a user would step through. */
export const MAX_HITS = 100_000;

/** Events between two reads of the trace; their records always fit into the ring. */
const EVENTS_AT_ONCE = 4096;
const RECORDS_AT_ONCE = 16_384;

/** Milliseconds between progress reports. */
const REPORT_MS = 100;

/** All records after `fromSeq`, in chunks that fit into the ring. */
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

/** Worker side: runs the job of the first message. */
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

/**
 * Searches in a worker that is terminated at the end.
 * @returns whether the search reached the end of the run
 */
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
    port.onerror = ({ message }) => fail(new Error(message || 'The search worker did not start.'));
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
 * Index of the next or previous hit relative to a record, wrapping around. While a search is running its last hit
 * is unknown, so there is no wrap and the result is null.
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
