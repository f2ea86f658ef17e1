import { expect, test } from 'vitest';
import { figure, figureIds, noiseOf } from './published';

const standardDeviation = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(
    values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1),
  );
};

const valuesOf = (table: string, except: RegExp | null): number[] =>
  [...figureIds()]
    .filter((id) => id.startsWith(`zx1.${table}.`) && !except?.test(id))
    .map((id) => figure(id)?.value ?? Number.NaN);

test.each([
  ['t1', /streaming\.(mrm|all)/, 8],
  ['t2', null, 10],
  ['t6', /consistent\.depth\.mrm/, 44],
] as const)(
  'the noise of %s is the scatter of its cells unaffected by hints',
  (table, except, cells) => {
    const values = valuesOf(table, except);
    expect(values).toHaveLength(cells);
    const noise = noiseOf(`zx1.${table}.streaming.none`)?.value ?? noiseOf(`zx1.${table}.a`)?.value;
    expect((noise ?? 0) / standardDeviation(values)).toBeCloseTo(1, 1);
  },
);

test('the noise of times in whole seconds is one second of 153', () => {
  expect(noiseOf('zx1.t7.streaming.all')?.value).toBe(Math.round(266666 / 153));
});

test('figures whose source states no noise have none', () => {
  expect(noiseOf('gt.pio_write.4')).toBeUndefined();
});
