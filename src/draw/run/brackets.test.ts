import { expect, test } from 'vitest';
import { linearAxis } from '../axis';
import { placedBrackets } from './brackets';

const axis = linearAxis(0, 1000, 100, 1100);
const bracket = (fromPs: number, toPs: number) => ({
  fromPs,
  toPs,
  texts: ['four loads: 1.393 µs', '1.393 µs'],
});

test('a wide bracket has its full text inside, a narrow one the value beside it', () => {
  const [narrow, wide] = placedBrackets([bracket(0, 20), bracket(400, 1000)], axis);
  expect(narrow).toMatchObject({ from: 100, to: 120, row: 0, text: '1.393 µs' });
  expect(narrow?.x).toBeGreaterThan(120);
  expect(wide).toMatchObject({ from: 500, to: 1100, row: 0, text: 'four loads: 1.393 µs' });
  expect((wide?.x ?? 0) + (wide?.width ?? 0)).toBeLessThan(1100);
});

test('a bracket at the right edge has its value on its left', () => {
  const [placed] = placedBrackets([bracket(980, 1000)], axis);
  expect((placed?.x ?? 0) + (placed?.width ?? 0)).toBeLessThan(1080);
});

test('a bracket within another has a row of its own', () => {
  const rows = placedBrackets([bracket(200, 400), bracket(0, 900)], axis);
  expect(rows.map(({ from, row }) => [from, row])).toEqual([
    [100, 0],
    [300, 1],
  ]);
});

test('a bracket outside the axis is left out, one across its edge is cut', () => {
  const shown = placedBrackets([bracket(1000, 1400), bracket(900, 1400)], axis);
  expect(shown.map(({ from, to }) => [from, to])).toEqual([[1000, 1100]]);
});
