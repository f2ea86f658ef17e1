/**
 * Runs a session ahead on its own engine and records it: the trace, the marks to step to, and the overview samples.
 * The engine at the playhead is a separate one. Marks are the notable events declared in the manifests, and
 * transactions, including each stretch of work that starts on a bus.
 */
import { rank } from '../../base/sorted';
import type { Engine, OverviewSample, Position, SessionSpec, TraceChunk } from '../../engine/api';
import type { PartType } from '../../engine/manifest';

import { StoryIndex, type StoryRules } from '../trace/story-index';
import { firstEventWhere } from './bisect';

/** Stores the records. */
export interface RecordKeeper {
  append(chunk: TraceChunk): void;
  /** Drops all records after `seq`. */
  dropAfter(seq: number): void;
  /** Range of the stored records. */
  readonly first: number;
  readonly last: number;
  record(seq: number): { readonly timePs: number } | null;
}

export interface Recording<T extends RecordKeeper> {
  readonly trace: T;
  readonly marks: NotableEvents;
  /** Steps of the film. If not all records are kept, only those of the first ones. */
  readonly story: StoryIndex;
  overview: readonly OverviewSample[];
  /** Time of the commands reached so far, by event count. */
  readonly commandTimes: Map<number, number>;
  /** Progress of the recording, and whether it is the end of the run. */
  endPs: number;
  endEvents: number;
  complete: boolean;
  /** Not all records are kept: the trace is a window around the playhead. */
  cut: boolean;
  /** The recording was stopped and can be continued. */
  paused: boolean;
}

export interface RecordPlan<T extends RecordKeeper> {
  readonly session: SessionSpec;
  readonly untilPs: number;
  readonly types: readonly PartType[];
  makeTrace(): T;
  /** Called as the recording grows and at its end, always with the same object. */
  onProgress(recording: Recording<T>): void;
  /** Called when no event is pending, before the end is reported; the engine is still at that position. */
  onIdle?(): Promise<void>;
  /** Called during very long runs with the progress. */
  onLong?(at: Position): void;
}

/** Events between two reads of the trace; their records always fit into the ring. */
const PIECE = 4096;
const MAX_AT_ONCE = 16_384;
/** Number of records that a page can search and draw without a pause. */
const MAX_RECORDS = 1 << 18;
/** Marks are collected only from this many records. */
const MAX_MARKED = 1 << 23;
/** Runs of more events are long: more than a second or two, with an unknown number of events left. */
const LONG = 1 << 20;
/** Events between two reports of a long run, and size of its slices once no more marks are collected. */
const COUNTED = 1 << 18;

export class Recorder<T extends RecordKeeper> {
  private turn = 0;
  private isPaused = false;
  private goOn: (() => void) | null = null;
  private searches: Promise<unknown> = Promise.resolve();

  constructor(private readonly engine: Engine) {}

  /** Stops the recording; recorded data stays. */
  stopRecording(): void {
    this.isPaused = true;
  }

  /** Continues the recording. */
  resume(): void {
    this.isPaused = false;
    this.goOn?.();
  }

  /** Records a session from its start. A later call cancels an earlier one, which then resolves to null. */
  async record(plan: RecordPlan<T>): Promise<Recording<T> | null> {
    const turn = ++this.turn;
    this.resume();
    const recording: Recording<T> = {
      trace: plan.makeTrace(),
      marks: new NotableEvents(plan.types),
      story: new StoryIndex(storyRules(plan.types)),
      overview: [],
      commandTimes: new Map(),
      endPs: 0,
      endEvents: 0,
      complete: false,
      cut: false,
      paused: false,
    };
    await this.engine.open(plan.session);
    const commandEvents = plan.session.commands.map(({ atEvents }) => atEvents);
    let next = 1;
    let nextReport = LONG;
    for (let piece = 1; turn === this.turn; piece++) {
      const marked = next > MAX_MARKED;
      const due = commandEvents.filter((at) => at > recording.endEvents);
      const untilEvents = Math.min(recording.endEvents + (marked ? COUNTED : PIECE), ...due);
      const end = await this.engine.run({ untilPs: plan.untilPs, untilEvents });
      if (turn !== this.turn || end.reason === 'cancelled') return null;
      if (!marked) next = await this.pull(recording, next, turn);
      if (turn !== this.turn) return null;
      recording.complete = end.reason !== 'events';
      recording.endPs = end.timePs;
      recording.endEvents = end.events;
      if (commandEvents.includes(end.events)) recording.commandTimes.set(end.events, end.timePs);
      if (end.events >= nextReport && !recording.complete) {
        nextReport = end.events + COUNTED;
        plan.onLong?.(end);
      }
      recording.paused = this.isPaused && !recording.complete;
      if (!recording.complete && !recording.paused && !isReported(piece)) continue;
      recording.overview = await this.engine.overview();
      if (turn === this.turn && end.reason === 'idle') await plan.onIdle?.();
      if (turn !== this.turn) return null;
      plan.onProgress(recording);
      if (recording.complete) return recording;
      if (recording.paused) await this.untilResumed();
    }
    return null;
  }

