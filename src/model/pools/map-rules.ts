/** Rules of the allocator by name: bit n of the engine's enum map_rule. None of them: Linux 4.1. */
export const MAP_RULES = [
  'large',
  'lazy',
  'skip_span',
  'first_fit',
  'end_exclusive',
  'end_exact',
  'home_scaled',
  'home_modulo',
  'all_pools',
  'keep_cursor',
  'pool_flags',
  'remainder',
  'own_limit',
  'check_free',
  'flush_ahead',
  'large_spills',
  'small_to_large',
  'block_hint',
] as const;

export type MapRule = (typeof MAP_RULES)[number];

export const mapRules = (rules: Iterable<MapRule>): number => {
  let bits = 0;
  for (const rule of rules) bits |= 1 << MAP_RULES.indexOf(rule);
  return bits;
};
