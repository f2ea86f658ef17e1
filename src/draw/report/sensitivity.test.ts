import { expect, test } from 'vitest';
import { sensitivityMarks, sensitivityX } from './sensitivity';

const SCALE = { width: 212, inset: 6 };

test('zero is at the left end, a fifth and more at the right', () => {
  expect([0, 20, 400].map((percent) => sensitivityX(SCALE, percent))).toEqual([6, 206, 206]);
});

test('one per cent is distinguishable from zero', () => {
  expect(sensitivityX(SCALE, 1) - sensitivityX(SCALE, 0)).toBeGreaterThan(40);
});

test('the largest is on top, and values beyond the scale are marked', () => {
  expect(sensitivityMarks(SCALE, [50, 5]).map(({ offScale }) => offScale)).toEqual([0, 1]);
});
