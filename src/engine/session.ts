/**
 * A session on a core: its timed commands, seeking, keyframes and samples.
 *
 *     advance -> [ keyframe if due, commands of this event count ] -> run to the next of:
 *                the limit, the budget of the slice, a command, a keyframe, a sample
 *
 * Between two calls, all commands up to the current event count have been applied. Slices, single steps and
 * seeks do not affect the state; the tests compare hashes.
 */
import type {
  Command,
  OverviewSample,
  Position,
  RunLimit,
  RunResult,
  SessionSpec,
  StopReason,
  TraceChunk,
} from './api';
import type { Core } from './core';
import { Keyframes } from './keyframes';
import { Overview } from './overview';
import { Columns } from './trace-columns';

export interface SessionOptions {
  /** Memory for keyframes; with 0 there are none, and the session cannot seek backwards. */
  readonly keyframeBytes: number;
  /** Initial number of events between keyframes. */
  readonly keyframeSpacing?: number;
  readonly overview: boolean;
  readonly record: boolean;
}

/** Options for interactive runs. */
export const EXPLORE: SessionOptions = { keyframeBytes: 64 << 20, overview: true, record: true };
/** Options for maximum speed: only the final state matters. */
export const MEASURE: SessionOptions = { keyframeBytes: 0, overview: false, record: false };

/** Upper bound of trace records per event: keeps a slice from running past the requested records. */
const MAX_RECORDS_PER_EVENT = 64;

const byEvents = (commands: readonly Command[]) =>
  [...commands].sort((a, b) => a.atEvents - b.atEvents);

/** First event count at which two lists of commands can lead to different runs. */
function divergence(before: readonly Command[], after: readonly Command[]): number {
  const same = (a: Command, b: Command | undefined) =>
    a.atEvents === b?.atEvents && a.part === b.part && a.param === b.param && a.value === b.value;
  const differs = before.findIndex((command, i) => !same(command, after[i]));
  const first = differs < 0 ? before.length : differs;
  const at = (list: readonly Command[]) => list[first]?.atEvents ?? Number.POSITIVE_INFINITY;
  return Math.min(at(before), at(after));
}

export class SessionRunner {
  readonly core: Core;
  readonly #keyframes: Keyframes | null;
  readonly #overview: Overview | null;
  /** Number of counters of each part. */
  readonly #counterCounts: readonly number[];
  /** Number of counters of all parts. */
  readonly #counterCount: number;
  #commands: readonly Command[];
  /** Index of the next command to apply. */
  #next = 0;
  #position: Position;
  #scratch: Uint8Array | null = null;

  /** @throws {EngineError} if the session, or a command at its start, is refused */
  constructor(core: Core, session: SessionSpec, options: SessionOptions) {
    core.open(session.config, { choices: session.choices });
    core.record(options.record);
    this.core = core;
    this.#commands = byEvents(session.commands);
    this.#position = core.position;
    const parts = Array.from({ length: core.partCount }, (_, part) => part);
    this.#counterCounts = parts.map((part) => core.counterCount(part));
    this.#counterCount = this.#counterCounts.reduce((sum, count) => sum + count, 0);
    const { keyframeBytes, keyframeSpacing } = options;
    this.#keyframes =
      keyframeBytes > 0 ? new Keyframes(core.stateBytes, keyframeBytes, keyframeSpacing) : null;
    this.#overview = options.overview ? new Overview(this.#counterCount) : null;
    this.#arrive();
  }

  get position(): Position {
    return this.#position;
  }

  get commands(): readonly Command[] {
    return this.#commands;
  }

