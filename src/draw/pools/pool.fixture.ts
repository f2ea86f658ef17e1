/** Maps for tests: adjacent pools, with used entries given as ranges. */
import type { Pool, PoolMap, PoolSearch } from '../../model/pools/pool-bitmap';

export interface MapRows {
  readonly entries: number;
  readonly pools: number;
  /** First entry, count, and the CPU that mapped them (-1: unknown). */
  readonly used?: readonly (readonly [from: number, count: number, cpu: number])[];
  readonly cursors?: readonly number[];
  readonly search?: PoolSearch;
  /** Ticks since the entries were mapped. */
  readonly age?: number;
}

export function poolMap({
  entries,
  pools,
  used = [],
  cursors = [],
  search,
  age = 1,
}: MapRows): PoolMap {
  const bits = new Uint32Array(Math.ceil(entries / 32));
  const cells = new Uint32Array(entries);
  for (const [from, count, cpu] of used)
    for (let entry = from; entry < from + count; entry++) {
      bits[entry >>> 5] = (bits[entry >>> 5] ?? 0) | (1 << (entry & 31));
      cells[entry] = cpu + 1;
    }
  const size = Math.floor(entries / pools);
  const rows = Array.from({ length: pools }, (_, number): Pool => {
    const start = number * size;
    const cursor = cursors[number] ?? start;
    const end = start + size;
    return {
      number,
      start,
      end,
      usable: end - 2,
      cursor,
      locks: 0,
      lock: null,
      holder: null,
      waiting: [],
      large: false,
    };
  });
  return { entries, pools: rows, bits, cells, tick: age, search: search ?? null };
}

export const searchOf = (given: Partial<PoolSearch>): PoolSearch => ({
  pool: 0,
  cpu: 1,
  pages: 4,
  start: 0,
  limit: 126,
  found: null,
  probes: [],
  tried: given.probes?.length ?? 0,
  ...given,
});
