/**
 * Searches a run with too many records to keep: repeats the run on its own engine, tests the records of each slice
 * and drops them. Only the positions of the hits are kept.
 */
import type { Engine, SessionSpec, TraceChunk } from '../../engine/api';
import type { WorkerPort } from '../../engine/client';
import type { EngineCode } from '../../engine/engine-code';
import type { PartType } from '../../engine/manifest';
import { type Failure, fromFailure, type Port, toFailure } from '../../engine/worker-protocol';
import { type EventSearch, eventSearch } from '../trace/event-search';
import type { TracedMachine } from '../trace/event-text';
import type { Term } from '../trace/terms';
import { createTrace, type Trace } from '../trace/trace';
import { firstEventWhere } from './bisect';
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
  readonly kinds: readonly number[];
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
  kinds: [] as number[],
});

export const NO_HITS: Hits = noHits();

/** Hits of records that are in a trace. */
export const hitsOf = (trace: Trace, seqs: readonly number[]): Hits => ({
  seqs,
  timesPs: seqs.map((seq) => trace.timeOf(seq)),
  parts: seqs.map((seq) => trace.partOf(seq)),
  kinds: seqs.map((seq) => trace.kindOf(seq)),
});

export const joined = (before: Hits, more: Hits): Hits =>
  more.seqs.length === 0
    ? before
    : {
        seqs: [...before.seqs, ...more.seqs],
        timesPs: [...before.timesPs, ...more.timesPs],
        parts: [...before.parts, ...more.parts],
        kinds: [...before.kinds, ...more.kinds],
      };

/** Maximum number of stored hits: 3.2 MB, more than a user would step through. */
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

/** Whether a filter includes a record. What makes a condition on a counter true is of any kind. */
export function isRecordListed(
  types: readonly PartType[],
  listed: Listed,
  moments: readonly (number | null)[],
): (kind: number, seq: number) => boolean {
  const isListed = isKindListed(types, listed);
  return (kind, seq) => isListed(kind) || moments.includes(seq);
}

/** A stretch of a run: its records are in the trace until the next stretch. */
interface Stretch {
  readonly trace: Trace;
  /** Records that the query finds. */
  readonly found: readonly number[];
  readonly events: number;
  readonly timePs: number;
  readonly isLast: boolean;
}

export interface Searched extends Pick<RunSearchJob, 'machine' | 'session' | 'listed'> {
  readonly search: EventSearch;
  /** Where the search ends, in events or in picoseconds. */
  readonly end: { readonly untilEvents?: number; readonly untilPs?: number };
}

/** The records of the events that make conditions on counters true: the run is made once to find them. */
async function momentsOf(
  engine: Engine,
  { session, search, end }: Searched,
): Promise<(number | null)[]> {
  const moments: (number | null)[] = [];
  if (search.counters.length === 0) return moments;
  await engine.open(session);
  await engine.run(end);
  const samples = await engine.overview();
  for (const holds of search.counters)
    moments.push((await firstEventWhere(engine, samples, holds, () => false))?.seq ?? null);
  return moments;
}

/** Records of a run that is being made, until the next stretch; no chunk where they are all read. */
interface RunStretch {
  readonly chunk: TraceChunk | null;
  readonly events: number;
  readonly timePs: number;
  readonly isLast: boolean;
}

/** Makes a run from its start, and gives its records stretch by stretch. */
export async function* stretchesOf(
  engine: Engine,
  session: SessionSpec,
  end: Searched['end'],
): AsyncGenerator<RunStretch> {
  const { untilEvents: endEvents = Number.POSITIVE_INFINITY } = end;
  await engine.open(session);
  for (let [at, next, isLast] = [0, 1, false]; !isLast; ) {
    const untilEvents = Math.min(endEvents, at + EVENTS_AT_ONCE);
    const { events, timePs, reason } = await engine.run({ ...end, untilEvents });
    at = events;
    isLast = at >= endEvents || reason !== 'events';
    for await (const chunk of recordsFrom(engine, next)) {
      next = chunk.firstSeq + chunk.length;
      yield { chunk, events, timePs, isLast: false };
    }
    yield { chunk: null, events, timePs, isLast };
  }
}

/** Searches a run from its start, stretch by stretch, and forgets each. */
export async function* findInRun(engine: Engine, searched: Searched): AsyncGenerator<Stretch> {
  const { machine, session, search, listed, end } = searched;
  const moments = await momentsOf(engine, searched);
  const test = search.testWith(moments);
  const types = machine.parts.map(({ type }) => type);
  const isListed = isRecordListed(types, listed, moments);
  const trace = createTrace(machine);
  const look = (chunk: TraceChunk): number[] => {
    const found: number[] = [];
    trace.dropAfter(0);
    trace.append(chunk);
    for (let i = 0; i < chunk.length; i++) {
      const seq = chunk.firstSeq + i;
      const isWanted = isListed(chunk.kind[i] ?? 0, seq);
      if ((isWanted || search.hasCauses) && test(trace, seq) && isWanted) found.push(seq);
    }
    return found;
  };
  for await (const { chunk, ...at } of stretchesOf(engine, session, end))
    yield { trace, found: chunk ? look(chunk) : [], ...at };
}

/** Searches a run from its start; resolves at its end. */
export async function searchRun(
  engine: Engine,
  { words, terms, endEvents, ...job }: RunSearchJob,
  onProgress: (progress: SearchProgress) => void,
): Promise<void> {
  const search = eventSearch(words, job.machine, terms);
  if (!search) return;
  let hits = noHits();
  let count = 0;
  let reportAt = performance.now() + REPORT_MS;
  const end = { untilEvents: endEvents };
  for await (const stretch of findInRun(engine, { ...job, search, end })) {
    const { trace, found, events, timePs, isLast } = stretch;
    for (const seq of found) {
      count++;
      if (count > MAX_HITS) continue;
      hits.seqs.push(seq);
      hits.timesPs.push(trace.timeOf(seq));
      hits.parts.push(trace.partOf(seq));
      hits.kinds.push(trace.kindOf(seq));
    }
    if (!isLast && performance.now() < reportAt) continue;
    onProgress({ hits, count, events, timePs });
    hits = noHits();
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