  #commandDue(): number {
    return this.#commands[this.#next]?.atEvents ?? Number.POSITIVE_INFINITY;
  }

  /** Work between two events: a keyframe, then the commands of this event count. */
  #arrive(): void {
    const { events } = this.#position;
    if (this.#keyframes?.due === events)
      this.#keyframes.take(this.#position, (slot) => this.core.snapshot(slot));
    if (this.#commandDue() !== events) return;
    for (; this.#commandDue() === events; this.#next++) {
      const { part, param, value } = this.#commands[this.#next] as Command;
      this.core.command(part, param, value);
    }
    this.#position = this.core.position;
  }

  /**
   * Runs towards the limit for at most `budget` events.
   * @returns null if the budget ended first
   * @throws {EngineError} on a trap or a refused command
   */
  advance(limit: RunLimit, budget: number): StopReason | null {
    const { untilPs = Number.POSITIVE_INFINITY, untilEvents = Number.POSITIVE_INFINITY } = limit;
    const pause = this.#position.events + budget;
    const keyframes = this.#keyframes;
    for (;;) {
      this.#arrive();
      const { events } = this.#position;
      if (events >= untilEvents) return 'events';
      if (events >= pause) return null;
      const sampleAt = this.#overview?.duePs ?? Number.POSITIVE_INFINITY;
      const stop = Math.min(untilEvents, pause, this.#commandDue(), keyframes?.due ?? pause);
      const reason = this.core.run(Math.min(untilPs, sampleAt), stop);
      this.#position = this.core.position;
      if (reason === 'events' || this.#commandDue() === this.#position.events) continue;
      if (reason === 'idle') return 'idle';
      if (sampleAt <= untilPs)
        this.#overview?.take({ ...this.#position, timePs: sampleAt }, this.#count);
      if (untilPs <= sampleAt) return 'until';
    }
  }

  /** Runs to the limit in one go. */
  run(limit: RunLimit): RunResult {
    const reason = this.advance(limit, Number.POSITIVE_INFINITY) ?? 'events';
    return { ...this.#position, reason };
  }

  /**
   * Prepares a seek: restores a keyframe if the target is in the past, or if a keyframe is closer. `advance` to
   * the same limit then arrives there.
   */
  rewind({ untilPs = Number.POSITIVE_INFINITY, untilEvents = Number.POSITIVE_INFINITY }: RunLimit) {
    const isBefore = (at: Position) => at.events <= untilEvents && at.timePs <= untilPs;
    const events = this.#keyframes?.newest(isBefore)?.events ?? -1;
    if (!isBefore(this.#position) || events > this.#position.events) this.#restore(isBefore);
  }

  /** Seeks forwards or backwards: to the state after `untilEvents` events, or after all events up to `untilPs`. */
  seek(limit: RunLimit): Position {
    this.rewind(limit);
    this.run(limit);
    return this.#position;
  }

  /** Restores the newest keyframe for which `isBefore` holds. */
  #restore(isBefore: (at: Position) => boolean): void {
    const keyframe = this.#keyframes?.newest(isBefore);
    if (!keyframe) throw new RangeError('This session has no keyframe to seek from.');
    this.core.restore(keyframe.slot);
    this.#position = this.core.position;
    const { events } = this.#position;
    const next = this.#commands.findIndex((command) => command.atEvents >= events);
    this.#next = next < 0 ? this.#commands.length : next;
  }

  /** Runs `work`, which may move the machine back, and returns to the present position. */
  #detour<T>(work: () => T): T {
    const [position, next] = [this.#position, this.#next];
    this.#scratch ??= new Uint8Array(this.core.stateBytes);
    this.core.snapshot(this.#scratch);
    try {
      return work();
    } finally {
      this.core.restore(this.#scratch);
      [this.#position, this.#next] = [position, next];
    }
  }

  /**
   * Up to `max` trace records from `fromSeq`. Records that the ring has lost are regenerated from a keyframe;
   * the state does not change.
   */
  trace(fromSeq: number, max: number, into: Columns): TraceChunk {
    const { core } = this;
    const { seq, events } = this.#position;
    const first = Math.max(fromSeq, 1);
    const room = Math.max(core.traceCapacity - MAX_RECORDS_PER_EVENT, 1);
    const most = core.canRecord ? Math.min(max, room) : max;
    const last = Math.min(seq, first + most - 1);
    const isBefore = (at: Position) => at.seq < first;
    const canRepeat = core.canRecord && this.#keyframes?.newest(isBefore);
    if (core.holdsTrace(first, last) || !canRepeat) return core.trace(first, most, into);
    return this.#detour(() => {
      this.#restore(isBefore);
      while (this.#position.seq < last && this.#position.events < events) {
        const share = Math.floor((last - this.#position.seq) / MAX_RECORDS_PER_EVENT);
        this.advance({ untilEvents: events }, Math.max(share, 1));
      }
      return core.trace(first, most, into);
    });
  }

  /**
   * Replaces the commands. This may restore a keyframe before the first different command; the caller must seek
   * to the old position.
   */
  setCommands(commands: readonly Command[]): void {
    const sorted = byEvents(commands);
    const from = divergence(this.#commands, sorted);
    this.#commands = sorted;
    this.#keyframes?.dropAfter(from);
    this.#overview?.dropFrom(from);
    if (from <= this.#position.events) this.#restore((at) => at.events <= from);
    this.core.forgetTrace(this.#position.seq);
  }

  /** Size of the counters of all parts, in bytes. */
  get counterBytes(): number {
    return 8 * this.#counterCount;
  }

  /** Counters of every part, in one buffer. */
  counters(into = new Columns(new ArrayBuffer(this.counterBytes))): Float64Array[] {
    return this.#counterCounts.map((count, part) => this.core.counters(part, into.f64(count)));
  }

  readonly #count = (into: Float64Array, at: number) => this.core.allCounters(into, at);

  #sample(): OverviewSample {
    const counters = new Float64Array(this.#counterCount);
    this.core.allCounters(counters, 0);
    return { ...this.#position, counters };
  }

  /** Samples of the run so far, evenly spaced in simulated time. */
  overview(): readonly OverviewSample[] {
    return this.#overview?.upTo(this.#sample()) ?? [];
  }
}
