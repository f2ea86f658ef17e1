/** Allocation policies for I/O page table entries with which a pattern can be run. */
import { MAP_RULE } from '../../engine/gen/abi';

/** Names of allocator rules. No rules: Linux 4.1. */
export type MapRule = (typeof MAP_RULE)[number];

export const mapRules = (rules: Iterable<MapRule>): number => {
  let bits = 0;
  for (const rule of rules) bits |= 1 << MAP_RULE.indexOf(rule);
  return bits;
};

export interface MapPolicy {
  readonly name: string;
  readonly title: string;
  /** Number of pools; null: that of the pattern's table, or 16. */
  readonly pools: number | null;
  readonly rules: readonly MapRule[];
}

export const MAP_POLICIES: readonly MapPolicy[] = [
  {
    name: 'first-fit',
    title: 'one arena, one lock, first fit',
    pools: 1,
    rules: ['first_fit', 'end_exact'],
  },
  { name: 'next-fit', title: 'one arena, one lock, next fit', pools: 1, rules: ['end_exact'] },
  { name: 'pools', title: 'pools as in Linux 4.1, no large pool', pools: null, rules: [] },
  {
    name: 'large-pool',
    title: 'pools as in Linux 4.1 and a large pool',
    pools: null,
    rules: ['large'],
  },
  { name: 'lazy-flush', title: 'pools with lazy flush', pools: null, rules: ['lazy'] },
  {
    name: 'lazy-flush-mended',
    title: 'lazy flush with a flag per pool, also set when an entry ahead of the cursor is freed',
    pools: null,
    rules: ['lazy', 'flush_ahead', 'pool_flags', 'own_limit'],
  },
  {
    name: 'powerpc',
    title: 'four pools and a large one, as in the PowerPC original',
    pools: 4,
    rules: ['large', 'end_exclusive', 'large_spills', 'small_to_large', 'block_hint'],
  },
  {
    name: 'mended',
    title: 'pools with all defects of Linux 4.1 fixed',
    pools: null,
    rules: ['end_exact', 'home_scaled', 'all_pools', 'keep_cursor', 'remainder', 'own_limit'],
  },
];

export const policyRules = (policy: MapPolicy): number => mapRules(policy.rules);
