import { expect, test } from 'vitest';
import { sensitivityMarks, sensitivityX } from './sensitivity';

const SCALE = { width: 212, inset: 6 };

test('nothing stands at the left end, a fifth and more at the right', () => {
  expect([0, 20, 400].map((percent) => sensitivityX(SCALE, percent))).toEqual([6, 206, 206]);
});

test('one per cent can be told from none', () => {
  expect(sensitivityX(SCALE, 1) - sensitivityX(SCALE, 0)).toBeGreaterThan(40);
});

test('the strongest lies on top, and what lies beyond the scale says so', () => {
  expect(sensitivityMarks(SCALE, [50, 5]).map(({ pastDecision }) => pastDecision)).toEqual([0, 1]);
});
