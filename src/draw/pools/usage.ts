/** Totals of a map's bits: entries in use, the longest free run, tones of a strip. */
import {
  ownerOf,
  type Pool,
  type PoolMap,
  TICK_PS,
  ticksSince,
} from '../../model/pools/pool-bitmap';

function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** The word with only the bits of entries in [from, to); `at` is the word's index. */
function part(word: number, at: number, from: number, to: number): number {
  let bits = word;
  if (at * 32 < from) bits &= -1 << (from & 31);
  if (at * 32 + 32 > to) bits &= (1 << (to & 31)) - 1;
  return bits;
}

export const inUse = (bits: Uint32Array, entry: number): boolean =>
  (((bits[entry >>> 5] ?? 0) >>> (entry & 31)) & 1) === 1;

/** Entries in use in [from, to). */
export function used(bits: Uint32Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from >>> 5; at * 32 < to; at++) sum += ones(part(bits[at] ?? 0, at, from, to));
  return sum;
}

/** Length of the longest run of zeros within a word. */
function longestZeros(word: number): number {
  let length = 0;
  for (let zeros = ~word; zeros !== 0; zeros &= zeros << 1) length++;
  return length;
}

/** Length of the longest free run in [from, to). */
export function longestFree(bits: Uint32Array, from: number, to: number): number {
  let longest = 0;
  let run = 0;
  for (let at = from >>> 5; at * 32 < to; at++) {
    // Entries outside of the range count as in use.
    const word = ~part(~(bits[at] ?? 0), at, from, to);
    if (word === 0) {
      run += 32;
      continue;
    }
    const lowZeros = 31 - Math.clz32(word & -word);
    longest = Math.max(longest, run + lowZeros);
    if (longest < 31) longest = Math.max(longest, longestZeros(word));
    run = Math.clz32(word);
  }
  return Math.max(longest, run);
}

/** How long an entry has been mapped, in picoseconds; null if the machine does not record it. */
export function ageOf(map: PoolMap, entry: number): number | null {
  const cell = map.cells?.[entry];
  return cell === undefined ? null : ticksSince(map, cell) * TICK_PS;
}

/** In ticks. A packet is sent and its entry freed sooner than this. */
const LONG = Math.round(500_000_000 / TICK_PS);

/** Upper limits of the age classes, in ticks. */
const AGES = [Math.round(50_000_000 / TICK_PS), LONG, Math.round(5_000_000_000 / TICK_PS), 2 ** 32];
export const AGE_TITLES = ['≤ 50 µs', '0.5 ms', '5 ms', 'older'] as const;

/** Age class of an entry, 0 the youngest; null if the time of mapping is unknown. */
export function ageClass(map: PoolMap, entry: number): number | null {
  const cell = map.cells?.[entry] ?? 0;
  if (ownerOf(cell) === null) return null;
  const age = ticksSince(map, cell);
  return AGES.findIndex((most) => age <= most);
}

export const isLongLived = (map: PoolMap, entry: number): boolean =>
  map.cells !== null && ticksSince(map, map.cells[entry] ?? 0) > LONG;

export interface PoolUse {
  readonly pool: Pool;
  readonly used: number;
  readonly share: number;
  readonly longestFree: number;
  /**
   * Processors with entries mapped here, the one with most first; empty if the machine does not record it.
   */
  readonly holders: readonly number[];
  /** Entries that each of them has. */
  readonly counts: readonly number[];
}

function holdersOf({ cells, bits }: PoolMap, { start, end }: Pool) {
  const counts: number[] = [];
  for (let entry = start; cells && entry < end; entry++) {
    if ((entry & 31) === 0 && bits[entry >>> 5] === 0) entry += 31;
    else {
      const owner = ownerOf(cells[entry] as number);
      if (owner !== null) counts[owner] = (counts[owner] ?? 0) + 1;
    }
  }
  const of = (cpu: number) => counts[cpu] ?? 0;
  const holders = Object.keys(counts)
    .map(Number)
    .sort((one, other) => of(other) - of(one));
  return { holders, counts: holders.map(of) };
}

export const usesOf = (map: PoolMap): PoolUse[] =>
  map.pools.map((pool) => {
    const count = used(map.bits, pool.start, pool.end);
    return {
      pool,
      used: count,
      share: count / Math.max(1, pool.end - pool.start),
      longestFree: longestFree(map.bits, pool.start, Math.max(pool.start, pool.usable)),
      ...holdersOf(map, pool),
    };
  });

/** The home pool of each processor, where it has most of its entries; by processor number. */
export function homePools(uses: readonly PoolUse[]): readonly (number | undefined)[] {
  const homes: (number | undefined)[] = [];
  const most: number[] = [];
  for (const { pool, holders, counts } of uses)
    holders.forEach((cpu, place) => {
      const count = counts[place] ?? 0;
      if (pool.large || count <= (most[cpu] ?? 0)) return;
      most[cpu] = count;
      homes[cpu] = pool.number;
    });
  return homes;
}

/** How many pools have a free run for each of these requests. */
export const servingPools = (uses: readonly PoolUse[], requests: readonly number[]): number[] =>
  requests.map((pages) => uses.filter((use) => use.longestFree >= pages).length);
