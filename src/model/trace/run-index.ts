/**
 * The records of a whole run, packed for searches: columns of 65536 records, each in the narrowest type that holds its
 * values. A test by part and kind skips most records by one number.
 *
 *     class   3 3 7 3 9 ...      part and kind, numbered as they come
 *     time    from the first record of the block
 *     cause   back from the record
 */
import type { TraceChunk } from '../../engine/api';
import type { ClassTest, Rows, RowTest, Slot } from './rows';

const SIZE = 1 << 16;
const MASK = SIZE - 1;

/** Not more types: a browser reads an array of one of four types by fast code. */
type Column = Uint16Array | Uint32Array | Float64Array | BigUint64Array | null;

const columnValue = (column: Column, at: number): number => {
  if (column === null) return 0;
  const value = column[at] as number | bigint;
  return typeof value === 'number' ? value : Number(value);
};

/** The narrowest copy of whole numbers; null if all are zero. */
function narrow(values: Float64Array | Uint32Array, length: number): Column {
  let most = 0;
  for (let i = 0; i < length; i++) if ((values[i] as number) > most) most = values[i] as number;
  const used = values.subarray(0, length);
  if (most === 0) return null;
  if (most < 0x10000) return new Uint16Array(used);
  return most < 0x100000000 ? new Uint32Array(used) : new Float64Array(used);
}

/** The narrowest copy of 64-bit numbers, all bits. */
function narrowExact(values: BigUint64Array, length: number): Column {
  const numbers = new Float64Array(length);
  for (let i = 0; i < length; i++) numbers[i] = Number(values[i]);
  return numbers.every(Number.isSafeInteger) ? narrow(numbers, length) : values.slice(0, length);
}

interface Block {
  readonly classes: Uint16Array;
  readonly startPs: number;
  /** Number of records by class, once the block is full. */
  tally: Uint32Array | null;
  time: Column;
  cause: Column;
  a: Column;
  b: Column;
  c: Column;
}

const NOTHING: Block = {
  ...{ classes: new Uint16Array(), startPs: 0, tally: null },
  ...{ time: null, cause: null, a: null, b: null, c: null },
};

/** The block that is being filled. */
const openColumns = () => ({
  time: new Float64Array(SIZE),
  cause: new Uint32Array(SIZE),
  a: new BigUint64Array(SIZE),
  b: new Uint32Array(SIZE),
  c: new Uint32Array(SIZE),
});

export class RunIndex implements Rows {
  private readonly blocks: Block[] = [];
  private near = NOTHING;
  private nearNumber = -1;
  private readonly open = openColumns();
  private readonly classes = new Map<number, number>();
  private readonly parts: number[] = [];
  private readonly kinds: number[] = [];
  /** Number of records; the first has sequence number 1. */
  length = 0;

  /** Adds the records that follow. */
  append(chunk: TraceChunk): void {
    for (let i = this.length + 1 - chunk.firstSeq; i < chunk.length; i++) this.add(chunk, i);
  }

  private add(chunk: TraceChunk, i: number): void {
    const at = this.length % SIZE;
    const timePs = chunk.timePs[i] as number;
    if (at === 0) this.begin(timePs);
    const block = this.blocks[this.blocks.length - 1] as Block;
    const { open } = this;
    block.classes[at] = this.classOf(chunk.part[i] as number, chunk.kind[i] as number);
    open.time[at] = timePs - block.startPs;
    const cause = chunk.cause[i] as number;
    const seq = ++this.length;
    open.cause[at] = cause > 0 && cause < seq ? seq - cause : 0;
    open.a[at] = chunk.a[i] as bigint;
    open.b[at] = chunk.b[i] as number;
    open.c[at] = chunk.c[i] as number;
    if (at === SIZE - 1) this.pack(block);
  }

  private begin(startPs: number): void {
    const { time, cause, a, b, c } = this.open;
    this.nearNumber = -1;
    const classes = new Uint16Array(SIZE);
    this.blocks.push({ classes, startPs, tally: null, time, cause, a, b, c });
  }

