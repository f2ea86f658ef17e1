import { describe, expect, test } from 'vitest';
import { solve } from './drag';

describe('solving for a parameter', () => {
  test('finds the root of a straight line in few runs', async () => {
    let runs = 0;
    const found = await solve({ low: 0, high: 1e8, step: 1 }, async (value) => {
      runs++;
      return 8_270_000 - value;
    });
    expect(found?.value).toBeCloseTo(8_270_000, 0);
    expect(found?.reached).toBe(true);
    expect(runs).toBeLessThan(8);
  });

  test('finds it beyond a corner and on a step function', async () => {
    const corner = async (value: number) => Math.max(12.6, 4 + value) - 20;
    expect((await solve({ low: 0, high: 100, step: 1e-6 }, corner))?.value).toBeCloseTo(16, 4);
    const stair = async (value: number) => Math.floor(value / 4) - 5.5;
    expect((await solve({ low: 0, high: 100, step: 0.01 }, stair))?.value).toBeCloseTo(24, 1);
  });

  test('returns the nearer end and reports it if there is no root', async () => {
    const never = async (value: number) => 100 + value;
    expect(await solve({ low: 0, high: 50, step: 1 }, never)).toEqual({ value: 0, reached: false });
    const almost = async (value: number) => -100 + value;
    expect(await solve({ low: 0, high: 50, step: 1 }, almost)).toEqual({
      value: 50,
      reached: false,
    });
  });

  test('is cancelled when a newer request takes the engine', async () => {
    let runs = 0;
    const taken = async (value: number) => (++runs > 3 ? null : value - 30.3);
    const bent = async (value: number) => {
      const at = await taken(value);
      return at === null ? null : at ** 3;
    };
    expect(await solve({ low: 0, high: 50, step: 1e-9 }, bent)).toBeNull();
  });
});
