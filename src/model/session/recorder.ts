/**
 * Runs a session ahead on an engine of its own and keeps what it did: the trace, the places to step to,
 * the samples of the overview. The machine on the screen is another engine, which stands at the playhead. A run can be
 * stepped to its story events, which the manifests give to be read out, and to its transactions, among them each
 * stretch of work that begins on a bus.
 */
import type { Engine, OverviewSample, Position, SessionSpec, TraceChunk } from '../../engine/api';
import type { PartType } from '../../engine/manifest';

import { StoryIndex, type StoryRules } from '../trace/story-index';

/** What keeps the records; the recorder only hands them over. */
export interface RecordKeeper {
  append(chunk: TraceChunk): void;
  /** Forgets all records after one. */
  dropAfter(seq: number): void;
  /** The stretch of records that is kept. */
  readonly first: number;
  readonly last: number;
  record(seq: number): { readonly timePs: number } | null;
  /** Sequence number of the nearest record of a kind after one, or before one; null if none is kept. */
  nearest(kind: number, seq: number, by: 1 | -1): number | null;
}

export interface Recording<T extends RecordKeeper> {
  readonly trace: T;
  readonly marks: NotableEvents;
  /** The steps that a film shows; of a run with more records than are kept, those of the first. */
  readonly story: StoryIndex;
  overview: readonly OverviewSample[];
  /** When the commands reached so far act: time by event count. */
  readonly commandTimes: Map<number, number>;
  /** How far the recording has come, and whether that is the end of the run. */
  endPs: number;
  endEvents: number;
  complete: boolean;
  /** There are more records than are kept: the trace is a stretch of them, around the playhead. */
  cut: boolean;
  /** It was stopped where it stands, and can go on. */
  halted: boolean;
}

export interface RecordPlan<T extends RecordKeeper> {
  readonly session: SessionSpec;
  readonly untilPs: number;
  readonly types: readonly PartType[];
  makeTrace(): T;
  /** While the recording grows, and at its end; `recording` is the same object all along. */
  onProgress(recording: Recording<T>): void;
  /** Where no event is pending, before the end is reported; the engine stands there. */
  onIdle?(): Promise<void>;
  /** While very many events are run: how far it has come. */
  onLong?(at: Position): void;
}

/** Events run between two looks at the trace: its ring holds more than they can write. */
const PIECE = 4096;
const MAX_AT_ONCE = 16_384;
/** As many records as a page can search and draw without a pause. */
const MAX_RECORDS = 1 << 18;
/** Places to step to are looked for in this many. */
const MAX_MARKED = 1 << 23;
/** A run of more events than this is long: a second or two of work, and the remaining number is unknown. */
const LONG = 1 << 20;
/** Events between two reports of a long run, and pieces of one of which no more is marked. */
const COUNTED = 1 << 18;

export class Recorder<T extends RecordKeeper> {
  private turn = 0;
  private isHalted = false;
  private goOn: (() => void) | null = null;

  constructor(private readonly engine: Engine) {}

  /** Stops the recording where it stands; all that is recorded stays. */
  stopRecording(): void {
    this.isHalted = true;
  }

  /** Takes the recording up again. */
  resume(): void {
    this.isHalted = false;
    this.goOn?.();
  }

