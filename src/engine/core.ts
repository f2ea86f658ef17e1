/**
 * Synchronous wrapper of one engine instance: loads a session, runs it, reads its state. A million events take
 * tens of milliseconds, so hosts that must stay responsive run in slices.
 */
import type { Position, TraceChunk, ViewData, ViewRequest } from './api';
import type { EngineCode, PartShape } from './engine-code';
import { FAULT, refused } from './engine-errors';
import {
  SIM_DIRECTORY as DIRECTORY,
  SIM_PART as PART,
  SIM_RECORD as RECORD,
  SIM_REASON,
  SIM_VIEW_ENTRY as VIEW,
} from './gen/abi';
import { Columns, traceBytes } from './trace-columns';
import { TraceWindow } from './trace-window';
import { high, Instance, low } from './wasm-instance';

const NO_PART = 0xffff;

/** Why `run` returned. */
export type Reason = (typeof SIM_REASON)[number];

interface OpenOptions {
  /** Choices to replay before drawing from the seed. */
  readonly choices?: Uint32Array | undefined;
  /** Makes the nth allocation of memory fail, counted from 1; for tests. */
  readonly failAllocation?: number;
}

/** Word indices of a part's data; constant after `open`. */
interface PartPlace {
  readonly shape: PartShape | undefined;
  readonly counters: number;
  readonly firstView: number;
}

export class Core {
  readonly #engine: Instance;
  readonly #shapes: readonly PartShape[];
  #parts: readonly PartPlace[] = [];
  #trace = new TraceWindow(0);
  #recording = false;

  constructor({ module, parts }: EngineCode) {
    this.#engine = new Instance(module);
    this.#shapes = parts;
  }

  /** Whether the instance has trapped and can no longer be used. */
  get dead(): boolean {
    return this.#engine.dead !== null;
  }

  /**
   * Loads a compiled session at time zero.
   * @throws {EngineError} if it is refused; no session is open then
   */
  open(config: Uint8Array, { choices, failAllocation = 0 }: OpenOptions = {}): void {
    const engine = this.#engine;
    const bytes = config.length + (choices?.byteLength ?? 0);
    const refuse = (code: number, detail: number) =>
      refused({ code, part: -1, shape: undefined, detail });
    if (config.length % 4) throw refuse(FAULT.truncated, 0);
    const at = engine.call((wasm) => wasm.session(bytes));
    if (!at) throw refuse(FAULT.noMemory, bytes / 1024);
    engine.refresh();
    engine.bytes(at / 4, config.length).set(config);
    if (choices) engine.words.set(choices, (at + config.length) / 4);
    const code = engine.call((wasm) => {
      wasm.fail_allocation(failAllocation);
      return wasm.open(config.length);
    });
    engine.refresh();
    if (code) throw this.#refusal();
    const parts = engine.field(DIRECTORY.partCount);
    this.#parts = Array.from({ length: parts }, (_, part) => this.#place(part));
    this.#trace = new TraceWindow(engine.field(DIRECTORY.traceCapacity));
    this.#recording = this.canRecord;
    if (choices) engine.call((wasm) => wasm.replay(at + config.length, choices.length));
  }

  /** Whether the session records a trace. */
  get canRecord(): boolean {
    return this.#trace.capacity > 1;
  }

  /** Capacity of the trace ring, in records. */
  get traceCapacity(): number {
    return this.#trace.capacity;
  }

  /** Size of a snapshot. */
  get stateBytes(): number {
    return this.#engine.field(DIRECTORY.stateBytes);
  }

  get position(): Position {
    const engine = this.#engine;
    engine.refreshHeader();
    return {
      timePs: engine.wide(DIRECTORY.time),
      events: engine.wide(DIRECTORY.events),
      seq: engine.wide(DIRECTORY.seq),
    };
  }

