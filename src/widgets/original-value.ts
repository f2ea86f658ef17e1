import type { EditableNumber } from '../model/scenario/editable-param';
import type { Value } from '../model/scenario/scenario-types';

/**
 * The value struck through beside a parameter: its value before the last edit if that changed it, else the
 * scenario's value if it differs. `before` is undefined if the parameter had the scenario's value before the
 * edit, null if the edit did not concern it.
 */
export function originalNumber(
  editable: EditableNumber,
  before: Value | undefined | null,
): number | undefined {
  if (before !== null) {
    const previous = before === undefined ? editable.original : editable.number(before);
    if (previous !== null && previous !== editable.value) return previous;
  }
  return editable.value === editable.original ? undefined : editable.original;
}
