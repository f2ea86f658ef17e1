/**
 * The allocator of I/O page table entries on its own; see wasm/host/map_table.c. Set up a table, submit batches
 * of operations, read their results. Each table has its own instance of the module, so no machine is affected.
 * Memory does not grow after construction, so the views are created once.
 */
import { EngineError } from './api';
import { FAULT } from './engine-errors';
import {
  MAPS_DIRECTORY as DIRECTORY,
  MAP_HEAD as HEAD,
  MAP_PROBLEM,
  MAP_OP as OP,
  MAP_OUTCOME as OUTCOME,
  MAP_POOL as POOL,
  MAP_SETUP as SETUP,
} from './gen/abi';

interface Exports {
  readonly memory: WebAssembly.Memory;
  maps_room(entries: number, ops: number): number;
  maps_open(quick: number): number;
  maps_run(ops: number): void;
  maps_sum(): void;
  _initialize?(): void;
}

export interface MapSetup {
  readonly entries: number;
  /** Binary logarithm of the I/O page. */
  readonly shift: number;
  /** Bus address of entry 0. */
  readonly base: bigint;
  /** As requested; 0 means 16. */
  readonly pools: number;
  /** Bits of enum map_rule. */
  readonly rules: number;
  /** Segment boundary mask of the device, in bytes. */
  readonly boundary: bigint;
}

export interface MapPool {
  readonly start: number;
  /** As stored by the allocator. */
  readonly end: number;
  readonly hint: number;
  readonly acquisitions: number;
}

/** Number of the large pool; number for "no pool". */
export const LARGE_POOL = 16;
export const NO_POOL = 17;

/** Maximum number of entries of a table. */
export const MAX_ENTRIES = 1 << 26;
/** Maximum and default number of pools, without the large one. */
export const MAX_POOLS = 16;

type Problem = Exclude<(typeof MAP_PROBLEM)[number], 'fine'>;

/** Why a table cannot be set up. */
const REFUSED: Readonly<Record<Problem, (setup: MapSetup) => string>> = {
  too_many_pools: ({ pools }) =>
    `A table has at most ${MAX_POOLS} pools, not ${pools}; the kernel stops with more.`,
  no_entries: () => 'A table has at least one entry.',
  empty_pools: ({ pools, entries }) =>
    `A table has at least one entry for each of its ${pools || MAX_POOLS} pools, and a third more with a large pool; ${entries} are too few.`,
  no_boundary: () => 'The segment boundary is too large.',
};

export class MapTable {
  readonly #exports: Exports;
  readonly #words: Uint32Array;
  readonly #places: number;
  readonly setup: MapSetup;
  /** Input operations, OP.size words each. */
  readonly ops: Uint32Array;
  /** Results, OUTCOME.size words each. */
  readonly outcomes: Uint32Array;

  /**
   * @param capacity maximum number of operations per batch
   * @param quick skip ranges known to be too small: `examined` and `reused` are then undefined, everything else
   * is the same
   * @throws {EngineError} if the table cannot be set up
   */
  constructor(module: WebAssembly.Module, setup: MapSetup, capacity: number, quick = false) {
    const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    exports._initialize?.();
    const refuse = (sentence: string) => new EngineError(sentence, FAULT.badParam, -1);
    if (setup.entries > MAX_ENTRIES) throw refuse(`A table has at most ${MAX_ENTRIES} entries.`);
    const places = exports.maps_room(setup.entries, capacity) / 4;
    if (!places) throw refuse('There is not enough memory for this table.');
    this.#exports = exports;
    this.#places = places;
    this.#words = new Uint32Array(exports.memory.buffer);
    this.setup = setup;
    this.#write(setup);
    const problem = MAP_PROBLEM[exports.maps_open(quick ? 1 : 0)] ?? 'fine';
    if (problem !== 'fine') throw refuse(REFUSED[problem](setup));
    this.ops = this.#part(DIRECTORY.opsAt, capacity * OP.size);
    this.outcomes = this.#part(DIRECTORY.outcomesAt, capacity * OUTCOME.size);
  }

  #at(place: number): number {
    return (this.#words[this.#places + place] ?? 0) / 4;
  }

  #part(place: number, length: number): Uint32Array {
    const at = this.#at(place);
    return this.#words.subarray(at, at + length);
  }

  #write(setup: MapSetup): void {
    const view = new DataView(this.#words.buffer, this.#at(DIRECTORY.setupAt) * 4, SETUP.size * 4);
    view.setBigUint64(SETUP.base * 4, setup.base, true);
    view.setBigUint64(SETUP.boundary * 4, setup.boundary, true);
    view.setUint32(SETUP.entries * 4, setup.entries, true);
    view.setUint32(SETUP.shift * 4, setup.shift, true);
    view.setUint32(SETUP.npools * 4, setup.pools, true);
    view.setUint32(SETUP.rules * 4, setup.rules, true);
  }

  /** Runs the first `n` operations of `ops`. */
  run(n: number): void {
    this.#exports.maps_run(n);
  }

  #head(word: number): number {
    return this.#words[this.#at(DIRECTORY.headAt) + word] ?? 0;
  }

  #count(field: number): number {
    return this.#head(field) + this.#head(field + 1) * 2 ** 32;
  }

  get pools(): number {
    return this.#head(HEAD.npools);
  }

  get poolSize(): number {
    return this.#head(HEAD.poolSize);
  }

  get flushes(): number {
    return this.#count(HEAD.flushes);
  }

  /** Searches of a pool or of a part of one. */
  get searches(): number {
    return this.#count(HEAD.searches);
  }

  /** 64-bit bitmap words read by searches. */
  get examined(): number {
    return this.#count(HEAD.words);
  }

  /** Allocations of entries freed since the last flush. */
  get reused(): number {
    return this.#count(HEAD.reused);
  }

  get needsFlush(): boolean {
    return this.#head(HEAD.needFlush) !== 0;
  }

  /** Pool `number`. LARGE_POOL is the large one; all zeros if there is none. */
  pool(number: number): MapPool {
    const at = this.#at(DIRECTORY.poolsAt) + number * POOL.size;
    const word = (index: number) => this.#words[at + index] ?? 0;
    const acquisitions = word(POOL.acquisitions) + word(POOL.acquisitions + 1) * 2 ** 32;
    return { start: word(POOL.start), end: word(POOL.end), hint: word(POOL.hint), acquisitions };
  }

  /** Number of allocated entries, and the CRC-32 of the bitmap as 8 hexadecimal digits. */
  sum(): { population: number; crc: string } {
    this.#exports.maps_sum();
    const word = (place: number) => this.#words[this.#places + place] ?? 0;
    return {
      population: word(DIRECTORY.population),
      crc: word(DIRECTORY.crc).toString(16).padStart(8, '0'),
    };
  }

  /** The bitmap: 32 entries per word, lowest bit first. */
  get bits(): Uint32Array {
    return this.#part(DIRECTORY.bitsAt, Math.ceil(this.setup.entries / 64) * 2);
  }
}