  /**
   * Processes events up to and including `untilPs`, until `events` have been processed since the start.
   * @returns why it stopped
   */
  run(untilPs: number, events: number): Reason {
    const code = this.#recorded(() =>
      this.#engine.call((wasm) => wasm.run(low(untilPs), high(untilPs), low(events), high(events))),
    );
    return SIM_REASON[code] ?? 'idle';
  }

  /**
   * Changes a parameter between two events.
   * @throws {EngineError} if the part refuses; the parameter keeps its value
   */
  command(part: number, param: number, value: bigint): void {
    const lo = Number(value & 0xffffffffn);
    const hi = Number(value >> 32n);
    const code = this.#recorded(() =>
      this.#engine.call((wasm) => wasm.command(part, param, lo, hi)),
    );
    if (code) throw this.#refusal();
  }

  /** Hash of all simulated state: 16 hexadecimal digits. */
  hash(): string {
    const engine = this.#engine;
    engine.call((wasm) => wasm.hash());
    const digits = (word: number) => engine.field(word).toString(16).padStart(8, '0');
    return digits(DIRECTORY.hash + 1) + digits(DIRECTORY.hash);
  }

  /** Switches trace recording on or off. Recording slows a run by some percent and does not change its result. */
  record(on: boolean): void {
    this.#recording = on && this.canRecord;
    this.#engine.call((wasm) => wasm.record(on ? 1 : 0));
  }

  /** The recorded choices, up to the engine's limit. */
  choices(): Uint32Array {
    const engine = this.#engine;
    engine.refreshHeader();
    const at = engine.at(DIRECTORY.choicesAt);
    const kept = engine.field(DIRECTORY.choicesCapacity);
    return engine.words.slice(at, at + Math.min(engine.field(DIRECTORY.choiceCount), kept));
  }

  get partCount(): number {
    return this.#parts.length;
  }

  #place(part: number): PartPlace {
    const { words, base } = this.#engine;
    const row = this.#engine.at(DIRECTORY.partsAt) + part * PART.size;
    return {
      shape: this.#shapes[this.#engine.part(row, PART.type)],
      counters: base + (words[row + PART.countersAt] ?? 0) / 4,
      firstView: words[row + PART.firstView] ?? 0,
    };
  }

  counterCount(part: number): number {
    return this.#parts[part]?.shape?.counters ?? 0;
  }

  /** Counters of a part in manifest order, copied to `into`. */
  counters(part: number, into = new Float64Array(this.counterCount(part))): Float64Array {
    const engine = this.#engine;
    const at = this.#parts[part]?.counters ?? 0;
    for (let i = 0; i < into.length; i++) into[i] = engine.number(at + 2 * i);
    return into;
  }

  /** Writes the counters of all parts, one part after another, to `into` from an index on. */
  allCounters(into: Float64Array, from: number): void {
    const { words } = this.#engine;
    let next = from;
    for (const { shape, counters } of this.#parts) {
      const end = counters + 2 * (shape?.counters ?? 0);
      for (let at = counters; at < end; at += 2)
        into[next++] = (words[at] as number) + (words[at + 1] as number) * 2 ** 32;
    }
  }

  #viewEntry(part: number, view: number) {
    const engine = this.#engine;
    const place = this.#parts[part];
    const fields = place?.shape?.views[view];
    if (!place || !fields) throw new RangeError(`There is no view ${view} of part ${part}.`);
    const entry = engine.at(DIRECTORY.viewsAt) + (place.firstView + view) * VIEW.size;
    const word = (field: number) => engine.words[entry + field] ?? 0;
    const [rows, rowBytes] = [word(VIEW.rows), word(VIEW.rowBytes)];
    return { at: engine.base * 4 + word(VIEW.at), rows, rowBytes, fields };
  }

  /** Size of a view's columns, or of its packed rows, in bytes. */
  viewBytes({ part, view, packed }: ViewRequest): number {
    const { rows, rowBytes, fields } = this.#viewEntry(part, view);
    return packed ? (rows * rowBytes + 7) & ~7 : rows * fields.length * 8;
  }

  /** Copies a view: one column per field, or packed rows. Does not change the state. */
  view(
    request: ViewRequest,
    into = new Columns(new ArrayBuffer(this.viewBytes(request))),
  ): ViewData {
    const { part, view } = request;
    const { at, rows, rowBytes, fields } = this.#viewEntry(part, view);
    if (request.packed) {
      const words = into.u32((rows * rowBytes) >>> 2);
      words.set(this.#engine.words.subarray(at / 4, at / 4 + words.length));
      return { part, view, rows, columns: [], words };
    }
    let from = at;
    const columns = fields.map((bits) => {
      const column = into.f64(rows);
      this.#engine.column(column, from, rowBytes, bits);
      from += bits / 8;
      return column;
    });
    return { part, view, rows, columns, words: null };
  }

  /** Whether the ring holds all records from `first` to `last`. */
  holdsTrace(first: number, last: number): boolean {
    return this.#trace.holds(first, last);
  }

  /** Invalidates the trace records after `seq`: the run will diverge there. */
  forgetTrace(seq: number): void {
    this.#trace.forget(seq);
  }

  /** Up to `max` records from `fromSeq`, as far as they exist in the ring. */
  trace(
    fromSeq: number,
    max: number,
    into = new Columns(new ArrayBuffer(traceBytes(max))),
  ): TraceChunk {
    const start = Math.max(fromSeq, 1);
    const last = Math.min(this.#seq(), start + max - 1);
    const held = Math.max(start, this.#trace.from);
    const length = Math.max(Math.min(last, this.#trace.to) - held + 1, 0);
    const firstSeq = length > 0 ? held : Math.max(last + 1, start);
    const chunk = {
      firstSeq,
      lost: firstSeq - start,
      length,
      timePs: into.f64(length),
      a: into.u64(length),
      cause: into.u32(length),
      b: into.u32(length),
      c: into.u32(length),
      part: into.u16(length),
      kind: into.u16(length),
    };
    this.#copyTrace(chunk);
    return chunk;
  }

  #copyTrace(chunk: TraceChunk): void {
    const engine = this.#engine;
    const { words } = engine;
    const ring = engine.at(DIRECTORY.traceAt);
    for (let i = 0; i < chunk.length; i++) {
      const at = ring + ((chunk.firstSeq + i - 1) % this.#trace.capacity) * RECORD.size;
      chunk.timePs[i] = engine.number(at + RECORD.time);
      chunk.cause[i] = words[at + RECORD.cause] ?? 0;
      chunk.part[i] = engine.part(at, RECORD.part);
      chunk.kind[i] = engine.part(at, RECORD.kind);
      chunk.a[i] = engine.exact(at + RECORD.a);
      chunk.b[i] = words[at + RECORD.b] ?? 0;
      chunk.c[i] = words[at + RECORD.c] ?? 0;
    }
  }

  #state(): Uint8Array {
    return this.#engine.bytes(this.#engine.base, this.stateBytes);
  }

  /** Copies the simulated state (`stateBytes`) into a preallocated slot. */
  snapshot(slot: Uint8Array): void {
    slot.set(this.#state());
  }

  /** Restores a snapshot of this session. */
  restore(slot: Uint8Array): void {
    this.#state().set(slot);
    this.#engine.refreshHeader();
  }

  /** Runs `step` and registers the trace records it wrote. */
  #recorded(step: () => number): number {
    if (!this.#recording) return step();
    const before = this.#seq();
    const result = step();
    this.#trace.wrote(before, this.#seq());
    return result;
  }

  #seq(): number {
    this.#engine.refreshHeader();
    return this.#engine.wide(DIRECTORY.seq);
  }

  #refusal() {
    const engine = this.#engine;
    engine.refreshHeader();
    const part = engine.field(DIRECTORY.errorPart);
    const known = part !== NO_PART && part < engine.field(DIRECTORY.partCount);
    return refused({
      code: engine.field(DIRECTORY.error),
      part: known ? part : -1,
      shape: known ? this.#place(part).shape : undefined,
      detail: engine.field(DIRECTORY.errorDetail),
    });
  }
}
