import { MAP_RULE } from '../../engine/gen/abi';

/** Rules of the allocator by name. None of them: Linux 4.1. */
export type MapRule = (typeof MAP_RULE)[number];

export const mapRules = (rules: Iterable<MapRule>): number => {
  let bits = 0;
  for (const rule of rules) bits |= 1 << MAP_RULE.indexOf(rule);
  return bits;
};
