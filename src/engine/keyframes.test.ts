import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Keyframes } from './keyframes';

/** A run whose state after n events is the byte n. Takes the keyframes that are due. */
function run(keyframes: Keyframes, from: number, to: number): void {
  for (let events = from; events <= to; events++)
    if (keyframes.due === events)
      keyframes.take({ events, timePs: events * 10, seq: events * 2 }, (slot) =>
        slot.fill(events % 251),
      );
}

test('the spacing doubles when the budget is used up; the remaining keyframes are evenly spaced', () => {
  const keyframes = new Keyframes(16, 16 * 8, 4);
  run(keyframes, 0, 1000);
  expect(keyframes.spacing).toBe(256);
  expect(keyframes.count).toBeLessThan(8);
  const at = [0, 255, 256, 700, 1000].map((n) => keyframes.newest(({ events }) => events <= n));
  expect(at.map((keyframe) => keyframe?.events)).toEqual([0, 0, 256, 512, 768]);
});

test('the newest keyframe before a point is less than one spacing away and holds its own state', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 0, max: 5000 }),
      (length, back, target) => {
        const keyframes = new Keyframes(4, 4 * 10, 8);
        run(keyframes, 0, length);
        const from = Math.min(back, length);
        keyframes.dropAfter(from);
        const far = Math.min(target, from);
        const found = keyframes.newest(({ events }) => events <= far);
        expect(found).toBeDefined();
        if (!found) return;
        expect(far - found.events).toBeLessThan(keyframes.spacing);
        expect(found.slot[0]).toBe(found.events % 251);
        run(keyframes, from, length);
        const again = keyframes.newest(({ events }) => events <= length);
        expect(length - (again?.events ?? 0)).toBeLessThan(keyframes.spacing);
      },
    ),
  );
});

test('the first keyframe is kept even if the state is larger than the budget', () => {
  const keyframes = new Keyframes(1000, 10, 4);
  run(keyframes, 0, 500);
  expect(keyframes.newest(({ events }) => events <= 3)?.events).toBe(0);
});
