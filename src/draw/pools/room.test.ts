import { expect, test } from 'vitest';
import { poolMap } from './pool.fixture';
import { freeRoomByPool, freeRuns, REQUESTS } from './room';

const shareOf = (shares: readonly number[] | undefined, pages: (typeof REQUESTS)[number]) =>
  shares?.[REQUESTS.indexOf(pages)];

test('free entries are found as runs, across words and within the range', () => {
  const { bits } = poolMap({
    entries: 256,
    pools: 1,
    used: [
      [2, 1, 0],
      [30, 4, 0],
      [128, 32, 0],
    ],
  });
  expect(freeRuns(bits, 0, 256)).toEqual([2, 27, 94, 96]);
  expect(freeRuns(bits, 31, 40)).toEqual([6]);
  expect(freeRuns(bits, 30, 34)).toEqual([]);
});

test('an empty pool has room for everything, except in entries it never allocates', () => {
  const [room] = freeRoomByPool(poolMap({ entries: 258, pools: 1 }));
  expect(room?.free).toBe(256);
  expect(room?.shares.every((share) => share === 1)).toBe(true);
});

test('scattered entries leave room for short requests and none for long ones', () => {
  const used = Array.from({ length: 16 }, (_, i) => [i * 8, 1, 0] as const);
  const [room] = freeRoomByPool(poolMap({ entries: 130, pools: 1, used }));
  expect(room?.longest).toBe(7);
  expect(shareOf(room?.shares, 1)).toBe(1);
  expect(shareOf(room?.shares, 4)).toBeCloseTo(4 / 7);
  expect(shareOf(room?.shares, 8)).toBe(0);
});

test('the total of all pools comes last, and a full pool has no room', () => {
  const rooms = freeRoomByPool(poolMap({ entries: 64, pools: 2, used: [[0, 32, 0]] }));
  expect(rooms.map(({ pool, free }) => [pool?.number ?? null, free])).toEqual([
    [0, 0],
    [1, 30],
    [null, 30],
  ]);
  expect(shareOf(rooms[0]?.shares, 1)).toBe(0);
});
