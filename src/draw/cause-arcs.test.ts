import { expect, test } from 'vitest';
import { arcShapes, placesOf } from './cause-arcs';

const chain = [900, 880, 100, 0].map((timePs) => ({ timePs }));

test('the newest event is at the right, its root cause at the left', () => {
  const places = placesOf(chain, 300, 12);
  expect(places[0]).toBe(288);
  expect(places.at(-1)).toBeCloseTo(12);
  expect([...places].sort((a, b) => b - a)).toEqual(places);
});

test('a longer time is a wider arc', () => {
  const [a = 0, b = 0, c = 0] = placesOf(chain, 300, 12);
  expect(b - c).toBeGreaterThan(a - b);
});

test('events at one time share the width evenly', () => {
  const places = placesOf(
    [5, 5, 5].map((timePs) => ({ timePs })),
    300,
    0,
  );
  expect(places.map(Math.round)).toEqual([300, 150, 0]);
});

test('each cause has an arc to its effect; a lone event has none', () => {
  const arcs = (some: number[]) => arcShapes(some, 50, 40).filter(({ cls }) => cls === 'cause-arc');
  expect(arcs(placesOf(chain, 300, 12))).toHaveLength(2 * (chain.length - 1));
  expect(arcs(placesOf(chain.slice(0, 1), 300, 12))).toEqual([]);
});
