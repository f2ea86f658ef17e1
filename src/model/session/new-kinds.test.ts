import { describe, expect, test } from 'vitest';
import { moreLikeIt, nextNew } from './new-kinds';

const kinds = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

describe('the next new event', () => {
  test('skips repeats, also of several kinds in turn', () => {
    const list = kinds('aaabababc');
    expect(nextNew(list, -1, 1)).toBe(0);
    expect(nextNew(list, 0, 1)).toBe(3);
    expect(nextNew(list, 3, 1)).toBe(8);
    expect(nextNew(list, 8, 1)).toBe(-1);
  });

  test('has one before it by the same rule', () => {
    const list = kinds('aaabababc');
    expect(nextNew(list, 8, -1)).toBe(3);
    expect(nextNew(list, 3, -1)).toBe(0);
    expect(nextNew(list, 0, -1)).toBe(-1);
  });

  test('is one again whose kind has not occurred for a while', () => {
    const list = kinds(`ab${'b'.repeat(20)}a`);
    expect(nextNew(list, 1, 1)).toBe(list.length - 1);
  });
});

test('counts the events like it up to the next new one', () => {
  const list = kinds('aaabababcb');
  expect(moreLikeIt(list, 0)).toBe(2);
  expect(moreLikeIt(list, 3)).toBe(2);
  expect(moreLikeIt(list, 8)).toBe(0);
});
