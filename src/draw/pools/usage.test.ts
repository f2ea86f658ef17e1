import { describe, expect, test } from 'vitest';
import { TICK_PS } from '../../model/pools/pool-bitmap';
import { poolMap } from './pool.fixture';
import {
  ageClass,
  ageOf,
  homePools,
  isLongLived,
  longestFree,
  servingPools,
  used,
  usesOf,
} from './usage';

describe('entries in use', () => {
  const { bits } = poolMap({
    entries: 256,
    pools: 1,
    used: [
      [30, 4, 0],
      [64, 64, 0],
      [255, 1, 0],
    ],
  });

  test('are counted across words, and only within the range', () => {
    expect(used(bits, 0, 256)).toBe(69);
    expect(used(bits, 31, 33)).toBe(2);
    expect(used(bits, 32, 64)).toBe(2);
    expect(used(bits, 60, 60)).toBe(0);
  });

  test('leave a longest free run, which ends with the range', () => {
    expect(longestFree(bits, 0, 256)).toBe(127);
    expect(longestFree(bits, 0, 200)).toBe(72);
    expect(longestFree(bits, 0, 64)).toBe(30);
    expect(longestFree(bits, 64, 128)).toBe(0);
  });
});

test('a free run in the unused entries at a pool’s end is not usable', () => {
  const [use] = usesOf(poolMap({ entries: 64, pools: 1, used: [[0, 60, 0]] }));
  expect(use?.longestFree).toBe(2);
  expect(servingPools([use as NonNullable<typeof use>], [1, 2, 3])).toEqual([1, 1, 0]);
});

test('holders of a pool are ordered by their entries, and the home pool of each is where it has most', () => {
  const uses = usesOf(
    poolMap({
      entries: 128,
      pools: 2,
      used: [
        [0, 3, 5],
        [8, 9, 2],
        [64, 4, 2],
        [80, 6, 5],
        [100, 3, -1],
      ],
    }),
  );
  expect(uses.map(({ holders }) => holders)).toEqual([
    [2, 5],
    [5, 2],
  ]);
  const homes = homePools(uses);
  expect([homes[2], homes[5], homes[7]]).toEqual([0, 1, undefined]);
});

test('an entry is long-lived after half a millisecond', () => {
  const map = poolMap({ entries: 64, pools: 1, used: [[0, 1, 0]] });
  const after = (ps: number) => ({ ...map, tick: Math.ceil(ps / TICK_PS) });
  expect(ageOf(after(0.4e9), 0)).toBeCloseTo(0.4e9, -7);
  expect([0.4e9, 0.6e9].map((ps) => isLongLived(after(ps), 0))).toEqual([false, true]);
  expect([0.04e9, 0.4e9, 4e9, 40e9].map((ps) => ageClass(after(ps), 0))).toEqual([0, 1, 2, 3]);
});
