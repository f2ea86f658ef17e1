import { describe, expect, test } from 'vitest';
import { poolMap } from './pool.fixture';
import { ageOf, homesOf, isLongLived, longestFree, servingPools, used, usesOf } from './pool-use';

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

test('a free run over the lost entries at a pool’s end serves nobody', () => {
  const [use] = usesOf(poolMap({ entries: 64, pools: 1, used: [[0, 60, 0]] }));
  expect(use?.longestFree).toBe(2);
  expect(servingPools([use as NonNullable<typeof use>], [1, 2, 3])).toEqual([1, 1, 0]);
});

test('holders of a pool stand in the order of how much they have, and each is at home where it has most', () => {
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
  const homes = homesOf(uses);
  expect([homes[2], homes[5], homes[7]]).toEqual([0, 1, undefined]);
});

test('ages are counted on over the end of their 16 bits', () => {
  const map = { ...poolMap({ entries: 64, pools: 1, used: [[0, 2, 0]] }), tick: 3 };
  map.cells?.set([65_530 << 16, 2 << 16]);
  expect([ageOf(map, 0), ageOf(map, 1)]).toEqual([9 * 4_096_000, 4_096_000]);
  expect(isLongLived(map, 0)).toBe(false);
  expect(isLongLived({ ...map, tick: 200 }, 0)).toBe(true);
});
