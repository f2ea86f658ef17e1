/**
 * A WebAssembly instance of the engine. Only this file creates views of its memory.
 *
 * Memory grows only while a machine is loaded, so calling `refresh` after loading is enough. 64-bit numbers are
 * read as two halves and are exact up to 2^53. After a trap the instance is unusable and rethrows the error.
 */
import type { EngineError } from './api';
import { trapped } from './engine-errors';
import { SIM_DIRECTORY as DIRECTORY } from './gen/abi';

/** Exports of wasm/host/wasm.c; the last ones exist only in wasm/host/verify_wasm.c. Addresses are in bytes. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  session(bytes: number): number;
  open(bytes: number): number;
  engine(): number;
  run(untilLo: number, untilHi: number, eventsLo: number, eventsHi: number): number;
  command(part: number, param: number, lo: number, hi: number): number;
  look(): number;
  hash(): void;
  record(on: number): void;
  replay(at: number, count: number): void;
  fail_allocation(nth: number): void;
  explore_begin(mebibytes: number): number;
  explore(transitions: number): number;
  play_room(bytes: number): number;
  play(player: number, bytes: number, last: number): number;
  _initialize?(): void;
}

const HIGH = 2 ** 32;
const ALL_ONES = 0xffffffff;

/** Low and high half of an unsigned number; all ones for infinity. */
export const low = (value: number) => (value < Number.MAX_SAFE_INTEGER ? value >>> 0 : ALL_ONES);
export const high = (value: number) =>
  value < Number.MAX_SAFE_INTEGER ? Math.floor(value / HIGH) : ALL_ONES;

/** Position of a bit field in a word. */
interface Piece {
  readonly word: number;
  readonly shift: number;
  readonly mask: number;
}

export class Instance {
  readonly #exports: Exports;
  /** All memory; offsets below are indices into it. */
  words = new Uint32Array(0);
  #wide = new BigUint64Array(0);
  /** Byte address of the engine's state. */
  base = 0;
  #header = 0;
  #dead: EngineError | null = null;

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.#exports._initialize?.();
  }

  /** The error that made the instance unusable, or null. */
  get dead(): EngineError | null {
    return this.#dead;
  }

  /**
   * Calls into the engine.
   * @throws {EngineError} if it traps now or has trapped before
   */
  call<T>(step: (exports: Exports) => T): T {
    if (this.#dead) throw this.#dead;
    try {
      return step(this.#exports);
    } catch (cause) {
      this.refreshHeader();
      this.#dead = trapped(cause, this.wide(DIRECTORY.events), {
        code: this.field(DIRECTORY.error),
        part: this.field(DIRECTORY.errorPart),
        detail: this.field(DIRECTORY.errorDetail),
      });
      throw this.#dead;
    }
  }

  /** Recreates the views after memory may have grown. */
  refresh(): void {
    const { buffer } = this.#exports.memory;
    if (this.words.buffer !== buffer) {
      this.words = new Uint32Array(buffer);
      this.#wide = new BigUint64Array(buffer);
    }
    this.base = this.#exports.engine() / 4;
    this.refreshHeader();
  }

  /** Updates the header, which the engine fills in on request. */
  refreshHeader(): void {
    this.#header = this.#exports.look() / 4;
  }

  /** A field of the header. */
  field(word: number): number {
    return this.words[this.#header + word] ?? 0;
  }

  /** A 64-bit field of the header. */
  wide(word: number): number {
    return this.number(this.#header + word);
  }

  /** Word index of the data whose byte offset is in a header field. */
  at(word: number): number {
    return this.base + this.field(word) / 4;
  }

  /** A bit field of the struct at `at`. */
  part(at: number, { word, shift, mask }: Piece): number {
    return ((this.words[at + word] ?? 0) >>> shift) & mask;
  }

  /** A 64-bit number. */
  number(at: number): number {
    return (this.words[at] ?? 0) + (this.words[at + 1] ?? 0) * HIGH;
  }

  /** The same with all 64 bits. */
  exact(at: number): bigint {
    return this.#wide[at / 2] ?? 0n;
  }

  /** `length` bytes from the word `at`. */
  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.words.buffer, at * 4, length);
  }

  /** Reads one field of every row of a table; `from` and `rowBytes` are in bytes. */
  column(into: Float64Array, from: number, rowBytes: number, bits: number): void {
    const { buffer } = this.words;
    const narrow = bits === 8 ? new Uint8Array(buffer) : new Uint16Array(buffer);
    const cells = bits < 32 ? narrow : this.words;
    const step = rowBytes / cells.BYTES_PER_ELEMENT;
    let at = from / cells.BYTES_PER_ELEMENT;
    for (let row = 0; row < into.length; row++, at += step)
      into[row] = bits === 64 ? this.number(at) : (cells[at] ?? 0);
  }
}