  /** Records a session from its start. A later call ends an earlier one, which then resolves to null. */
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
      halted: false,
    };
    await this.engine.open(plan.session);
    const commandEvents = plan.session.commands.map(({ atEvents }) => atEvents);
    let next = 1;
    let told = LONG;
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
      if (end.events >= told && !recording.complete) {
        told = end.events + COUNTED;
        plan.onLong?.(end);
      }
      recording.halted = this.isHalted && !recording.complete;
      if (!recording.complete && !recording.halted && !isTold(piece)) continue;
      recording.overview = await this.engine.overview();
      if (turn === this.turn && end.reason === 'idle') await plan.onIdle?.();
      if (turn !== this.turn) return null;
      plan.onProgress(recording);
      if (recording.complete) return recording;
      if (recording.halted) await this.resumed();
    }
    return null;
  }

  private async resumed(): Promise<void> {
    if (this.isHalted)
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
   * Of a run with more records than are kept, fetches those around a time, if they are not there. The
   * engine makes them again. Answers whether the trace is another one now.
   */
  async loadTraceAround(recording: Recording<T>, timePs: number): Promise<boolean> {
    const { trace, overview, cut, complete, halted } = recording;
    if (!cut || !(complete || halted) || masks(trace, timePs)) return false;
    const turn = this.turn;
    const before = overview.findLast((sample) => sample.timePs <= timePs);
    let fromSeq = Math.max(1, (before?.seq ?? 1) - MAX_AT_ONCE / 2);
    for (;;) {
      const wanted = { fromSeq, max: 2 * MAX_AT_ONCE };
      const frame = await this.engine.frame({ views: [], trace: wanted });
      const chunk = frame.trace;
      if (turn !== this.turn || !chunk?.length) return false;
      const next = chunk.firstSeq + chunk.length;
      const isLast = next > frame.seq;
      // Between two samples of a very long run there may be more records than one frame brings.
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

  stop(): void {
    this.turn++;
    this.resume();
    this.engine.cancel();
  }
}

/** The first pieces are reported at once, later ones less and less often. */
const isTold = (piece: number): boolean => (piece & (piece - 1)) === 0;

/** Whether records of both sides of a time are kept. */
function masks(trace: RecordKeeper, timePs: number): boolean {
  const [from, to] = [trace.first, trace.last].map((seq) => trace.record(seq)?.timePs);
  return from !== undefined && to !== undefined && from <= timePs && timePs < to;
}

/** Trace records of one kind of interest, in order. */
class Marks {
  private readonly times: number[] = [];
  private readonly seqs: number[] = [];

  add(seq: number, timePs: number): void {
    this.times.push(timePs);
    this.seqs.push(seq);
  }

  /** Forgets all marks after a record. */
  dropAfter(seq: number): void {
    this.times.length = this.seqs.length = this.countTo(seq);
  }

  get length(): number {
    return this.seqs.length;
  }

  timesOf(first: number): readonly number[] {
    return this.times.slice(0, first);
  }

  /** Sequence numbers of a stretch of the list. */
  slice(from: number, to: number): readonly number[] {
    return this.seqs.slice(from, to);
  }

  /** How many marks have a sequence number up to `seq`. */
  countTo(seq: number): number {
    return below(this.seqs, seq + 1);
  }

  /** The last mark with a sequence number up to `seq`; null if there is none. */
  lastTo(seq: number): number | null {
    return this.seqs[this.countTo(seq) - 1] ?? null;
  }

  /** Time of the first mark beyond a record; null if none is recorded. */
  after(seq: number): number | null {
    return this.times[this.countTo(seq)] ?? null;
  }

  /** Time of the first mark strictly after a time; null if there is none. */
  afterTime(timePs: number): number | null {
    return this.times[below(this.times, timePs + 1)] ?? null;
  }

  /** Time of the last mark strictly before a time; null if there is none. */
  before(timePs: number): number | null {
    return this.times[below(this.times, timePs) - 1] ?? null;
  }
}

/** How many numbers of a sorted list are below a limit. */
function below(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
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

/** What a list of events shows: those worth reading out, all transactions too, or every record. */
export type Listed = 'notable' | 'transactions' | 'all';

/** Whether a list shows events of a kind. */
export function isKindListed(
  types: readonly PartType[],
  listed: Listed,
): (kind: number) => boolean {
  const levels = levelsOf(types);
  const lowest = { notable: NOTABLE, transactions: TRANSACTION, all: DETAIL }[listed];
  return (kind) => (levels[kind] ?? DETAIL) >= lowest;
}

/** Transactions of the modelled buses take less than this from the request to the data. */
const LONGEST_TRANSACTION_PS = 2e6;
/** A processor that goes on later than this after its cause was doing work of its own. */
const LONGEST_REACTION_PS = 1e5;

/** Steps of the story are transactions and notable events; effects are what buses, bridges, memories and devices do. */
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

/** The marks of a recording, taken as its records come in; of a very long one only the first are all marked. */
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

  /** Marks a stretch beyond what is marked, in place of the one before. */
  takeStretch(chunk: TraceChunk): void {
    for (const marks of [this.notable, this.transactions]) marks.dropAfter(this.last);
    this.add(chunk, Math.max(0, this.last + 1 - chunk.firstSeq));
  }

  /** Whether there may be marks between a record and the next of them that is known. */
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
