import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useGesture } from './useGesture';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function gesture() {
  const calls: [number, boolean][] = [];
  const { result, unmount } = renderHook(() => useGesture((...call) => calls.push(call)));
  return { calls, unmount, now: () => result.current };
}

test('repeated key presses are one edit, committed after a pause', () => {
  const { calls, now } = gesture();
  for (const value of [1, 2, 3]) {
    now().onInput(value);
    now().onCommit(value);
  }
  expect(calls.every(([, commit]) => !commit)).toBe(true);
  act(() => vi.runAllTimers());
  expect(calls.filter(([, commit]) => commit)).toEqual([[3, true]]);
});

test('an edit is committed when the focus leaves, and only once', () => {
  const { calls, now } = gesture();
  now().onCommit(7);
  now().finish();
  act(() => vi.runAllTimers());
  expect(calls.filter(([, commit]) => commit)).toEqual([[7, true]]);
});

test('an unfinished edit is committed when its panel unmounts', () => {
  const { calls, now, unmount } = gesture();
  now().onInput(5);
  unmount();
  expect(calls.at(-1)).toEqual([5, true]);
});
