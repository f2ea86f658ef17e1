import { expect, test } from 'vitest';
import { searchRings } from './search-rings';

const SHEET = { width: 268, height: 152 };
const grown = (layers: number) =>
  Array.from({ length: layers }, (_, at) => ({
    distance: at + 1,
    states: (at + 1) ** 2,
    waiting: layers - at,
  }));
const pathsOf = (shapes: ReturnType<typeof searchRings>, cls: string) =>
  shapes.filter((shape) => shape.cls.includes(cls));

test('a search grows by rings that stay within the sheet', () => {
  for (const layers of [1, 2, 12, 300]) {
    const shapes = searchRings({ points: grown(layers), violation: null }, SHEET);
    const rings = pathsOf(shapes, 'even');
    expect(rings.length).toBeGreaterThan(0);
    expect(rings.length).toBeLessThanOrEqual(Math.min(layers, 40));
    for (const shape of shapes)
      if (shape.kind === 'circle') expect(shape.r).toBeLessThanOrEqual(SHEET.height / 2);
  }
  const rings = (layers: number) =>
    pathsOf(searchRings({ points: grown(layers), violation: null }, SHEET), 'even').length;
  expect(rings(12)).toBeGreaterThan(rings(2));
});

test('a violation is a path of as many steps, which ends at the outermost ring', () => {
  const shapes = searchRings({ points: grown(4), violation: [2, 0, 1, 7] }, SHEET);
  const steps = shapes.filter((shape) => shape.kind === 'circle' && shape.cls === 'badf');
  expect(steps).toHaveLength(4);
  const last = steps.at(-1);
  const middle = SHEET.height / 2;
  const far = last?.kind === 'circle' ? Math.hypot(last.x - middle, last.y - middle) : 0;
  expect(far).toBeCloseTo(middle - 6, 1);
  const without = searchRings({ points: grown(4), violation: null }, SHEET);
  expect(pathsOf(without, 'bad').filter(({ kind }) => kind !== 'text')).toEqual([]);
});
