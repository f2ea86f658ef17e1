import { expect, test } from 'vitest';
import type { EditableNumber } from '../model/scenario/editable-param';
import { originalNumber } from './original-value';

const at = (value: number, original = 8.27) =>
  ({ value, original, number: (text: string) => Number.parseFloat(text) }) as EditableNumber;

test('an unedited value has no previous one', () => {
  expect(originalNumber(at(8.27), null)).toBeUndefined();
  expect(originalNumber(at(8.27), undefined)).toBeUndefined();
});

test("the first edit shows the scenario's value", () => {
  expect(originalNumber(at(10), undefined)).toBe(8.27);
});

test('the next edit shows the value before it, also when it returns to it', () => {
  expect(originalNumber(at(12), '10 us')).toBe(10);
  expect(originalNumber(at(8.27), '10 us')).toBe(10);
});

test('an edit of another parameter leaves the scenario’s value beside an edited one', () => {
  expect(originalNumber(at(12), '12 us')).toBe(8.27);
});
