import { expect, test } from 'vitest';
import type { Pool, PoolMap } from '../pools/pool-bitmap';
import { type AdviceInput, adviceFor } from './pool-advice';

const LINUX = {
  pools: '0',
  scope: 'outside',
  hash: 'linux_4_1',
  home: 'linux',
  large: 'none',
  reach: 'linux',
};

/** Pools by how often their lock was taken and found taken. */
function inputOf(
  locks: readonly (readonly [number, number])[],
  more: Partial<AdviceInput> = {},
): AdviceInput {
  const pools = locks.map(([acquisitions, contentions], number) => {
    const lock = { acquisitions, contentions, waitTime: 0, waitMost: 0, holdTime: 0, holdMost: 0 };
    return {
      number,
      start: number * 16,
      end: number * 16 + 16,
      locks: acquisitions,
      lock,
      large: false,
    } as Pool;
  });
  const map = { entries: locks.length * 16, pools } as unknown as PoolMap;
  return { map, settings: LINUX, cpus: 10, failures: 0, longestFree: 16, ...more };
}

const plain = (given: AdviceInput) =>
  adviceFor(given).map(({ text, tries }) => [
    text.replace(/\s/g, ' '),
    tries.map(({ param, value }) => `${param}=${value}`).join(' '),
  ]);

test('a contended single lock: use more locks, and hold them for less time', () => {
  const before = inputOf([[1000, 870]], {
    settings: { ...LINUX, pools: '1', scope: 'unmap_inside' },
  });
  expect(plain(before)).toEqual([
    [
      'The one lock of 10 CPUs is found taken 87 % of the time. It is held across the hypervisor call.',
      'pools=16 scope=outside',
    ],
  ]);
});

test('unused pools are reported, with another hash only if CPUs share a pool', () => {
  const own = inputOf([
    ...Array.from({ length: 10 }, () => [9, 0] as const),
    ...Array.from({ length: 6 }, () => [0, 0] as const),
  ]);
  expect(plain(own)).toEqual([
    [
      '6 of 16 pools are never used: 10 CPUs hash to 10 of them. Their entries can only be reached by spilling.',
      '',
    ],
  ]);
  const shared = inputOf([
    [9, 4],
    [9, 0],
    [9, 0],
    [0, 0],
  ]);
  expect(plain(shared)).toEqual([
    [
      'The lock of pool 0 is found taken 44 % of the time: more than one CPU goes there.',
      'hash=linux_4_7 home=modulo',
    ],
    [
      '1 of 4 pools is never used: 10 CPUs hash to 3 of them. Their entries can only be reached by spilling.',
      'hash=linux_4_7 home=modulo',
    ],
  ]);
});

test('pools out of reach of the mask are reported as such', () => {
  expect(
    plain(
      inputOf([
        [9, 0],
        [0, 0],
        [9, 0],
      ]),
    ),
  ).toEqual([
    [
      '1 of 3 pools is never used: 3 is not a power of two, so the mask skips some.',
      'reach=mended',
    ],
  ]);
});

test('failed requests come first', () => {
  expect(plain(inputOf([[9, 0]], { failures: 3, longestFree: 7 }))[0]).toEqual([
    '3 requests found no room: the longest free stretch of a pool is 7 of 16 entries.',
    'large=linux',
  ]);
});

test('without contention and unused pools there is no advice', () => {
  expect(
    adviceFor(
      inputOf([
        [9, 0],
        [9, 0],
      ]),
    ),
  ).toEqual([]);
});
