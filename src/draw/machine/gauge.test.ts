import { expect, test } from 'vitest';
import { reasonMark } from '../glyph';
import type { Shape } from '../shape';
import { openGauge, REASON_PITCH, sealedGauge } from './gauge';
import { layoutMachine } from './layout';
import { MACHINE } from './machine.fixture';
import type { PlacedPart } from './types';

const placed = layoutMachine(MACHINE).parts.find(({ rail }) => !rail) as PlacedPart;

const boxOf = (shapes: readonly Shape[], cls: string) => {
  const found = shapes.find((shape) => shape.kind === 'rect' && shape.cls === cls);
  if (found?.kind !== 'rect') throw new Error(`There is no ${cls}.`);
  return found;
};

test('the count and the guess are drawn on one scale', () => {
  const shapes = openGauge(placed, [placed], ['misses: 400'], { actual: 400, guess: [0, 200] });
  const [count, guess] = [boxOf(shapes, 'gauge-count'), boxOf(shapes, 'gauge-guess')];
  expect(guess.x).toBe(count.x);
  expect(guess.width / count.width).toBeCloseTo(0.5);
  expect(count.width).toBeLessThan(boxOf(shapes, 'gauge').width);
});

test('a guess without an upper limit reaches the end of the scale', () => {
  const shapes = openGauge(placed, [placed], ['400'], {
    actual: 400,
    guess: [300, Number.POSITIVE_INFINITY],
  });
  const [gauge, guess] = [boxOf(shapes, 'gauge'), boxOf(shapes, 'gauge-guess')];
  expect(guess.x + guess.width).toBeCloseTo(gauge.x + gauge.width);
});

test('a sealed gauge lies over no part above its own', () => {
  const { x, y, width } = placed.box;
  const above = { ...placed, index: 99, box: { x, y: y + 300, width, height: 26 } };
  const low = { ...placed, box: { ...placed.box, y: y + 330 } };
  const seal = boxOf(sealedGauge(low, [low, above], ['?']), 'seal');
  expect(seal.y).toBeGreaterThan(above.box.y + above.box.height);
  expect(seal.x).toBeGreaterThan(x + 22 + low.part.title.length * 4);
});

test.each([0, 1, 2, 4])('the gauge stands beside %i numbers of causes', (reasons) => {
  const asked = { actual: 400, guess: [0, 200], reasons } as const;
  const [last] = reasonMark(placed.box.x + (reasons - 1) * REASON_PITCH, placed.box.y, reasons);
  const { x } = boxOf(openGauge(placed, [placed], ['400'], asked), 'gauge');
  expect(x).toBeGreaterThan(placed.box.x);
  if (last?.kind === 'circle' && reasons > 0) expect(x).toBeGreaterThan(last.x + last.r);
});
