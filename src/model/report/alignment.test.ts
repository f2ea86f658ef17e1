import { expect, test } from 'vitest';
import { formatAlignment, leadOf, nextDifference, parseAlignment, sameIn } from './alignment';
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
const sides = (a: Records, b: Records) =>
  ({
    a: { recording: { trace: a } } as unknown as Side,
    b: { recording: { trace: b } } as unknown as Side,
  }) as const;

const A = records([0, 1], [10, 2], [20, 1], [30, 5]);
const B = records([0, 1], [5, 9], [40, 2], [50, 1]);

test('an alignment survives formatting and parsing', () => {
  for (const text of ['parting', '12']) expect(formatAlignment(parseAlignment(text))).toBe(text);
  expect(formatAlignment(parseAlignment('nonsense'))).toBeNull();
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
