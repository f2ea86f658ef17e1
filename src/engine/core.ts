/**
 * One engine, wrapped: loads a session, runs it, reads its state. Synchronous; a run of a million
 * events takes some tens of milliseconds, so hosts that must answer meanwhile run it in slices.
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
  /** Refuse the nth allocation of memory, counted from 1: what a test asks for. */
  readonly failAllocation?: number;
}

/** Where a part's numbers lie, as word indices; fixed from opening on. */
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

  /** Whether a trap has ended this core. */
  get dead(): boolean {
    return this.#engine.dead !== null;
  }

  /**
   * Loads a compiled session at time zero.
   * @throws {EngineError} when it is refused; nothing is open then
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

  /** Whether the session keeps a trace at all. */
  get canRecord(): boolean {
    return this.#trace.capacity > 1;
  }

  /** How many trace records are kept. */
  get traceCapacity(): number {
    return this.#trace.capacity;
  }

  /** Size of a snapshot. */
  get stateBytes(): number {
    return this.#engine.field(DIRECTORY.stateBytes);
  }

  get position(): Position {
    const engine = this.#engine;
    engine.look();
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
   * @throws {EngineError} when the part refuses; the parameter keeps its value
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

  /** Recording slows a run by some percent and changes nothing in it. */
  record(on: boolean): void {
    this.#recording = on && this.canRecord;
    this.#engine.call((wasm) => wasm.record(on ? 1 : 0));
  }

  /** The choices made so far, as many as the engine keeps. */
  choices(): Uint32Array {
    const engine = this.#engine;
    engine.look();
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

  /** Counters of all parts, one part after another, copied to `into` from an index on. */
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

  /** Bytes that the columns of a view take, or its rows. */
  viewBytes({ part, view, packed }: ViewRequest): number {
    const { rows, rowBytes, fields } = this.#viewEntry(part, view);
    return packed ? (rows * rowBytes + 7) & ~7 : rows * fields.length * 8;
  }

  /** The state of a view, one column per field or its rows as they are. Looking changes nothing. */
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

  /** The trace will take another course after record `seq`. */
  forgetTrace(seq: number): void {
    this.#trace.forget(seq);
  }

  /** Up to `max` records from `fromSeq` on, as far as the ring holds them and the run has come. */
  trace(
    fromSeq: number,
    max: number,
    into = new Columns(new ArrayBuffer(traceBytes(max))),
  ): TraceChunk {
    const wanted = Math.max(fromSeq, 1);
    const last = Math.min(this.#seq(), wanted + max - 1);
    const held = Math.max(wanted, this.#trace.from);
    const length = Math.max(Math.min(last, this.#trace.to) - held + 1, 0);
    const firstSeq = length > 0 ? held : Math.max(last + 1, wanted);
    const chunk = {
      firstSeq,
      lost: firstSeq - wanted,
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

  /** Copies the simulated state (`stateBytes`) into a slot that is kept for it. */
  snapshot(slot: Uint8Array): void {
    slot.set(this.#state());
  }

  /** Puts a snapshot of this session back. */
  restore(slot: Uint8Array): void {
    this.#state().set(slot);
    this.#engine.look();
  }

  /** Runs `step` and notes which trace records it wrote. */
  #recorded(step: () => number): number {
    if (!this.#recording) return step();
    const before = this.#seq();
    const result = step();
    this.#trace.wrote(before, this.#seq());
    return result;
  }

  #seq(): number {
    this.#engine.look();
    return this.#engine.wide(DIRECTORY.seq);
  }

  #refusal() {
    const engine = this.#engine;
    engine.look();
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
