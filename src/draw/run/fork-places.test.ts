import { expect, test } from 'vitest';
import { widthOf } from '../text-width';
import { branchPlaces, DESK_ROWS, THUMB_ROW } from './fork-places';

const forks = ['A', 'B', 'a fork with a name', 'C', 'D'].map((name, at) => ({
  name,
  x: [100, 100, 101, 130, 400][at] ?? 0,
}));

test.each([DESK_ROWS, THUMB_ROW])('no name of a fork covers another in %o', (rows) => {
  const names = branchPlaces(forks, rows).map(({ row, length }, at) => {
    const { x = 0, name = '' } = forks[at] ?? {};
    return { row, from: x + length, to: x + length + widthOf(name, 11) };
  });
  for (const [at, { row, from }] of names.entries())
    for (const before of names.slice(0, at))
      expect(row !== before.row || from >= before.to).toBe(true);
  expect(Math.max(...names.map(({ row }) => row))).toBeLessThan(rows.rows);
});
