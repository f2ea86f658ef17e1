import { expect, test } from 'vitest';
import { barPath, decimalsOf, errorPlot, errorX, groupRows, markPath } from './report';

const SCALE = { width: 212, inset: 6 };

const row = (error: number | null, more: object = {}) => ({
  error_percent: error,
  tolerance_percent: 5,
  role: 'held-out',
  verdict: 'passed',
  ...more,
});

test('zero error is in the middle, ten per cent at the ends', () => {
  expect(errorX(SCALE, 0)).toBe(106);
  expect(errorX(SCALE, -10)).toBe(6);
  expect(errorX(SCALE, 25)).toBe(206);
});

test('values beyond the scale are marked', () => {
  const { marks } = errorPlot(SCALE, [row(25, { verdict: 'missed' })]);
  expect(marks).toEqual([{ x: 206, role: 'held-out', bad: true, offScale: 1 }]);
});

test('a row without a value has no mark; a tolerance of zero has no shade', () => {
  expect(errorPlot(SCALE, [row(null, { tolerance_percent: 0 })])).toEqual({
    bars: [],
    tolerance: null,
    marks: [],
  });
});

test('predictions are drawn on top, and wrong ones above all', () => {
  const rows = [row(9, { role: 'structural', verdict: 'failed' }), row(1)];
  const { marks } = errorPlot(SCALE, [...rows, row(2, { role: 'calibrated' })]);
  expect(marks.map((mark) => mark.role)).toEqual(['calibrated', 'held-out', 'structural']);
});

test('each role has a distinct mark shape, except ring and disc', () => {
  const roles = ['calibrated', 'held-out', 'outside', 'structural', 'context'];
  const paths = roles.map((role) => markPath(role, 10, 5));
  expect(paths[0]).toBe(paths[1]);
  expect(new Set(paths).size).toBe(4);
});

test('the rows of a table column are grouped', () => {
  const column = [4, 8, 16, 32, 64].map((size) => ({ figure: `gt.pio_write.${size}` }));
  const groups = groupRows(
    [{ figure: 'gt.threshold.write' }, ...column, { figure: 'gt.dma_read.4' }],
    (figure) => figure.slice(0, figure.lastIndexOf('.')),
  );
  expect(groups.map((group) => [group.key, group.rows.length])).toEqual([
    ['', 1],
    ['gt.pio_write', 5],
    ['', 1],
  ]);
});

test('numbers keep their published decimals', () => {
  expect([61.45, 1024, 0.5, 46.875].map(decimalsOf)).toEqual([2, 0, 1, 3]);
});

test('a single row has error bars: the noise of the published value, and the range over seeds', () => {
  const noisy = row(1, { noise_percent: 2, spread_percent: [-1, 4] });
  expect(errorPlot(SCALE, [noisy]).bars).toEqual([
    { of: 'published', from: 86, to: 126 },
    { of: 'simulated', from: 96, to: 146 },
  ]);
  expect(errorPlot(SCALE, [row(1)]).bars).toEqual([]);
  expect(errorPlot(SCALE, [noisy, noisy]).bars).toEqual([]);
  expect(barPath({ of: 'published', from: 86, to: 126 }, 8)).toBe('M86 5.5v5M86 8H126M126 5.5v5');
});
