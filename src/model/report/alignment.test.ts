import { expect, test } from 'vitest';
import type { CompiledMachine } from '../scenario/compiled';
import {
  causedAlike,
  formatAlignment,
  leadOf,
  nextDifference,
  parseAlignment,
  sameIn,
} from './alignment';
import type { Records, Side } from './comparison';

type Row = readonly [time: number, kind: number];

const records = (...rows: Row[]): Records => ({
  first: 1,
  last: rows.length,
  record(seq) {
    const row = rows[seq - 1];
    const none = { a: 0, exact: 0n, b: 0, c: 0, cause: 0, part: 0 };
    return row ? { seq, timePs: row[0], kind: row[1], ...none } : null;
  },
});
const machine = { parts: [] } as unknown as CompiledMachine;
const sides = (a: Records, b: Records) =>
  ({
    a: { machine, recording: { trace: a } } as unknown as Side,
    b: { machine, recording: { trace: b } } as unknown as Side,
  }) as const;

const A = records([0, 1], [10, 2], [20, 1], [30, 5]);
const B = records([0, 1], [5, 9], [40, 2], [50, 1]);

test('an alignment survives formatting and parsing', () => {
  for (const text of ['parting', '12', 'cause-12'])
    expect(formatAlignment(parseAlignment(text))).toBe(text);
  for (const text of ['nonsense', 'cause-', 'cause-parting'])
    expect(formatAlignment(parseAlignment(text))).toBeNull();
  expect(parseAlignment(undefined)).toEqual({ by: 'start' });
});

test('the same event in another run is the n-th of its kind', () => {
  expect(sameIn(A, B, 3)).toBe(4);
  expect(sameIn(A, B, 4)).toBeNull();
  expect(sameIn(A, B, 99)).toBeNull();
});

test('the run in which an event is earlier is delayed, so that the events coincide', () => {
  expect(leadOf({ by: 'event', seq: 2 }, sides(A, B), null)).toEqual({ a: 30, b: 0 });
  expect(leadOf({ by: 'event', seq: 2 }, sides(B, A), null)).toBeNull();
  expect(leadOf({ by: 'event', seq: 3 }, sides(B, A), null)).toEqual({ a: 0, b: 30 });
  expect(leadOf({ by: 'start' }, sides(A, B), null)).toEqual({ a: 0, b: 0 });
});

test('runs are aligned at their divergence, unless one of them has ended there', () => {
  const parting = { timePs: 5, a: 2, b: 2 };
  expect(leadOf({ by: 'parting' }, sides(A, B), parting)).toEqual({ a: 0, b: 5 });
  expect(leadOf({ by: 'parting' }, sides(A, B), { ...parting, b: null })).toBeNull();
  expect(leadOf({ by: 'parting' }, sides(A, B), null)).toBeNull();
});

test('the next divergence is searched from the playhead of the common clock', async () => {
  const breathe = async () => {};
  const whole = (trace: Records) => ({ trace, cut: false });
  const a = records([0, 1], [10, 1], [20, 1], [30, 1], [40, 1], [50, 1], [60, 1], [70, 1]);
  const late = [5, 15, 25, 35, 46, 56, 66, 76] as const;
  const b = records(...late.map((time) => [time, 1] as const));
  expect((await nextDifference(whole(a), whole(b), 42, breathe))?.a).toBeUndefined();
  expect((await nextDifference(whole(a), whole(b), 42, breathe, { a: 5, b: 0 }))?.a).toBe(5);
});

/** A processor whose rows begin with kind 1 and a number, and a cache with misses of kind 2. */
const typed = {
  parts: [
    {
      ...{ name: 'cpu', index: 0 },
      type: {
        name: 'processor',
        events: [{ kind: 1, name: 'row', fields: [{ name: 'row', slot: 'c', as: 'count' }] }],
      },
    },
    {
      name: 'cache',
      index: 1,
      type: { name: 'cache', events: [{ kind: 2, name: 'miss', fields: [] }] },
    },
  ],
} as unknown as CompiledMachine;

type Caused = readonly [time: number, part: number, kind: number, cause: number, row?: number];

const caused = (...rows: readonly Caused[]): Records => ({
  first: 1,
  last: rows.length,
  record(seq) {
    const row = rows[seq - 1];
    if (!row) return null;
    const [timePs, part, kind, cause, c = 0] = row;
    return { seq, timePs, part, kind, cause, a: 0, exact: 0n, b: 0, c };
  },
});

test('an event of the same cause is found, though other rows miss more or less often', () => {
  // Row 0 misses once and row 1 twice; in the other run row 0 misses three times and row 1 once.
  const a = caused([0, 0, 1, 0, 0], [1, 1, 2, 1], [5, 0, 1, 1, 1], [6, 1, 2, 3], [9, 1, 2, 4]);
  const b = caused(
    ...([
      [0, 0, 1, 0, 0],
      [1, 1, 2, 1],
      [2, 1, 2, 2],
      [3, 1, 2, 1],
    ] as const),
    ...([
      [8, 0, 1, 1, 1],
      [9, 1, 2, 5],
    ] as const),
  );
  expect(sameIn(a, b, 4)).toBe(3);
  expect(causedAlike(typed, a, b, 4)).toBe(6);
  expect(causedAlike(typed, a, b, 5)).toBeNull();
  expect(causedAlike(typed, b, a, 5)).toBe(3);
  expect(causedAlike(typed, a, b, 99)).toBeNull();
  const both = { a: { ...sides(a, b).a, machine: typed }, b: { ...sides(a, b).b, machine: typed } };
  expect(leadOf({ by: 'cause', seq: 4 }, both, null)).toEqual({ a: 3, b: 0 });
});

test('paired by cause, a later difference is found though a row before misses more often', async () => {
  const run = (extra: readonly Caused[], delay: number) => {
    const all: Caused[] = [[0, 0, 1, 0, 0], ...extra];
    for (let row = 1; row < 12; row++) {
      const at = row * 10 + (row < 8 ? 0 : delay);
      all.push([at, 0, 1, 1, row], [at + 1, 1, 2, all.length + 1]);
    }
    return { trace: caused(...all), cut: false };
  };
  const [a, b] = [run([[1, 1, 2, 1]], 0), run([], 5)];
  const breathe = async () => {};
  // In order each miss is taken for the one after it, and the runs are never in step.
  expect(await nextDifference(a, b, 20, breathe)).toBeNull();
  const found = await nextDifference(a, b, 20, breathe, undefined, typed);
  expect(found?.timePs).toBe(80);
});
