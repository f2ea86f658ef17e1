import { describe, expect, test } from 'vitest';
import {
  decadeTicks,
  linearAxis,
  logAxis,
  logRange,
  niceStep,
  plainLabel,
  sizeTicks,
  timeTicks,
} from './axis';

const names = (ticks: readonly { label: string }[]) => ticks.map((tick) => tick.label);

describe('a logarithmic axis', () => {
  test('gives equal ratios equal lengths, and is invertible', () => {
    const axis = logAxis(1, 100, 0, 200);
    expect(axis.at(10)).toBeCloseTo(100);
    expect(axis.valueAt(150)).toBeCloseTo(31.62, 2);
  });

  test('covers the published throughputs with a margin, and ignores values that cannot be drawn', () => {
    expect(logRange([0.52, 528.34, 0, Number.NaN])).toEqual([0.4, 800]);
    expect(logRange([])).toEqual([1, 10]);
  });

  test('is unchanged by a small edit', () => {
    expect(logRange([0.51, 520])).toEqual(logRange([0.52, 528.34]));
  });

  test('has ticks at 1, 2 and 5', () => {
    const ticks = decadeTicks(logAxis(0.4, 20, 400, 0), plainLabel);
    expect(names(ticks)).toEqual(['0.5', '1', '2', '5', '10', '20']);
    expect(ticks.filter((tick) => tick.major).map((tick) => tick.value)).toEqual([1, 10]);
  });

  test('has only decades when it is short', () => {
    expect(names(decadeTicks(logAxis(1, 1e6, 120, 0), plainLabel))).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((power) => plainLabel(10 ** power)),
    );
  });
});

test('sizes are labelled in binary units at every second power', () => {
  const ticks = sizeTicks(logAxis(4, 1024, 0, 100), 2);
  expect(ticks).toHaveLength(9);
  expect(names(ticks).filter(Boolean)).toEqual([
    '4\u00a0B',
    '16\u00a0B',
    '64\u00a0B',
    '256\u00a0B',
    '1\u00a0KiB',
  ]);
});

test('steps are 1, 2 or 5', () => {
  expect(niceStep(14, 14)).toBe(1);
  expect(niceStep(49.5, 6)).toBe(10);
  expect(niceStep(12.6e6, 6)).toBe(5e6);
});

test('a time axis writes its unit once', () => {
  expect(names(timeTicks(linearAxis(0, 50e6, 0, 300), 5, 'last'))).toEqual([
    '0',
    '10',
    '20',
    '30',
    '40',
    '50\u00a0µs',
  ]);
  expect(names(timeTicks(linearAxis(0, 1.2e6, 0, 300), 6, 'first'))[0]).toBe('0\u00a0µs');
  expect(names(timeTicks(linearAxis(0, 1.2e6, 0, 300), 6, 'first'))[1]).toBe('0.2');
});
