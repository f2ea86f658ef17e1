import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placePopover } from './popoverPosition';
import { snapped, stepped } from './steps';

const snap = (value: number, step: number, min: number, max: number) =>
  snapped(value, { step, min, max });

test('values snap to steps without stray decimals', () => {
  expect(snap(0.1 + 0.2, 0.1, 0, 1)).toBe(0.3);
  expect(snap(8.2749, 0.01, 0, 100)).toBe(8.27);
  expect(snap(130, 4, 0, 1000)).toBe(132);
});

test('both limits can be reached, also off the grid of steps', () => {
  expect(snap(0.4, 0.5, 0.3, 10.2)).toBe(0.5);
  expect(snap(0.3, 0.5, 0.3, 10.2)).toBe(0.3);
  expect(snap(11, 0.5, 0.3, 10.2)).toBe(10.2);
});

test('where a rule lists the values, steps go from one to the next', () => {
  const legal = {
    near: (value: number) => 2 ** Math.round(Math.log2(value)),
    next: (value: number, by: number) => value * 2 ** by,
  };
  const steps = { step: 1, min: 1, max: 64, legal };
  expect(stepped(8, 1, steps)).toBe(16);
  expect(stepped(8, -2, steps)).toBe(2);
  expect(snapped(100, steps)).toBe(64);
  expect(snapped(11, steps)).toBe(8);
});

test('a popover never leaves the page', () => {
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
      const { left, top } = placePopover(anchor, box, { width: 400, height: 844 }, align);
      expect(left).toBeGreaterThanOrEqual(8);
      expect(left + box.width).toBeLessThanOrEqual(392);
      expect(top).toBeGreaterThanOrEqual(8);
      expect(top + box.height).toBeLessThanOrEqual(836);
    }),
  );
});