  private pack(block: Block): void {
    block.tally = new Uint32Array(this.parts.length);
    for (const own of block.classes) block.tally[own] = (block.tally[own] as number) + 1;
    block.time = narrow(this.open.time, SIZE);
    block.cause = narrow(this.open.cause, SIZE);
    block.a = narrowExact(this.open.a, SIZE);
    block.b = narrow(this.open.b, SIZE);
    block.c = narrow(this.open.c, SIZE);
  }

  private classOf(part: number, kind: number): number {
    const key = part * 65536 + kind;
    const known = this.classes.get(key);
    if (known !== undefined) return known;
    this.classes.set(key, this.parts.length);
    this.kinds.push(kind);
    return this.parts.push(part) - 1;
  }

  /** The block of a record; the last one asked for is at hand. */
  private blockOf(seq: number): Block {
    const number = (seq - 1) >>> 16;
    if (number !== this.nearNumber) {
      this.nearNumber = number;
      this.near = this.blocks[number] ?? NOTHING;
    }
    return this.near;
  }

  has(seq: number): boolean {
    return seq >= 1 && seq <= this.length;
  }

  partOf(seq: number): number {
    return this.parts[this.blockOf(seq).classes[(seq - 1) & MASK] as number] ?? -1;
  }

  kindOf(seq: number): number {
    return this.kinds[this.blockOf(seq).classes[(seq - 1) & MASK] as number] ?? -1;
  }

  timeOf(seq: number): number {
    const { startPs, time } = this.blockOf(seq);
    return startPs + columnValue(time, (seq - 1) & MASK);
  }

  causeOf(seq: number): number {
    const back = columnValue(this.blockOf(seq).cause, (seq - 1) & MASK);
    return back === 0 ? 0 : seq - back;
  }

  valueOf(seq: number, slot: Slot): number {
    const block = this.blockOf(seq);
    const column = slot === 'a' ? block.a : slot === 'b' ? block.b : block.c;
    return columnValue(column, (seq - 1) & MASK);
  }

  exactOf(seq: number): bigint {
    return BigInt(this.blockOf(seq).a?.[(seq - 1) & MASK] ?? 0);
  }

  /**
   * Finds the records from `from` to `to` that pass, and calls back with the first `most` of them, in order.
   * @returns their number
   */
  find(
    ofClass: ClassTest,
    { from, to, most }: { readonly from: number; readonly to: number; readonly most: number },
    onHit: (seq: number) => void,
  ): number {
    const plan = this.parts.map((part, i) => ofClass(part, this.kinds[i] as number));
    const ranges = plan.map((own) => (typeof own === 'boolean' ? null : (own.ranges ?? null)));
    let count = 0;
    if (plan.every((own) => own === false)) return count;
    for (let seq = from; seq <= to; ) {
      const { classes, tally, a, b, c } = this.blockOf(seq);
      const blockEnd = (((seq - 1) >>> 16) + 1) * SIZE;
      const end = Math.min(to, blockEnd);
      const isWhole = end === blockEnd && end - seq === SIZE - 1;
      const known = tally && isWhole ? decided(plan, tally) : null;
      if (known === 0 || (known !== null && count >= most)) {
        count += known;
        seq = end + 1;
      }
      for (; seq <= end; seq++) {
        const at = (seq - 1) & MASK;
        const own = plan[classes[at] as number];
        if (own === false) continue;
        if (own !== true) {
          const any = ranges[classes[at] as number];
          if (any) {
            let isFound = false;
            for (const { slot, from: least, to: highest } of any) {
              const value = columnValue(slot === 'a' ? a : slot === 'b' ? b : c, at);
              isFound ||= value >= least && value <= highest;
            }
            if (!isFound) continue;
          } else if (!own?.(this, seq)) continue;
        }
        if (++count <= most) onHit(seq);
      }
    }
    return count;
  }
}

/** How many records of a block pass by their class; null if a record has to be tested. */
function decided(plan: readonly (boolean | RowTest)[], tally: Uint32Array): number | null {
  let count = 0;
  for (let own = 0; own < tally.length; own++) {
    const test = plan[own];
    if (tally[own] === 0 || test === false) continue;
    if (test !== true) return null;
    count += tally[own] as number;
  }
  return count;
}
