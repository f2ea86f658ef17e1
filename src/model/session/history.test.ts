import { expect, test } from 'vitest';
import { before, change, redo, startHistory, undo } from './history';

test('a drag is one step', () => {
  let history = startHistory(1);
  history = change(history, 2, false);
  history = change(history, 3, false);
  expect(before(history)).toBe(1);
  history = change(history, 4, true);
  expect(history).toMatchObject({ past: [1], present: 4 });
  expect(undo(history).present).toBe(1);
  expect(redo(undo(history)).present).toBe(4);
});

test('undo during a drag cancels the drag', () => {
  const history = change(change(startHistory(1), 2, true), 3, false);
  expect(undo(history)).toEqual({ past: [1], present: 2, future: [], base: null });
});

test('a new edit clears the redo list', () => {
  const history = undo(change(startHistory(1), 2, true));
  expect(redo(change(history, 3, true)).present).toBe(3);
});

test('undo and redo do nothing at the ends of the history', () => {
  const history = startHistory(1);
  expect(undo(history)).toBe(history);
  expect(redo(history)).toBe(history);
});
