/**
 * Searches a run with too many records to keep: repeats the run on its own engine, tests the records of each slice
 * and drops them. Only the positions of the hits are kept.
 */
import type { Engine, SessionSpec, TraceChunk } from '../../engine/api';
import type { PartType } from '../../engine/manifest';
import { type EventSearch, eventSearch } from '../trace/event-search';
import type { TracedMachine } from '../trace/event-text';
import { type ClassTest, testOf } from '../trace/rows';
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

/** Positions of hits that are being collected. */
export type HitColumns = ReturnType<typeof noHits>;

export const noHits = () => ({
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

/** A test by part and kind within a filter. */
export function isClassListed(
  { machine, listed }: Pick<RunSearchJob, 'machine' | 'listed'>,
  test: ClassTest,
  moments: readonly (number | null)[],
): ClassTest {
  const isListed = isKindListed(
    machine.parts.map(({ type }) => type),
    listed,
  );
  return (part, kind) => {
    const own = test(part, kind);
    if (isListed(kind) || own === false) return own;
    return (rows, seq) => moments.includes(seq) && (own === true || own(rows, seq));
  };
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
export async function momentsOf(
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
  const test = testOf(search.testWith(moments));
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
  signal?: AbortSignal,
): Promise<void> {
  const search = eventSearch(words, job.machine, terms);
  if (!search) return;
  let hits = noHits();
  let count = 0;
  let reportAt = performance.now() + REPORT_MS;
  const end = { untilEvents: endEvents };
  for await (const stretch of findInRun(engine, { ...job, search, end })) {
    const { trace, found, events, timePs, isLast } = stretch;
    if (signal?.aborted) return;
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
