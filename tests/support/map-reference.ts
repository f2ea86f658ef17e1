/**
 * The pooled allocator once more, written from its description alone and for clarity: one byte per entry,
 * no bit tricks, whole calls instead of steps. It shares no code with the engine and knows no rule but
 * those of Linux 4.1; the engine's allocator is run against it in lockstep.
 */
export interface ReferenceSetup {
  readonly entries: number;
  readonly shift: number;
  readonly base: number;
  readonly pools: number;
  readonly large: boolean;
  readonly lazy: boolean;
  readonly skipSpan: boolean;
  /** Segment boundary mask in bytes; null is 2^32 - 1. */
  readonly segment: number | null;
}

export interface Request {
  readonly hash: number;
  readonly pages: number;
  readonly order?: number;
  /** In entries. */
  readonly mask?: number;
  readonly handle?: number;
}

export interface Answer {
  /** First entry, or -1. */
  readonly entry: number;
  /** -1 is the large pool; null if nothing was found. */
  readonly pool: number | null;
  readonly locks: number;
  readonly handle: number | undefined;
}

class Pool {
  hint: number;
  acquisitions = 0;

  constructor(
    readonly number: number,
    readonly first: number,
    readonly last: number,
  ) {
    this.hint = first;
  }
}

const DEFAULT_POOLS = 16;
const ALL = Number.MAX_SAFE_INTEGER;

export class ReferenceMap {
  readonly used: Uint8Array;
  readonly pools: Pool[] = [];
  readonly largePool: Pool | null;
  readonly size: number;
  flushes = 0;
  pending = false;

  constructor(readonly setup: ReferenceSetup) {
    const count = setup.pools === 0 ? DEFAULT_POOLS : setup.pools;
    const shared = setup.large ? Math.floor((3 * setup.entries) / 4) : setup.entries;
    this.size = Math.floor(shared / count);
    this.used = new Uint8Array(setup.entries);
    for (let i = 0; i < count; i++)
      this.pools.push(new Pool(i, i * this.size, (i + 1) * this.size - 1));
    this.largePool = setup.large ? new Pool(-1, count * this.size, setup.entries) : null;
  }

  /** Entries where a segment ends, or null when the setting would stop the kernel. */
  get boundary(): number | null {
    const { segment, shift, skipSpan } = this.setup;
    const entries = skipSpan
      ? this.size * this.pools.length
      : Math.floor((segment ?? 2 ** 32 - 1) / 2 ** shift) + 1;
    return Number.isInteger(Math.log2(entries)) ? entries : null;
  }

  allocate({ hash, pages, order = 0, mask = ALL, handle }: Request): Answer {
    const none = { entry: -1, pool: null, handle };
    if (pages === 0) return { ...none, locks: 0 };
    const large = this.largePool !== null && pages > 15;
    const wrap = this.pools.length - 1;
    let number = hash & wrap;
    let pool = large ? (this.largePool as Pool) : (this.pools[number] as Pool);
    const offset = Math.floor(this.setup.base / 2 ** this.setup.shift);
    let locks = 0;
    const lock = (next: Pool) => {
      pool = next;
      pool.acquisitions++;
      locks++;
    };
    lock(pool);
    for (let pass = 0; ; ) {
      let start = pool.hint;
      if (pass === 0 && handle && handle >= pool.first && handle < pool.last) start = handle;
      let limit = pool.last;
      if (start >= limit) start = pool.first;
      if (limit + offset > mask) {
        limit = mask - offset + 1;
        const masked = Number(BigInt(start) & BigInt(mask));
        if (masked >= limit || pass > 0) {
          lock(this.pools[0] as Pool);
          start = pool.first;
        } else start = masked;
      }
      const entry = this.search(start, limit - 1, pages, 2 ** order, offset);
      if (entry >= 0) return this.take(pool, entry, pages, locks, handle);
      if (pass === 0) {
        pool.hint = pool.first;
      } else if (!large && pass <= this.pools.length) {
        number = (number + 1) & wrap;
        lock(this.pools[number] as Pool);
        pool.hint = pool.first;
      } else return { ...none, locks };
      this.pending = true;
      pass++;
    }
  }

  private search(from: number, end: number, pages: number, step: number, offset: number): number {
    const boundary = this.boundary as number;
    const shift = this.setup.skipSpan ? 0 : offset;
    let start = from;
    for (;;) {
      let index = start;
      while (index < end && this.used[index]) index++;
      index = Math.ceil(index / step) * step;
      if (index + pages > end) return -1;
      let at = index;
      while (at < index + pages && !this.used[at]) at++;
      if (at < index + pages) start = at + 1;
      else if (((shift + index) % boundary) + pages > boundary) start = index + 1;
      else return index;
    }
  }

  private take(
    pool: Pool,
    entry: number,
    pages: number,
    locks: number,
    handle: number | undefined,
  ): Answer {
    this.used.fill(1, entry, entry + pages);
    if (this.setup.lazy && (entry < pool.hint || this.pending)) {
      this.pending = false;
      this.flushes++;
    }
    pool.hint = entry + pages;
    const after = handle === undefined ? undefined : pool.hint;
    return { entry, pool: pool.number, locks, handle: after };
  }

  /** The number of the pool whose lock was taken. */
  free(entry: number, pages: number): number {
    const large = this.largePool !== null && entry >= this.largePool.first;
    const pool = large ? (this.largePool as Pool) : this.pools[Math.floor(entry / this.size)];
    if (!pool) throw new Error('The kernel would stop here.');
    pool.acquisitions++;
    this.used.fill(0, entry, entry + pages);
    return pool.number;
  }

  entryAt(address: number): number {
    return Math.floor((address - this.setup.base) / 2 ** this.setup.shift);
  }
}
