/**
 * What a host may ask of one engine, wherever it runs: in this process, in a Web Worker, or (for the
 * parity test) in the native program. One engine holds one machine; several engines may live at once.
 *
 * Units: all times are integer picoseconds (exact in a Number up to 2^53 ps = 2.5 simulated hours).
 */

/**
 * Why a run returned. `idle`: no event is pending, so nothing more can happen. `trap`: a run of a sweep
 * broke an invariant of the engine (outside a sweep that is an EngineError).
 */
export type StopReason = 'until' | 'events' | 'idle' | 'cancelled' | 'trap';

/** Where the machine stands. */
export interface Position {
  /** Time of the last event processed (of a sample: the time it was taken for). */
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

/** How far to run: the first limit reached ends the run. */
export interface RunLimit {
  /** Process every event up to and including this time. */
  readonly untilPs?: number;
  /** Stop once this many events have been processed since the start of the session. */
  readonly untilEvents?: number;
}

/**
 * A refused machine or command, or an engine that stopped: a sentence; what was refused (FAULT in
 * faults.ts); the part's index, -1 for the whole machine; what the refusal is about, by code.
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
  /** Records that were asked for and no longer are in the ring. */
  readonly lost: number;
  readonly length: number;
  readonly timePs: Float64Array;
  readonly cause: Uint32Array;
  readonly part: Uint16Array;
  readonly kind: Uint16Array;
  /** Fields of 64 bits, with all of them. */
  readonly a: BigUint64Array;
  readonly b: Uint32Array;
  readonly c: Uint32Array;
}

/** A view to copy: part index and view index in its manifest. */
export interface ViewRequest {
  readonly part: number;
  readonly view: number;
  /** Its rows as they lie in memory instead of a column for each field: for views of many small rows. */
  readonly packed?: boolean;
}

/** What to bring along with a frame. */
export interface FrameRequest {
  readonly views: readonly ViewRequest[];
  /** First trace record wanted, and at most how many; omit for none. */
  readonly trace?: { readonly fromSeq: number; readonly max: number };
}

/** The state of a view: `rows` rows, one column per field, in manifest order. */
export interface ViewData {
  readonly part: number;
  readonly view: number;
  readonly rows: number;
  /** None if the view was asked for packed. */
  readonly columns: readonly Float64Array[];
  /** The rows of a view that was asked for packed, in 32-bit words; else null. */
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
  /** 16 hexadecimal digits, when the job asked for them. */
  readonly hash: string | null;
  readonly reason: StopReason;
  readonly counters: readonly Float64Array[];
  readonly wallMs: number;
}

export interface SweepJob {
  readonly sessions: readonly SessionSpec[];
  readonly limit: RunLimit;
  /** Also hash the state each run ends in: as much work again as a very short run. */
  readonly hash?: boolean;
}

/** What runs many sessions one after another, or several at a time. */
export interface Sweeps {
  /** Results come as runs end; a newer sweep ends an older one. */
  sweep(job: SweepJob, onResult: (result: SweepResult) => void): Promise<'done' | 'cancelled'>;
  cancel(): void;
  dispose(): void;
}

/**
 * The asynchronous face that the page and the headless program share. Requests that move the machine
 * (open, run, seek, setCommands) end an earlier one at once; requests that only look are answered
 * between two slices of a run, but wait for a seek to arrive.
 */
export interface Engine extends Sweeps {
  /** Loads a session at time zero; rejects with EngineError and leaves the previous session in place. */
  open(session: SessionSpec): Promise<Position>;
  /** Runs on from here in slices; `cancel` or another request that moves the machine ends it early. */
  run(limit: RunLimit): Promise<RunResult>;
  /** Goes to the state after exactly `events` events, forwards or back, by the nearest keyframe. */
  seekEvents(events: number): Promise<Position>;
  /** Goes to the state in which every event up to and including `timePs` has happened. */
  seekTime(timePs: number): Promise<Position>;
  /** Replaces the session's commands; the machine is put back to where it was, under the new commands. */
  setCommands(commands: readonly Command[]): Promise<Position>;
  frame(request: FrameRequest): Promise<Frame>;
  /** Hands a frame's memory back for the next ones; its arrays must not be used any more. Optional. */
  release(frame: Frame): void;
  /** Samples taken about evenly along the part of the session that has been run. */
  overview(): Promise<readonly OverviewSample[]>;
  hash(): Promise<string>;
  /** The choices made so far (the first 4096), to be replayed. */
  choices(): Promise<Uint32Array>;
  /** On a core of its own: the open session stays as it is. */
  sweep(job: SweepJob, onResult: (result: SweepResult) => void): Promise<'done' | 'cancelled'>;
  /** Ends the run, the seek or the sweep that is under way; each resolves to where it got. */
  cancel(): void;
}
