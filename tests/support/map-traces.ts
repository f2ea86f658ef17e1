/** Random operation traces, answered by the reference: for lockstep tests and for measuring. */
import { ReferenceMap, type ReferenceSetup } from './map-reference';

/** A small generator of numbers, repeatable. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** One of 0..n-1. */
  roll(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  }

  /** True once in n times. */
  chance(n: number): boolean {
    return this.roll(n) === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T;
  }
}

export interface TraceShape {
  readonly setup: ReferenceSetup;
  readonly cpus: number;
  readonly operations: number;
  /** Largest request. */
  readonly pages: number;
  readonly orders: boolean;
  readonly masks: boolean;
  readonly handles: boolean;
  readonly checkpoints: number;
  /** Freed per allocated, in 1/16: below 16 the table fills up. */
  readonly freeing: number;
}

/** The set-ups that matter: any number of pools, odd sizes, large pool, boundaries, offsets. */
export function randomShape(dice: Dice, operations: number): TraceShape {
  const pools = dice.chance(8) ? 0 : 1 + dice.roll(16);
  const count = pools || 16;
  const large = dice.chance(3);
  const sizes = [2, 3, 4, 5, 8, 16, 31, 64, 100, 256, 1000];
  const size = dice.pick(sizes);
  const rest = dice.chance(2) ? dice.roll(count) : 0;
  const entries = Math.ceil(((size * count + rest) * (large ? 4 : 3)) / 3);
  const powerOfTwo = (n: number) => (n & (n - 1)) === 0;
  const own = Math.floor((large ? Math.floor((3 * entries) / 4) : entries) / count);
  const shift = dice.pick([12, 13]);
  return {
    setup: {
      entries,
      shift,
      base: dice.chance(2) ? 0 : dice.pick([0x80000000, 0x60000000, 0x12346000]),
      pools,
      large,
      lazy: dice.chance(2),
      skipSpan: powerOfTwo(own * count) && dice.chance(4),
      segment: dice.chance(3) ? (1 << shift) * 2 ** (1 + dice.roll(7)) - 1 : null,
    },
    cpus: 1 + dice.roll(40),
    operations,
    pages: dice.pick([1, 2, 4, 8, 17, 40]),
    orders: dice.chance(4),
    masks: dice.chance(4),
    handles: dice.chance(3),
    checkpoints: dice.pick([7, 50, 400]),
    freeing: dice.pick([8, 13, 15, 16]),
  };
}

const MULTIPLIERS = [0x9e370001, 0x61c88647];

function crc32(used: Uint8Array): string {
  let crc = -1;
  for (let byte = 0; byte * 8 < used.length; byte++) {
    for (let bit = 0; bit < 8; bit++) {
      const in_ = (used[byte * 8 + bit] ?? 0) ^ (crc & 1);
      crc = (crc >>> 1) ^ (in_ ? 0xedb88320 : 0);
    }
  }
  return (~crc >>> 0).toString(16).padStart(8, '0');
}

function stateOf(map: ReferenceMap) {
  const { used, pools, largePool } = map;
  return {
    pop: used.reduce((sum, bit) => sum + bit, 0),
    crc: crc32(used),
    fl: map.flushes,
    nf: map.pending ? 1 : 0,
    hints: pools.map(({ hint }) => hint),
    ...(largePool ? { lh: largePool.hint } : {}),
  };
}

function* header(map: ReferenceMap, hashes: readonly number[], multiplier: number, name: string) {
  const { setup, pools, largePool, size } = map;
  yield {
    t: 'init',
    name,
    desc: 'random operations',
    num_entries: setup.entries,
    table_shift: setup.shift,
    table_map_base: setup.base,
    npools: setup.pools,
    large_pool: Number(setup.large),
    lazy_flush: Number(setup.lazy),
    skip_span: Number(setup.skipSpan),
    seg_boundary: setup.segment,
    hash_mult: `0x${multiplier.toString(16)}`,
    cpu_hash: hashes,
  };
  yield {
    t: 'layout',
    nr_pools: pools.length,
    poolsize: size,
    pools: pools.map(({ first, last }) => [first, last]),
    large: largePool && [largePool.first, largePool.last],
  };
}

/** The lines of a random trace. */
export function* randomTrace(shape: TraceShape, dice: Dice, name = 'random'): Generator<object> {
  const map = new ReferenceMap(shape.setup);
  const multiplier = dice.pick(MULTIPLIERS);
  const hashes = Array.from({ length: shape.cpus }, (_, cpu) => Math.imul(cpu, multiplier) >>> 28);
  yield* header(map, hashes, multiplier, name);
  const live: { entry: number; pages: number }[] = [];
  const offset = Math.floor(shape.setup.base / 2 ** shape.setup.shift);
  let fails = 0;
  let handle = 0;
  for (let i = 1; i <= shape.operations; i++) {
    if (live.length > 0 && dice.roll(16) < shape.freeing - 8) {
      const [one] = live.splice(dice.chance(3) ? dice.roll(live.length) : 0, 1);
      const { entry, pages } = one as { entry: number; pages: number };
      const pool = map.free(entry, pages);
      if (dice.chance(3)) {
        const at = shape.setup.base + entry * 2 ** shape.setup.shift;
        yield { t: 'fa', d: at + dice.roll(2) * 8, n: pages, p: pool };
      } else yield { t: 'f', e: entry, n: pages, p: pool };
    } else {
      const cpu = dice.roll(shape.cpus);
      const pages = dice.chance(60) ? 0 : 1 + dice.roll(shape.pages);
      const order = shape.orders && dice.chance(2) ? dice.roll(5) : undefined;
      const mask =
        shape.masks && dice.chance(3) ? offset + dice.roll(shape.setup.entries) : undefined;
      const given =
        shape.handles && dice.chance(2)
          ? dice.chance(4)
            ? dice.roll(shape.setup.entries)
            : handle
          : undefined;
      const request = {
        hash: hashes[cpu] ?? 0,
        pages,
        ...(order !== undefined && { order }),
        ...(mask !== undefined && { mask }),
        ...(given !== undefined && { handle: given }),
      };
      const answer = map.allocate(request);
      if (answer.entry < 0) fails++;
      else live.push({ entry: answer.entry, pages });
      if (answer.handle !== undefined) handle = answer.handle;
      yield {
        t: 'a',
        c: cpu,
        n: pages,
        ...(order !== undefined && { o: order }),
        ...(mask !== undefined && { m: mask }),
        ...(given !== undefined && { h: given }),
        r: answer.entry,
        ...(answer.pool !== null && { p: answer.pool }),
        l: answer.locks,
        f: map.flushes,
        ...(given !== undefined && { ho: answer.handle }),
      };
    }
    if (i % shape.checkpoints === 0) yield { t: 's', ...stateOf(map) };
  }
  yield {
    t: 'end',
    ops: shape.operations,
    fails,
    ...stateOf(map),
    acq: map.pools.map(({ acquisitions }) => acquisitions),
    ...(map.largePool ? { lacq: map.largePool.acquisitions } : {}),
  };
}

/** Lines as bytes of a file. */
export function asFile(lines: Iterable<object>): Uint8Array {
  const pieces: string[] = [];
  for (const line of lines) pieces.push(JSON.stringify(line), '\n');
  return new TextEncoder().encode(pieces.join(''));
}
