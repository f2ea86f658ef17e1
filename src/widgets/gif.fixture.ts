/** Reads a GIF as a player shows it: a second reading of the format, for tests. */

interface Shown {
  /** Milliseconds. */
  readonly delay: number;
  readonly rgba: Uint8ClampedArray;
}

/** The colour numbers of one picture, unpacked: codes grow by a bit as the table of known runs fills. */
function unpacked(bytes: Uint8Array, leastBits: number, count: number): number[] {
  const [clear, end] = [1 << leastBits, (1 << leastBits) + 1];
  let table: number[][] = [];
  let bits = 0;
  let before: number[] | null = null;
  const reset = () => {
    table = Array.from({ length: end + 1 }, (_, code) => (code < clear ? [code] : []));
    bits = leastBits + 1;
    before = null;
  };
  reset();
  const found: number[] = [];
  for (let at = 0; found.length < count; ) {
    let code = 0;
    for (let bit = 0; bit < bits; bit++, at++)
      code |= (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) << bit;
    if (code === end) break;
    if (code === clear) {
      reset();
      continue;
    }
    const last: number[] | null = before;
    const run: number[] = table[code] ?? [...(last ?? []), last?.[0] ?? 0];
    found.push(...run);
    if (last && table.length < 4096) table.push([...last, run[0] ?? 0]);
    if (table.length === 1 << bits && bits < 12) bits++;
    before = run;
  }
  return found;
}

/** The pictures that a player shows one after the other. */
export function picturesIn(file: Uint8Array): Shown[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  const colours = (at: number, flags: number) =>
    file.subarray(at, at + (flags & 0x80 ? 3 * (2 << (flags & 7)) : 0));
  let at = 13;
  const shared = colours(at, file[10] ?? 0);
  at += shared.length;
  const canvas = new Uint8ClampedArray(width * height * 4);
  const shown: Shown[] = [];
  let [delay, transparent] = [0, -1];
  const skip = (): Uint8Array => {
    const parts: number[] = [];
    for (let size = file[at++] ?? 0; size > 0; size = file[at++] ?? 0) {
      parts.push(...file.subarray(at, at + size));
      at += size;
    }
    return Uint8Array.from(parts);
  };
  for (let kind = file[at++]; kind !== 0x3b; kind = file[at++]) {
    if (kind === 0x21) {
      const isControl = file[at++] === 0xf9;
      if (isControl) {
        delay = view.getUint16(at + 2, true) * 10;
        transparent = (file[at + 1] ?? 0) & 1 ? (file[at + 4] ?? 0) : -1;
      }
      skip();
      continue;
    }
    if (kind !== 0x2c) throw new Error(`There is no block ${kind} in a GIF.`);
    const flags = file[at + 8] ?? 0;
    const own = colours(at + 9, flags);
    at += 9 + own.length;
    const table = own.length > 0 ? own : shared;
    const leastBits = file[at++] ?? 0;
    unpacked(skip(), leastBits, width * height).forEach((colour, pixel) => {
      if (colour !== transparent)
        canvas.set([...table.subarray(colour * 3, colour * 3 + 3), 255], pixel * 4);
    });
    shown.push({ delay, rgba: canvas.slice() });
  }
  return shown;
}
