/**
 * Plays recorded memory references through the caches of a machine that has a reference player; see
 * wasm/include/reference_trace.h.
 */
import {
  SIM_DIRECTORY as DIRECTORY,
  SIM_PART as PART,
  SIM_PLAYED as PLAYED,
  SIM_REFERENCE_ERROR,
  SIM_VIEW_ENTRY as VIEW,
} from './gen/abi';
import { Instance } from './wasm-instance';

/** An error in a line of the trace. */
export interface ReferenceFault {
  readonly reason: Exclude<(typeof SIM_REFERENCE_ERROR)[number], 'ok'>;
  readonly line: number;
  readonly column: number;
  /** The processor named in the line. */
  readonly cpu: number;
}

export class ReferencePlayer {
  readonly #instance: Instance;
  readonly #player: number;
  readonly #at: number;
  readonly #room: number;
  #left = 0;
  #played = 0;

  /** @throws {Error} if the machine is refused, or the text buffer of `room` bytes cannot be allocated */
  constructor(module: WebAssembly.Module, config: Uint8Array, player: number, room: number) {
    this.#instance = new Instance(module);
    const at = this.#instance.call((wasm) => wasm.session(config.length));
    this.#instance.refresh();
    this.#instance.bytes(at / 4, config.length).set(config);
    this.#instance.call((wasm) => wasm.open(config.length));
    this.#instance.refresh();
    if (this.#instance.field(DIRECTORY.error) !== 0)
      throw new Error('There are no caches of this shape: sets and lines come in powers of two.');
    this.#at = this.#instance.call((wasm) => wasm.play_room(room)) / 4;
    if (this.#at === 0) throw new Error('There is not enough memory.');
    this.#instance.refresh();
    this.#player = player;
    this.#room = room;
  }

  /** The buffer for the next bytes of the text. */
  get room(): Uint8Array {
    return this.#instance.bytes(this.#at, this.#room).subarray(this.#left);
  }

  /**
   * Plays the written bytes up to the last complete line, or with `last` to the end.
   * @returns an error in a line, or null
   */
  play(bytes: number, last: boolean): ReferenceFault | null {
    const whole = this.#left + bytes;
    this.#played = this.#instance.call((wasm) => wasm.play(this.#player, whole, last ? 1 : 0)) / 4;
    const word = (index: number) => this.#instance.words[this.#played + index] ?? 0;
    this.#left = word(PLAYED.left);
    const reason = SIM_REFERENCE_ERROR[word(PLAYED.error)] ?? 'ok';
    if (reason === 'ok') return null;
    const line = this.#instance.number(this.#played + PLAYED.lines) + 1;
    return { reason, line, column: word(PLAYED.column), cpu: word(PLAYED.value) };
  }

  /** Instruction fetches, which are not played: the caches are data caches. */
  get instructions(): number {
    return this.#instance.number(this.#played + PLAYED.instructions);
  }

  #part(part: number, word: number): number {
    return (
      this.#instance.words[this.#instance.at(DIRECTORY.partsAt) + part * PART.size + word] ?? 0
    );
  }

  /** A counter of a part. */
  counter(part: number, index: number): number {
    const at = this.#instance.base + this.#part(part, PART.countersAt) / 4;
    return this.#instance.number(at + index * 2);
  }

  /** Counts the rows of a view by the value of one word, for values below `values`. */
  tally(part: number, view: number, rowWords: number, word: number, values: number): number[] {
    const entry =
      this.#instance.at(DIRECTORY.viewsAt) + (this.#part(part, PART.firstView) + view) * VIEW.size;
    const at = this.#instance.base + (this.#instance.words[entry + VIEW.at] ?? 0) / 4;
    const rows = this.#instance.words[entry + VIEW.rows] ?? 0;
    const counts = Array.from({ length: values }, () => 0);
    for (let i = 0; i < rows; i++) {
      const value = this.#instance.words[at + i * rowWords + word] ?? 0;
      counts[value] = (counts[value] ?? 0) + 1;
    }
    return counts;
  }
}
