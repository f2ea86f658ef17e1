/**
 * Exhaustive exploration of a machine; see wasm/include/explore.h. It uses its own instance of the module, so
 * no running machine is affected. The caller decides how much work is done per call.
 */
import { EngineError } from './api';
import { FAULT } from './engine-errors';
import {
  SIM_DIRECTORY as DIRECTORY,
  SIM_EXPLORE_END,
  SIM_EXPLORED,
  SIM_INVARIANT,
} from './gen/abi';
import { Instance } from './wasm-instance';

/** The engine never reports 'cancelled'; the host adds it. */
type ExploreEnd = (typeof SIM_EXPLORE_END)[number] | 'cancelled';

/** Invariants, in the order of their numbers. */
export const INVARIANTS = SIM_INVARIANT.map(({ holds }) => holds);
type Invariant = (typeof INVARIANTS)[number];

export interface Explored {
  readonly end: ExploreEnd;
  /** The violated invariant, or null. */
  readonly invariant: Invariant | null;
  readonly states: number;
  readonly transitions: number;
  /** Breadth-first layers explored: the initial state, its successors, and so on. */
  readonly depth: number;
  readonly deadlocks: number;
  /** States in the frontier: found, but not expanded yet. */
  readonly waiting: number;
  /** For each row of the protocol table, whether any cache has used it. */
  readonly rules: readonly boolean[];
  /** Address that violated the invariant; 0 if it concerns no address. */
  readonly about: number;
  /** Number of events and choices of a shortest counterexample. */
  readonly steps: number;
  readonly way: Uint32Array;
  /** Elapsed time in seconds. */
  readonly seconds: number;
}

export interface ExploreOptions {
  /** Memory for visited states; 8 million states fit into 512. */
  readonly mebibytes?: number;
  /** Called about ten times a second. */
  readonly onProgress?: (now: Explored) => void;
  /** Cancels the exploration. The result then has what was found so far and the end 'cancelled'. */
  readonly signal?: AbortSignal;
}

/** Explores a compiled machine: in this process (inprocess.ts) or in a worker (workers.ts). */
export type Explore = (config: Uint8Array, options?: ExploreOptions) => Promise<Explored>;

export const MEBIBYTES = 512;

/** Transitions between two checks of the clock: some milliseconds. */
const PIECE = 1 << 14;
const PROGRESS_MS = 100;

export class Explorer {
  readonly #instance: Instance;
  #milliseconds = 0;

  /** @throws {EngineError} if the machine is refused or the memory cannot be allocated */
  constructor(module: WebAssembly.Module, config: Uint8Array, mebibytes = MEBIBYTES) {
    this.#instance = new Instance(module);
    const at = this.#instance.call((wasm) => wasm.session(config.length));
    this.#instance.refresh();
    this.#instance.bytes(at / 4, config.length).set(config);
    this.#instance.call((wasm) => wasm.open(config.length));
    this.#instance.refresh();
    if (this.#instance.field(DIRECTORY.error) !== 0)
      throw new EngineError('The engine refuses the machine to explore.', FAULT.badParam, -1);
    if (this.#instance.call((wasm) => wasm.explore_begin(mebibytes)) === 0)
      throw new EngineError(`There are no ${mebibytes} MiB to explore in.`, FAULT.noMemory, -1);
    this.#instance.refresh();
  }

  /** Continues for about this many transitions. */
  step(transitions: number): Explored {
    const began = performance.now();
    const at = this.#instance.call((wasm) => wasm.explore(transitions)) / 4;
    this.#milliseconds += performance.now() - began;
    const word = (index: number) => this.#instance.words[at + index] ?? 0;
    const first = at + SIM_EXPLORED.way;
    return {
      end: SIM_EXPLORE_END[word(SIM_EXPLORED.end)] ?? 'full',
      invariant: word(SIM_EXPLORED.invariant)
        ? (INVARIANTS[word(SIM_EXPLORED.invariant)] ?? null)
        : null,
      states: word(SIM_EXPLORED.states),
      transitions: this.#instance.number(at + SIM_EXPLORED.transitions),
      depth: word(SIM_EXPLORED.depth),
      deadlocks: word(SIM_EXPLORED.deadlocks),
      waiting: word(SIM_EXPLORED.waiting),
      about: this.#instance.number(at + SIM_EXPLORED.at),
      rules: Array.from(
        { length: word(SIM_EXPLORED.rules) },
        (_, row) => ((word(SIM_EXPLORED.taken + (row >> 5)) >>> (row & 31)) & 1) === 1,
      ),
      steps: word(SIM_EXPLORED.steps),
      way: this.#instance.words.slice(first, first + word(SIM_EXPLORED.wayLength)),
      seconds: this.#milliseconds / 1000,
    };
  }

  /** Continues until the exploration ends or a progress report is due. */
  advance(): Explored {
    const until = performance.now() + PROGRESS_MS;
    let now = this.step(PIECE);
    while (now.end === 'more' && performance.now() < until) now = this.step(PIECE);
    return now;
  }
}
