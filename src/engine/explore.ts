/**
 * Exhaustive exploration of a machine, as wasm/include/explore.h offers it. An instance of the module of
 * its own, so that no running machine is disturbed; the caller decides how much is done at a time.
 */
import { DIRECTORY, Instance } from './instance';

/** enum by_explore_end. */
const ENDS = ['more', 'complete', 'broken', 'full'] as const;
type ExploreEnd = (typeof ENDS)[number];

/** enum by_invariant. */
const INVARIANTS = [
  'none',
  'one writer or many readers',
  'no lost data',
  'no valid stale copy',
  'each load gets the newest write',
  'each device read gets the newest write',
  'DMA writes exactly its bytes',
  'no translation outlives its directory entry',
  'nothing comes between a locked read and its write',
  'no deadlock',
  'each transaction is answered once',
] as const;

export interface Explored {
  readonly end: ExploreEnd;
  readonly invariant: string | null;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly deadlocks: number;
  /** Steps and choices of the shortest way to a broken invariant. */
  readonly steps: number;
  readonly way: Uint32Array;
}

/** Words of struct by_explored. */
const RESULT = { end: 0, invariant: 1, depth: 3, states: 4, deadlocks: 5, transitions: 6 } as const;
const WAY = { length: 10, steps: 11, first: 12 } as const;

export class Explorer {
  readonly #instance: Instance;

  /** @throws {EngineError} if the machine is refused or there is not so much memory */
  constructor(module: WebAssembly.Module, config: Uint8Array, mebibytes: number) {
    this.#instance = new Instance(module);
    const at = this.#instance.call((wasm) => wasm.session(config.length));
    this.#instance.refresh();
    this.#instance.bytes(at / 4, config.length).set(config);
    this.#instance.call((wasm) => wasm.open(config.length));
    this.#instance.refresh();
    if (this.#instance.field(DIRECTORY.error) !== 0) throw new Error('The machine is refused.');
    if (this.#instance.call((wasm) => wasm.explore_begin(mebibytes)) === 0)
      throw new Error(`There are no ${mebibytes} MiB to explore in.`);
    this.#instance.refresh();
  }

  /** Goes on for about so many transitions. */
  step(transitions: number): Explored {
    const at = this.#instance.call((wasm) => wasm.explore(transitions)) / 4;
    const word = (index: number) => this.#instance.words[at + index] ?? 0;
    const first = at + WAY.first;
    return {
      end: ENDS[word(RESULT.end)] ?? 'full',
      invariant: word(RESULT.invariant) ? (INVARIANTS[word(RESULT.invariant)] ?? null) : null,
      states: word(RESULT.states),
      transitions: this.#instance.number(at + RESULT.transitions),
      depth: word(RESULT.depth),
      deadlocks: word(RESULT.deadlocks),
      steps: word(WAY.steps),
      way: this.#instance.words.slice(first, first + word(WAY.length)),
    };
  }

  /** How often each row of a view of every part of a type was taken, by one of its fields. */
  taken(parts: readonly number[], view: number, rowWords: number, field: number): number[] {
    const found: number[] = [];
    for (const part of parts) {
      const parts_at = this.#instance.at(DIRECTORY.partsAt) + part * 8;
      const first = this.#instance.words[parts_at + 5] ?? 0;
      const entry = this.#instance.at(DIRECTORY.viewsAt) + (first + view) * 4;
      const at = this.#instance.base + (this.#instance.words[entry] ?? 0) / 4;
      const rows = this.#instance.words[entry + 1] ?? 0;
      for (let row = 0; row < rows; row++)
        found[row] = (found[row] ?? 0) + (this.#instance.words[at + row * rowWords + field] ?? 0);
    }
    return found;
  }
}
