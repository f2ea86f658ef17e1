/**
 * Values kept in the order of their numbers, hundreds of thousands of them: in rooms of a few hundred each,
 * so that putting one in moves a room and not all.
 */
const CHUNK_SIZE = 256;

interface Chunk<T> {
  readonly keys: number[];
  readonly values: T[];
}

/** How many ordered keys are below, or up to, a number. */
export function rank(keys: readonly number[], key: number, inclusive: boolean): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = keys[middle] as number;
    if (found < key || (inclusive && found === key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Sorted<T> {
  readonly #chunks: Chunk<T>[] = [{ keys: [], values: [] }];
  /** The least key of each room; anything lower goes into the first. */
  readonly #lowest: number[] = [Number.NEGATIVE_INFINITY];

  #chunkOf(key: number): number {
    return rank(this.#lowest, key, true) - 1;
  }

  set(key: number, value: T): void {
    const number = this.#chunkOf(key);
    const { keys, values } = this.#chunks[number] as Chunk<T>;
    const at = rank(keys, key, false);
    if (keys[at] === key) {
      values[at] = value;
      return;
    }
    keys.splice(at, 0, key);
    values.splice(at, 0, value);
    if (keys.length <= CHUNK_SIZE) return;
    const half = CHUNK_SIZE >> 1;
    const upper = { keys: keys.splice(half), values: values.splice(half) };
    this.#chunks.splice(number + 1, 0, upper);
    this.#lowest.splice(number + 1, 0, upper.keys[0] as number);
  }

  delete(key: number): void {
    const number = this.#chunkOf(key);
    const { keys, values } = this.#chunks[number] as Chunk<T>;
    const at = rank(keys, key, false);
    if (keys[at] !== key) return;
    keys.splice(at, 1);
    values.splice(at, 1);
    if (keys.length > 0 || number === 0) return;
    this.#chunks.splice(number, 1);
    this.#lowest.splice(number, 1);
  }

  /** The value of the least key that is not below a number. */
  from(key: number): T | undefined {
    const number = this.#chunkOf(key);
    const { keys, values } = this.#chunks[number] as Chunk<T>;
    const at = rank(keys, key, false);
    return at < keys.length ? values[at] : this.#chunks[number + 1]?.values[0];
  }

  /** The value of the greatest key below a number. */
  below(key: number): T | undefined {
    let number = this.#chunkOf(key);
    if (this.#lowest[number] === key) number--;
    const { keys, values } = this.#chunks[number] as Chunk<T>;
    const at = rank(keys, key, false);
    return at > 0 ? values[at - 1] : this.#chunks[number - 1]?.values.at(-1);
  }
}
