/** Packs typed arrays into one buffer, so that a frame is transferred to the page as a single object. */
export class Columns {
  #used = 0;

  constructor(readonly buffer: ArrayBuffer) {}

  #take(bytes: number): number {
    const at = this.#used;
    this.#used = at + ((bytes + 7) & ~7);
    return at;
  }

  f64(length: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.buffer, this.#take(length * 8), length);
  }

  u64(length: number): BigUint64Array<ArrayBuffer> {
    return new BigUint64Array(this.buffer, this.#take(length * 8), length);
  }

  u32(length: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.buffer, this.#take(length * 4), length);
  }

  u16(length: number): Uint16Array<ArrayBuffer> {
    return new Uint16Array(this.buffer, this.#take(length * 2), length);
  }
}

/** Size of the columns of `length` trace records, in bytes. */
export const traceBytes = (length: number) => 32 * length + 7 * 8;
