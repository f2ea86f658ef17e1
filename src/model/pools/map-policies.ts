/** Ways of handing out I/O page table entries that a pattern of requests can be run through. */
import { MAP_RULE } from '../../engine/gen/abi';

/** Rules of the allocator by name. None of them: Linux 4.1. */
export type MapRule = (typeof MAP_RULE)[number];

export const mapRules = (rules: Iterable<MapRule>): number => {
  let bits = 0;
  for (const rule of rules) bits |= 1 << MAP_RULE.indexOf(rule);
  return bits;
};

export interface MapPolicy {
  readonly name: string;
  readonly title: string;
  /** How many pools; null: as many as the pattern's table has, or 16. */
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
    title: 'lazy flush with a flag for each pool, set too for what is freed ahead of the cursor',
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
    title: 'pools with every surprise of Linux 4.1 mended',
    pools: null,
    rules: ['end_exact', 'home_scaled', 'all_pools', 'keep_cursor', 'remainder', 'own_limit'],
  },
];

export const policyRules = (policy: MapPolicy): number => mapRules(policy.rules);
