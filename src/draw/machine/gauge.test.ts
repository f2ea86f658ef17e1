import { expect, test } from 'vitest';
import { reasonMark } from '../glyph';
import type { Shape } from '../shape';
import { widthOf } from '../text-width';
import { openGauge, REASON_PITCH, sealedGauge } from './gauge';
import { layoutMachine } from './layout';
import { BUS, CPU, MACHINE } from './machine.fixture';
import { boxShapes } from './parts';
import type { PlacedPart } from './types';

const { parts } = layoutMachine(MACHINE);
const [placed, bus] = [CPU, BUS].map((index) => parts[index]) as [PlacedPart, PlacedPart];

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

test('a sealed gauge beside the name of a processor leaves its clock free', () => {
  const { x, y, width } = placed.box;
  const above = { ...placed, index: 99, box: { x, y: y + 300, width, height: 26 } };
  const [clock] = bus.part.type.params;
  const low = {
    ...placed,
    box: { ...placed.box, y: y + 330 },
    part: {
      ...placed.part,
      params: [{ value: 100_000_000n }],
      type: { ...placed.part.type, params: clock ? [clock] : [] },
    },
  };
  const text = boxShapes(low, false).find(
    (shape) => shape.kind === 'text' && shape.text === '100\u00a0MHz',
  );
  if (text?.kind !== 'text') throw new Error('There is no clock.');
  const wordings = ['packets in a second: your guess?', 'packets: your guess?', 'your guess?'];
  const seal = boxOf(sealedGauge(low, [low, above], wordings), 'seal');
  expect(seal.x + seal.width).toBeLessThanOrEqual(text.x - widthOf(text.text, 10.5));
});

test('a sealed gauge on a bus leaves the responses above it free', () => {
  const view = {
    name: 'agents',
    doc: '',
    fields: [{ name: 'response', bits: 32, as: 'count' }],
  } as const;
  const { part, box } = bus;
  const answering = { ...bus, part: { ...part, type: { ...part.type, views: [view] } } };
  const module = { ...placed, box: { ...placed.box, y: box.y - 31 - placed.box.height } };
  const wordings = ['lines flushed in the whole run: your guess?', 'your guess?'];
  const of = (asked: PlacedPart) => boxOf(sealedGauge(asked, [module, asked], wordings), 'seal');
  expect(of(answering).width).toBeLessThan(of(bus).width);
  expect(of(answering).x + of(answering).width).toBeLessThan(
    module.box.x + module.box.width - 41 - 12,
  );
});

test.each([0, 1, 2, 4])('the gauge stands beside %i numbers of causes', (reasons) => {
  const asked = { actual: 400, guess: [0, 200], reasons } as const;
  const [last] = reasonMark(placed.box.x + (reasons - 1) * REASON_PITCH, placed.box.y, reasons);
  const { x } = boxOf(openGauge(placed, [placed], ['400'], asked), 'gauge');
  expect(x).toBeGreaterThan(placed.box.x);
  if (last?.kind === 'circle' && reasons > 0) expect(x).toBeGreaterThan(last.x + last.r);
});
