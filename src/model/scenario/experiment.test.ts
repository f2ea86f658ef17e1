import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  curvesOf,
  editsOf,
  findCrossing,
  metricValue,
  pointsOf,
  refineCrossing,
  variablesAt,
  withoutFollowing,
} from './experiment';
import { compiled, loaded } from './scenario.fixture';
import type { Metric } from './scenario-types';
import { termsOf } from './scenario-types';

describe('points', () => {
  test('follow the horizontal axis, one curve after another', () => {
    const scenario = loaded((file) => {
      file.variables.laps = 1;
      file.experiment.axes = {
        size: { values: [4, 8], also: { laps: [100, 50] } },
        method: ['pio_write', 'dma_write'],
      };
    });
    expect(pointsOf(scenario).map(({ variables }) => variables)).toEqual([
      { size: 4, laps: 100, method: 'pio_write' },
      { size: 8, laps: 50, method: 'pio_write' },
      { size: 4, laps: 100, method: 'dma_write' },
      { size: 8, laps: 50, method: 'dma_write' },
    ]);
  });

  test('have what follows an axis anew at another place, but keep what was chosen apart from it', () => {
    const scenario = loaded((file) => {
      file.variables.laps = 1;
      file.experiment.axes = {
        size: { values: [4, 8], also: { laps: [100, 50] } },
        method: ['pio_write', 'dma_write'],
      };
    });
    const lapsAt8 = (laps: number) => {
      const base = withoutFollowing(scenario, { size: 4, laps, method: 'pio_write' });
      const moved = variablesAt(scenario, { ...base, size: 8 });
      return moved.ok && moved.value.laps;
    };
    expect([lapsAt8(100), lapsAt8(7)]).toEqual([50, 7]);
  });

  test('give curves with gaps where a run is missing', () => {
    const scenario = loaded((file) => {
      file.experiment.axes = {
        size: [4, 8],
        method: { values: ['pio_write', 'dma_write'], titles: ['PIO', 'DMA'] },
      };
    });
    expect(curvesOf(scenario, pointsOf(scenario), [10, 20, null, 40])).toEqual([
      { title: 'PIO', at: { method: 'pio_write' }, x: [4, 8], y: [10, 20], point: [0, 1] },
      { title: 'DMA', at: { method: 'dma_write' }, x: [4, 8], y: [null, 40], point: [2, 3] },
    ]);
  });
});

describe('a metric', () => {
  const metric = loaded().metrics.get('throughput') as Metric;

  test('is a ratio of products of variables, counters and numbers', () => {
    expect(metricValue(metric, { size: 512 }, [[3, 25e6], [], []])).toBeCloseTo((512 * 3) / 25, 12);
  });

  test('adds the terms of a sum, and products within it', () => {
    const edited = loaded((file) => {
      const sum = ['cpu.laps', [-2, '$size']];
      file.metrics.throughput = { title: 'sum', product: [{ sum }], over: [1] };
    }).metrics.get('throughput') as Metric;
    expect(metricValue(edited, { size: 512 }, [[3, 0], [], []])).toBe(3 - 2 * 512);
    expect(termsOf(edited).map(({ kind }) => kind)).toEqual([
      'counter',
      'number',
      'variable',
      'number',
    ]);
  });

  test('has no value without a lap', () => {
    expect(metricValue(metric, { size: 512 }, [[0, 0], [], []])).toBeNull();
  });
});

describe('a crossing', () => {
  test('of straight lines on log-log axes is exact between the grid values', () => {
    const x = [64, 128, 256, 512];
    const found = findCrossing(
      x,
      x.map((n) => n / 10),
      x.map(() => 20),
    );
    expect(found.grid).toBe(256);
    expect(found.between).toEqual([128, 256]);
    expect(found.crossing).toBeCloseTo(200, 9);
  });

  test.each([
    ['never', [1, 1], [2, 2], { grid: null, crossing: null, between: null }],
    ['from the first value on', [2, 2], [1, 1], { grid: 4, crossing: null, between: null }],
    ['after a missing run', [null, 2], [1, 1], { grid: 8, crossing: null, between: null }],
  ])('is found %s', (_, more, than, expected) => {
    expect(findCrossing([4, 8], more, than)).toEqual(expected);
  });

  test('refined with runs is the first step at which the other curve is larger', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 513, max: 1024 }), async (true_) => {
        const found = await refineCrossing([512, 1024], 4, async (x) => x - true_ + 0.5);
        expect(found).toBe(Math.ceil(true_ / 4) * 4);
      }),
    );
  });
});

describe('what if', () => {
  test.each([
    ['a value', '2 us', '2 us'],
    ['a factor', { times: 0.5 }, '65 ns'],
    ['a sum', { plus: '1 us' }, '1.13 us'],
    ['a difference', { minus: '30 ns' }, '100 ns'],
  ])('%s', (_, change, text) => {
    const machine = compiled(loaded());
    const result = editsOf(machine, {}, { title: '', set: { 'cpu.call': change } });
    expect(result).toEqual({ ok: true, value: { 'cpu.call': text } });
  });

  test('is refused beyond the range of the parameter', () => {
    const machine = compiled(loaded());
    const result = editsOf(machine, {}, { title: '', set: { 'cpu.call': { minus: '130 ns' } } });
    expect(!result.ok && result.problems[0]?.message).toBe(
      '"per call" is at least 1 ns; 0 ps is outside.',
    );
  });
});