  private async untilResumed(): Promise<void> {
    if (this.isPaused)
      await new Promise<void>((go) => {
        this.goOn = go;
      });
    this.goOn = null;
  }

  private async pull(recording: Recording<T>, from: number, turn: number): Promise<number> {
    let next = from;
    for (;;) {
      const trace = { fromSeq: next, max: MAX_AT_ONCE };
      const frame = await this.engine.frame({ views: [], trace });
      if (turn !== this.turn || !frame.trace) return next;
      recording.marks.take(frame.trace);
      recording.cut ||= next > MAX_RECORDS;
      if (!recording.cut) {
        recording.trace.append(frame.trace);
        recording.story.append(frame.trace);
      }
      next = frame.trace.firstSeq + frame.trace.length;
      const all = frame.seq < next;
      this.engine.release(frame);
      if (all) return next;
    }
  }

  /**
   * For a run with more records than are kept: loads those around a time, which the engine generates again.
   * @returns whether the trace has changed
   */
  async loadTraceAround(recording: Recording<T>, timePs: number): Promise<boolean> {
    const { trace, overview, cut, complete, paused } = recording;
    if (!cut || !(complete || paused) || isAround(trace, timePs)) return false;
    const turn = this.turn;
    const before = overview.findLast((sample) => sample.timePs <= timePs);
    let fromSeq = Math.max(1, (before?.seq ?? 1) - MAX_AT_ONCE / 2);
    for (;;) {
      const request = { fromSeq, max: 2 * MAX_AT_ONCE };
      const frame = await this.engine.frame({ views: [], trace: request });
      const chunk = frame.trace;
      if (turn !== this.turn || !chunk?.length) return false;
      const next = chunk.firstSeq + chunk.length;
      const isLast = next > frame.seq;
      // Between two samples of a very long run there may be more records than fit into one frame.
      if (isLast || (chunk.timePs[chunk.length - 1] ?? 0) > timePs) {
        trace.dropAfter(0);
        trace.append(chunk);
        recording.marks.takeStretch(chunk);
        this.engine.release(frame);
        return true;
      }
      this.engine.release(frame);
      fromSeq = next - Math.min(MAX_AT_ONCE / 2, chunk.length - 1);
    }
  }

  /**
   * The first event of a complete recording after which a condition holds, provided that it then stays true. Null if
   * there is none, or if another recording is started meanwhile.
   */
  firstWhere(
    recording: Recording<T>,
    holds: (counters: ArrayLike<number>) => boolean,
  ): Promise<Position | null> {
    return this.aside(recording, (isCancelled) =>
      firstEventWhere(this.engine, recording.overview, holds, isCancelled),
    );
  }

  /** Counters of all parts at a time of a complete recording; null if another recording is started meanwhile. */
  countersAt(recording: Recording<T>, timePs: number): Promise<readonly number[] | null> {
    return this.aside(recording, async (isCancelled) => {
      await this.engine.seekTime(timePs);
      if (isCancelled()) return null;
      const frame = await this.engine.frame({ views: [] });
      const counters = frame.counters.flatMap((own) => [...own]);
      this.engine.release(frame);
      return counters;
    });
  }

  /** Moves the engine of a complete recording, one search after another, and back to the end. */
  private aside<R>(
    { endEvents }: Recording<T>,
    look: (isCancelled: () => boolean) => Promise<R | null>,
  ): Promise<R | null> {
    const { turn } = this;
    const isCancelled = () => turn !== this.turn;
    const search = async (): Promise<R | null> => {
      if (isCancelled()) return null;
      const found = await look(isCancelled);
      if (isCancelled()) return null;
      await this.engine.seekEvents(endEvents);
      return found;
    };
    const found = this.searches.then(search);
    this.searches = found.catch(() => null);
    return found;
  }

  stop(): void {
    this.turn++;
    this.resume();
    this.engine.cancel();
  }
}

/** Progress is reported for slices 1, 2, 4, 8, ... */
const isReported = (piece: number): boolean => (piece & (piece - 1)) === 0;

/** Whether records on both sides of a time are stored. */
function isAround(trace: RecordKeeper, timePs: number): boolean {
  const [from, to] = [trace.first, trace.last].map((seq) => trace.record(seq)?.timePs);
  return from !== undefined && to !== undefined && from <= timePs && timePs < to;
}

