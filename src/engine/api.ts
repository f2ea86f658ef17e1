/**
 * Interface of one engine, which runs in this process, in a Web Worker, or (for the parity test) in the native
 * program. An engine holds one machine; several engines may exist at once.
 *
 * Units: all times are integer picoseconds (exact in a Number up to 2^53 ps = 2.5 simulated hours).
 */

/**
 * Why a run returned. `idle`: no event is pending. `trap`: a run of a sweep violated an invariant of the engine
 * (outside a sweep that is an EngineError).
 */
export type StopReason = 'until' | 'events' | 'idle' | 'cancelled' | 'trap';

/** Position of a run. */
export interface Position {
  /** Time of the last processed event; of a sample, the sampling time. */
  readonly timePs: number;
  readonly events: number;
  /** Sequence number of the newest trace record; 0 before the first. */
  readonly seq: number;
}

export interface RunResult extends Position {
  readonly reason: StopReason;
}

/** A live change of one parameter, applied once `atEvents` events have been processed. */
export interface Command {
  readonly atEvents: number;
  /** Part index in the compiled machine. */
  readonly part: number;
  /** Parameter index in the part type's manifest order. */
  readonly param: number;
  readonly value: bigint;
}

/** A session: a compiled scenario and its timed commands. Everything else is derived from it. */
export interface SessionSpec {
  readonly config: Uint8Array;
  readonly commands: readonly Command[];
  /** Recorded choices to replay instead of drawing from the seed; absent in an ordinary run. */
  readonly choices?: Uint32Array;
}

/** Limits of a run; the first one reached ends it. */
export interface RunLimit {
  /** Process every event up to and including this time. */
  readonly untilPs?: number;
  /** Stop once this many events have been processed since the start of the session. */
  readonly untilEvents?: number;
}

/**
 * A refused machine or command, or an engine that stopped. `code` is one of FAULT (engine-errors.ts), `part`
 * the part's index or -1 for the whole machine, `detail` depends on the code.
 */
export class EngineError extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly part: number,
    readonly detail = 0,
  ) {
    super(message);
    this.name = 'EngineError';
  }
}

/** Trace records in columns; row i is sequence number `firstSeq + i`. */
export interface TraceChunk {
  readonly firstSeq: number;
  /** Requested records that are no longer in the ring. */
  readonly lost: number;
  readonly length: number;
  readonly timePs: Float64Array;
  readonly cause: Uint32Array;
  readonly part: Uint16Array;
  readonly kind: Uint16Array;
  /** 64-bit fields, all bits. */
  readonly a: BigUint64Array;
  readonly b: Uint32Array;
  readonly c: Uint32Array;
}

/** A view to copy: part index, and view index in the part's manifest. */
export interface ViewRequest {
  readonly part: number;
  readonly view: number;
  /** Copy the rows as they are stored instead of one column per field; for views of many small rows. */
  readonly packed?: boolean;
}

/** Additional contents of a frame. */
export interface FrameRequest {
  readonly views: readonly ViewRequest[];
  /** First trace record and maximum number of records; omit for none. */
  readonly trace?: { readonly fromSeq: number; readonly max: number };
}

/** The state of a view: `rows` rows, one column per field, in manifest order. */
export interface ViewData {
  readonly part: number;
  readonly view: number;
  readonly rows: number;
  /** Empty for a packed view. */
  readonly columns: readonly Float64Array[];
  /** Rows of a packed view in 32-bit words; otherwise null. */
  readonly words: Uint32Array | null;
}

export interface Frame extends Position {
  /** Counters of every part, in part order, each in manifest order. */
  readonly counters: readonly Float64Array[];
  readonly views: readonly ViewData[];
  readonly trace: TraceChunk | null;
}

/** One point of an overview: counters of all parts at a time, flattened in part and manifest order. */
export interface OverviewSample extends Position {
  readonly counters: Float64Array;
}

/** One run of a sweep, reduced to what curves need. */
export interface SweepResult extends Position {
  readonly index: number;
  /** 16 hexadecimal digits, if the job requests hashes. */
  readonly hash: string | null;
  readonly reason: StopReason;
  readonly counters: readonly Float64Array[];
  readonly wallMs: number;
}

export interface SweepJob {
  readonly sessions: readonly SessionSpec[];
  readonly limit: RunLimit;
  /** Expected relative length of each run, for sharing them out; equal if omitted. */
  readonly lengths?: readonly number[];
  /** Also hash the final state of each run; doubles the cost of a very short run. */
  readonly hash?: boolean;
}

/** Runs many sessions, one after another or in parallel. */
export interface Sweeps {
  /** Starts its workers, so that the first sweep need not wait for them. */
  prepare?(): void;
  /** Results arrive as runs end. A newer sweep cancels an older one. */
  sweep(job: SweepJob, onResult: (result: SweepResult) => void): Promise<'done' | 'cancelled'>;
  cancel(): void;
  dispose(): void;
}

/**
 * The asynchronous interface shared by the page and the headless program. Requests that move the machine (open,
 * run, seek, setCommands) cancel an earlier one at once. Read-only requests are answered between two slices of
 * a run, but wait for a seek to finish.
 */
export interface Engine extends Sweeps {
  /** Loads a session at time zero; rejects with EngineError and leaves the previous session in place. */
  open(session: SessionSpec): Promise<Position>;
  /** Continues in slices until a limit, until `cancel`, or until another request moves the machine. */
  run(limit: RunLimit): Promise<RunResult>;
  /** Seeks to the state after exactly `events` events, starting from the nearest keyframe. */
  seekEvents(events: number): Promise<Position>;
  /** Seeks to the state after every event up to and including `timePs`. */
  seekTime(timePs: number): Promise<Position>;
  /** Replaces the session's commands and returns to the same position under the new commands. */
  setCommands(commands: readonly Command[]): Promise<Position>;
  frame(request: FrameRequest): Promise<Frame>;
  /** Returns a frame's buffer for reuse; its arrays must not be used afterwards. Optional. */
  release(frame: Frame): void;
  /** Evenly spaced samples of the part of the session that has been run. */
  overview(): Promise<readonly OverviewSample[]>;
  hash(): Promise<string>;
  /** The choices made so far (at most 4096), for replay. */
  choices(): Promise<Uint32Array>;
  /** Runs on a separate core; the open session does not change. */
  sweep(job: SweepJob, onResult: (result: SweepResult) => void): Promise<'done' | 'cancelled'>;
  /** Cancels the run, seek or sweep in progress; each resolves with the position it reached. */
  cancel(): void;
}
