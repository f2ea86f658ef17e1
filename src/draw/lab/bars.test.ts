import { describe, expect, test } from 'vitest';
import { type CostInput, costModel } from './bars';

const row = (id: string, totalPs: number, changes: Partial<CostInput> = {}): CostInput => ({
  id,
  title: id,
  hue: 1,
  totalPs,
  segments: [
    { cost: 'software', fromPs: 0, toPs: totalPs / 2 },
    { cost: 'waiting', fromPs: totalPs / 2, toPs: totalPs },
  ],
  busy: [{ fromPs: 0, toPs: totalPs / 2 }],
  ...changes,
});

describe('cost bars', () => {
  test('start at zero and have lengths in proportion to time', () => {
    const { rows } = costModel([row('a', 10e6), row('b', 40e6)], 308, []);
    const half = (index: number) => (rows[index]?.segments[1]?.x ?? 0) - 2;
    expect(rows.every((one) => one.segments[0]?.x === 2)).toBe(true);
    expect(half(1) / half(0)).toBeCloseTo(4);
  });

  test('write the total after the bar, or inside it when the bar fills the width', () => {
    const { rows, ticks } = costModel([row('a', 8.33e6), row('b', 49.48e6)], 308, []);
    expect(rows.map((one) => [one.total.text, one.total.inside])).toEqual([
      ['8.33', false],
      ['49.48', true],
    ]);
    expect(ticks.at(-1)?.label).toBe('40\u00a0µs');
  });

  test('are as long as the axis, and without a time, while a question asks for it', () => {
    const sealed = row('b', 0, { totalPs: null, segments: [], busy: [] });
    const { rows, axis } = costModel([row('a', 10e6), sealed], 308, []);
    const [other, asked] = rows;
    expect(asked?.total.text).toBe('your guess?');
    expect(asked?.whole.width).toBeGreaterThan(other?.whole.width ?? Number.POSITIVE_INFINITY);
    expect(axis).toEqual(costModel([row('a', 10e6), row('b', 1e6)], 308, []).axis);
  });

  test('separate the pairs that compete', () => {
    const four = ['a', 'b', 'c', 'd'].map((id) => row(id, 1e6));
    const ys = costModel(four, 308, [2]).rows.map((one) => one.y);
    expect((ys[2] ?? 0) - (ys[1] ?? 0)).toBeGreaterThan((ys[1] ?? 0) - (ys[0] ?? 0));
  });

  test('leave out costs of zero time', () => {
    const empty = row('a', 1e6, { segments: [{ cost: 'device', fromPs: 5, toPs: 5 }] });
    expect(costModel([empty], 308, []).rows[0]?.segments).toEqual([]);
  });
});
