import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeBeside } from './place';
import { nearestStep } from './steps';

test('values snap to steps without stray decimals', () => {
  expect(nearestStep(0.1 + 0.2, 0.1, 0, 1)).toBe(0.3);
  expect(nearestStep(8.2749, 0.01, 0, 100)).toBe(8.27);
  expect(nearestStep(130, 4, 0, 1000)).toBe(132);
});

test('both ends of a range can be reached, also off the grid of steps', () => {
  expect(nearestStep(0.4, 0.5, 0.3, 10.2)).toBe(0.5);
  expect(nearestStep(0.3, 0.5, 0.3, 10.2)).toBe(0.3);
  expect(nearestStep(11, 0.5, 0.3, 10.2)).toBe(10.2);
});

test('a sheet beside its control never leaves the page', () => {
  const size = fc.record({
    width: fc.integer({ min: 10, max: 380 }),
    height: fc.integer({ min: 10, max: 500 }),
  });
  const spot = fc.record({
    x: fc.integer({ min: 0, max: 380 }),
    y: fc.integer({ min: 0, max: 820 }),
  });
  fc.assert(
    fc.property(size, spot, fc.constantFrom('start' as const, 'end' as const), (box, at, align) => {
      const anchor = { ...at, width: 60, height: 24 };
      const { left, top } = placeBeside(anchor, box, { width: 400, height: 844 }, align);
      expect(left).toBeGreaterThanOrEqual(8);
      expect(left + box.width).toBeLessThanOrEqual(392);
      expect(top).toBeGreaterThanOrEqual(8);
      expect(top + box.height).toBeLessThanOrEqual(836);
    }),
  );
});
