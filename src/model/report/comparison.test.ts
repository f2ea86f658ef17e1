import { describe, expect, test } from 'vitest';
import type { Scenario } from '../scenario/scenario-types';
import { matchEvents } from '../trace/event-pairs';
import { nextDifference } from './alignment';
import {
  firstDifference,
  formatRunName,
  type Kept,
  parseRunName,
  type Records,
  type RunName,
  runNamesIn,
  weightOf,
} from './comparison';

const SCENARIO = {
  experiment: {
    axes: [
      { name: 'size', values: [4, 8, 16], titles: [] },
      { name: 'method', values: ['pio', 'dma'], titles: [] },
    ],
  },
} as unknown as Scenario;

type Row = readonly [time: number, kind: number, a?: number];

const records = (...rows: Row[]): Records => ({
  first: 1,
  last: rows.length,
  record(seq) {
    const row = rows[seq - 1];
    if (!row) return null;
    const [timePs, kind, a = 0] = row;
    return { seq, timePs, kind, a, exact: BigInt(a), b: 0, c: 0, cause: 0, part: 0 };
  },
});

const whole = (trace: Records): Kept => ({ trace, cut: false });
const begun = (trace: Records): Kept => ({ trace, cut: true });

const breathe = async () => {};

describe('names of runs', () => {
  test('survive formatting and parsing', () => {
    for (const name of ['2.1', '0.0o'])
      expect(formatRunName(parseRunName(name, SCENARIO))).toBe(name);
  });

  test('that are invalid for the scenario mean its first run', () => {
    expect(parseRunName('99.-1', SCENARIO)).toEqual({ at: [0, 0], edited: true });
    expect(parseRunName('', SCENARIO)).toEqual({ at: [0, 0], edited: true });
  });
});

describe('runs in an address', () => {
  const PLAIN = { experiment: null } as unknown as Scenario;

  test('are distinct without axes', () => {
    const [edited, published] = [true, false].map((edited) => ({ at: [], edited }));
    for (const a of [edited, published] as RunName[])
      for (const b of [edited, published] as RunName[]) {
        const params = { a: formatRunName(a), b: formatRunName(b) };
        expect(Object.values(params)).not.toContain('');
        expect(runNamesIn(params, PLAIN)).toEqual({ a, b });
      }
  });

  test('default to two different runs', () => {
    for (const a of ['0', '0o', '']) {
      const names = runNamesIn({ a }, PLAIN);
      expect(names.a).not.toEqual(names.b);
    }
  });

  test('are compatible with old addresses, in which a name could be empty', () => {
    const names = runNamesIn({ a: 'o', b: '' }, PLAIN);
    expect(names).toEqual({ a: { at: [], edited: false }, b: { at: [], edited: true } });
  });
});

describe('the divergence of two runs', () => {
  test('is their first different record', async () => {
    const a = records([0, 1], [10, 2], [20, 3]);
    const b = records([0, 1], [10, 2, 7], [20, 3]);
    expect(await firstDifference(whole(a), whole(b), breathe)).toEqual({ timePs: 10, a: 2, b: 2 });
  });

  test('is the end of the shorter run if it only ends earlier', async () => {
    const a = records([0, 1]);
    const b = records([0, 1], [30, 2]);
    expect(await firstDifference(whole(a), whole(b), breathe)).toEqual({
      timePs: 30,
      a: null,
      b: 2,
    });
  });

  test('is null if they are identical', async () => {
    const same = whole(records([0, 1]));
    expect(await firstDifference(same, same, breathe)).toEqual({ untilPs: null });
  });

  test('is unknown beyond the stored records', async () => {
    const a = begun(records([0, 1], [10, 2]));
    const longer = begun(records([0, 1], [10, 2], [20, 3]));
    expect(await firstDifference(a, longer, breathe)).toEqual({ untilPs: 10 });
    expect(await firstDifference(longer, a, breathe)).toEqual({ untilPs: 10 });
    const over = whole(records([0, 1], [10, 2]));
    expect(await firstDifference(over, longer, breathe)).toEqual({ timePs: 20, a: null, b: 3 });
  });
});

describe('the next divergence', () => {
  const a = records([0, 1], [10, 1], [20, 1], [30, 1], [40, 1], [50, 1], [60, 1], [70, 1], [80, 2]);
  const late = [25, 35, 45, 55, 66, 76] as const;
  const b = records([0, 1], [10, 1], ...late.map((time) => [time, 1] as const));

  test('is where the lag changes after the runs were in step again', async () => {
    expect(await nextDifference(whole(a), whole(b), 20, breathe)).toEqual({
      timePs: 60,
      a: 7,
      b: 7,
    });
  });

  test('is null after the last', async () => {
    expect(await nextDifference(whole(a), whole(b), 60, breathe)).toBeNull();
  });

  test('is also an event of only one run', async () => {
    const alone = records([0, 1], [10, 1], [20, 1], [30, 1], [40, 2]);
    const same = records([5, 1], [15, 1], [25, 1], [35, 1]);
    const found = { timePs: 40, a: 5, b: null };
    expect(await nextDifference(whole(alone), whole(same), 30, breathe)).toEqual(found);
    expect(await nextDifference(whole(alone), begun(same), 30, breathe)).toBeNull();
  });
});

test('the n-th event of a kind in one run is the n-th of that kind in the other', () => {
  const a = records([0, 1], [10, 2], [20, 1], [30, 5]);
  const b = records([5, 2], [6, 1], [7, 1]);
  expect(matchEvents(a, b, [1, 2, 3, 4], [1, 2, 3])).toEqual([
    { seq: 1, a: 0, b: 6 },
    { seq: 2, a: 10, b: 5 },
    { seq: 3, a: 20, b: 7 },
  ]);
});

test('counters of only one run have the greatest weight, then the largest ratio', () => {
  const pair = (a: number, b: number) => weightOf({ part: 0, name: '', title: '', unit: '', a, b });
  expect(pair(0, 1)).toBeGreaterThan(pair(1, 100));
  expect(pair(10, 1)).toBeGreaterThan(pair(1, 2));
  expect(pair(4, 2)).toBe(pair(2, 4));
});