/** Marked trace records of one category, in order. */
class Marks {
  private readonly times: number[] = [];
  private readonly seqs: number[] = [];

  add(seq: number, timePs: number): void {
    this.times.push(timePs);
    this.seqs.push(seq);
  }

  /** Drops all marks after a record. */
  dropAfter(seq: number): void {
    this.times.length = this.seqs.length = this.countTo(seq);
  }

  get length(): number {
    return this.seqs.length;
  }

  timesOf(first: number): readonly number[] {
    return this.times.slice(0, first);
  }

  /** Sequence numbers of a range of the list. */
  slice(from: number, to: number): readonly number[] {
    return this.seqs.slice(from, to);
  }

  /** Number of marks with a sequence number up to `seq`. */
  countTo(seq: number): number {
    return rank(this.seqs, seq, true);
  }

  /** The last mark with a sequence number up to `seq`; null if there is none. */
  lastTo(seq: number): number | null {
    return this.seqs[this.countTo(seq) - 1] ?? null;
  }

  /** Time of the first mark after a record; null if none is recorded. */
  after(seq: number): number | null {
    return this.times[this.countTo(seq)] ?? null;
  }

  /** Time of the first mark strictly after a time; null if there is none. */
  afterTime(timePs: number): number | null {
    return this.times[rank(this.times, timePs, true)] ?? null;
  }

  /** Time of the last mark strictly before a time; null if there is none. */
  before(timePs: number): number | null {
    return this.times[rank(this.times, timePs, false) - 1] ?? null;
  }
}

const DETAIL = 0;
const TRANSACTION = 1;
const NOTABLE = 2;

function levelsOf(types: readonly PartType[]): Uint8Array {
  const levels = new Uint8Array(1 + Math.max(0, ...types.flatMap(kindsOf)));
  for (const type of types)
    for (const event of type.events) {
      const begins = type.actor === 'bus' && event.lane !== null && event.lane.set !== null;
      const level = begins ? TRANSACTION : DETAIL;
      levels[event.kind] = event.level === 'notable' ? NOTABLE : level;
    }
  return levels;
}

/** Filters of the event list: notable events, also transactions, or every record. */
export type Listed = 'notable' | 'transactions' | 'all';

/** Whether a filter includes events of a kind. */
export function isKindListed(
  types: readonly PartType[],
  listed: Listed,
): (kind: number) => boolean {
  const levels = levelsOf(types);
  const lowest = { notable: NOTABLE, transactions: TRANSACTION, all: DETAIL }[listed];
  return (kind) => (levels[kind] ?? DETAIL) >= lowest;
}

/** In the modelled buses a transaction takes less than this from request to data. */
const LONGEST_TRANSACTION_PS = 2e6;
/** A processor event later than this after its cause is independent work. */
const LONGEST_REACTION_PS = 1e5;

/** Story steps are transactions and notable events; effects are events of buses, bridges, memories and devices. */
function storyRules(types: readonly PartType[]): StoryRules {
  const levels = levelsOf(types);
  const ofProcessors = new Set(types.filter(({ actor }) => actor === 'cpu').flatMap(kindsOf));
  return {
    begins: (kind) => (levels[kind] ?? DETAIL) !== DETAIL,
    longestEffectPs: (kind) =>
      ofProcessors.has(kind) ? LONGEST_REACTION_PS : LONGEST_TRANSACTION_PS,
  };
}

const kindsOf = (type: PartType): number[] => type.events.map((event) => event.kind);

/** The marks of a recording, collected as records arrive; only for the first records of a very long run. */
export class NotableEvents {
  readonly notable = new Marks();
  readonly transactions = new Marks();
  private readonly levels: Uint8Array;
  private last = 0;

  constructor(types: readonly PartType[]) {
    this.levels = levelsOf(types);
  }

  take(chunk: TraceChunk): void {
    this.last = chunk.firstSeq + chunk.length - 1;
    this.add(chunk, 0);
  }

  /** Replaces the marks of the window beyond the fully marked range. */
  takeStretch(chunk: TraceChunk): void {
    for (const marks of [this.notable, this.transactions]) marks.dropAfter(this.last);
    this.add(chunk, Math.max(0, this.last + 1 - chunk.firstSeq));
  }

  /** Whether marks may be missing between a record and the next known mark. */
  isOpenAfter(seq: number): boolean {
    return seq >= this.last;
  }

  private add(chunk: TraceChunk, from: number): void {
    for (let i = from; i < chunk.length; i++) {
      const level = this.levels[chunk.kind[i] as number] ?? DETAIL;
      if (level === DETAIL) continue;
      const [seq, time] = [chunk.firstSeq + i, chunk.timePs[i] as number];
      this.transactions.add(seq, time);
      if (level === NOTABLE) this.notable.add(seq, time);
    }
  }
}
