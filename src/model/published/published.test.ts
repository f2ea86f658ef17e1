import { expect, test } from 'vitest';
import { columnOf, figure, figureIds, noiseOf, numberedColumnOf, phenomenonOf } from './published';
import data from './published.json';

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
  ['t1', /(mrm|all)\.streaming/, 8],
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
  expect(noiseOf('zx1.t7.all.streaming')?.value).toBe(Math.round(266666 / 153));
});

test('figures whose source states no noise have none', () => {
  expect(noiseOf('gt.pio_write.4')).toBeUndefined();
});

test('a column is named by what its rows have in common', () => {
  expect(columnOf('gt.dma_write.512')).toBe('gt.dma_write');
  expect(columnOf('zx1.t4.1024.tcp')).toBe('zx1.t4.*.tcp');
  expect(numberedColumnOf('zx1.t4.1024.tcp')).toBe('zx1.t4.*.tcp');
  expect(numberedColumnOf('zx1.t1.mrm.streaming')).toBe('');
});

test('each figure of a phenomenon is published, and shows one', () => {
  const listed = data.phenomena.flatMap(({ figures }) => figures);
  expect(listed.filter((id) => !figure(id))).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
  expect(phenomenonOf('zx1.5704.dual')).toBe(phenomenonOf('zx1.t4.1024.tcp'));
  expect(phenomenonOf('gt.dma_write.512')).toBe(phenomenonOf('gt.dma_write.1024'));
  expect(phenomenonOf('zx1.t1.mr.consistent')).toBe('zx1.t1.mr.consistent');
});
