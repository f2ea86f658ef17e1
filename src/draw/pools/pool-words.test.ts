import { expect, test } from 'vitest';
import type { Pool } from '../../model/pools/pool-bitmap';
import { textOf } from '../phrase';
import { poolMap } from './pool.fixture';
import { type PoolsMoment, poolsPhrases } from './pool-words';
import { usesOf } from './usage';

const LOCK = {
  acquisitions: 4,
  contentions: 1,
  waitTime: 0,
  waitMost: 0,
  holdTime: 90,
  holdMost: 0,
};

/** Pools of 64 entries in which CPU 2 has four of the first pool; `change` is made to the first pool. */
function sentence(pools: number, change: Partial<Pool>, moment: Partial<PoolsMoment> = {}): string {
  const map = poolMap({ entries: 64 * pools, pools, used: [[0, 4, 2]], cursors: [4] });
  const [first, ...others] = map.pools.map((pool) => ({ ...pool, lock: LOCK }));
  const all = first ? [{ ...first, ...change }, ...others] : [];
  const uses = usesOf({ ...map, pools: all });
  const phrases = poolsPhrases({ uses, trail: null, lockPace: true, timePs: 100, ...moment });
  return textOf(phrases).replaceAll('\u00a0', ' ');
}

test('one pool is one place and one lock, by its holder or by its share of the time', () => {
  expect(sentence(1, { holder: 2, waiting: [5, 6] })).toBe(
    'CPU 2 holds the only lock and searches at entry 4; 2 CPUs wait.',
  );
  expect(sentence(1, {})).toBe('The only lock is free; nobody waits.');
  expect(sentence(1, { waiting: [5] }, { lockPace: false })).toBe(
    'All CPUs search at one place, now entry 4. Its lock is held 90 % of the time; 1 CPU waits.',
  );
  expect(sentence(1, { lock: null })).toBe('The next search starts at entry 4.');
});

test('several pools are told by those that serve, their locks and their ends', () => {
  expect(sentence(3, { holder: 2 })).toBe(
    '1 pool has entries handed out, 2 serve nobody. 1 lock is held; nobody waits.',
  );
  const trail = { wraps: () => ({ count: 2, lastMs: 0 }), spills: () => [] };
  expect(sentence(3, {}, { trail })).toBe(
    '1 pool has entries handed out, 2 serve nobody. No lock is held; nobody waits. 6 searches have begun a pool again.',
  );
});

test('a request that goes on to another pool is told first', () => {
  const spill = { timePs: 90, from: 0, pool: 1, cpu: 2 };
  const trail = { wraps: () => ({ count: 0, lastMs: 0 }), spills: () => [spill] };
  expect(sentence(3, {}, { trail })).toBe('Pool 0 has no room: CPU 2 goes on to pool 1.');
});
