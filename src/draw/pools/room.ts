/**
 * Fragmentation of a pool: the share of its free entries that requests of n entries could use if there were
 * only such requests. The remainders at the ends of free runs do not count.
 *
 *     ..#.....#...   9 free: all serve requests of 1, 8 of them requests of 2 (one is left over), 5 or less ...
 */
import type { Pool, PoolMap } from '../../model/pools/pool-bitmap';

export const REQUESTS = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;

/** Lengths of the free runs in [from, to). */
export function freeRuns(bits: Uint32Array, from: number, to: number): number[] {
  const runs: number[] = [];
  let run = 0;
  const end = () => {
    if (run > 0) runs.push(run);
    run = 0;
  };
  for (let entry = from; entry < to; ) {
    const word = bits[entry >>> 5] ?? 0;
    if ((entry & 31) === 0 && entry + 32 <= to && (word === 0 || word === 0xffffffff)) {
      if (word === 0) run += 32;
      else end();
      entry += 32;
    } else {
      if ((word >>> (entry & 31)) & 1) end();
      else run++;
      entry++;
    }
  }
  end();
  return runs;
}

export interface FreeRoom {
  /** Null: all pools together. */
  readonly pool: Pool | null;
  readonly free: number;
  readonly longest: number;
  /** For each of REQUESTS: share of the free entries, 0 to 1. */
  readonly shares: readonly number[];
}

function roomIn(pool: Pool | null, runs: readonly number[]): FreeRoom {
  const free = runs.reduce((sum, run) => sum + run, 0);
  const shares = REQUESTS.map((pages) => {
    const usable = runs.reduce((sum, run) => sum + run - (run % pages), 0);
    return free === 0 ? 0 : usable / free;
  });
  return { pool, free, longest: runs.reduce((most, run) => Math.max(most, run), 0), shares };
}

/** Every pool, and last the total; entries that are never allocated do not count. */
export function freeRoomByPool({ bits, pools }: PoolMap): FreeRoom[] {
  const runs = pools.map(({ start, usable }) => freeRuns(bits, start, Math.max(start, usable)));
  const rooms = pools.map((pool, i) => roomIn(pool, runs[i] ?? []));
  return pools.length > 1 ? [...rooms, roomIn(null, runs.flat())] : rooms;
}
