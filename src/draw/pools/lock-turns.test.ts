import { expect, test } from 'vitest';
import type { LockWaitStory } from '../../model/pools/lock-waits';
import { turnShapes, turnsText } from './lock-turns';

const turns = [
  { cpu: 3, from: 10e6, to: 12e6 },
  { cpu: 7, from: 12.1e6, to: 19e6 },
  { cpu: 3, from: 19.01e6, to: 20e6 },
];
const story = { from: 10e6, to: 20e6, turns } as unknown as LockWaitStory;

test('holding times are on the time axis of the wait, named where the name fits', () => {
  const shapes = turnShapes(story, 100);
  const bars = shapes.flatMap((shape) =>
    shape.kind === 'rect' && shape.cls === 'inkf' ? [shape] : [],
  );
  expect(bars.map(({ x }) => x)).toEqual([0, 21, 90.1]);
  expect(bars.every(({ x, width }) => x + width <= 100)).toBe(true);
  const names = (width: number) =>
    turnShapes(story, width).flatMap((shape) =>
      shape.kind === 'text' && shape.cls.includes(' on ') ? [shape.text] : [],
    );
  expect(names(100)).toEqual(['3', '7', '3']);
  expect(names(30)).toEqual(['7']);
});

test('the text alternative lists the holders, longest first', () => {
  expect(turnsText(turns).replace(/\s/g, ' ')).toBe('CPU 7 6.9 µs, CPU 3 2.99 µs');
});
