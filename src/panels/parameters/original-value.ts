import type { EditableNumber } from '../../model/scenario/editable-param';
import type { Value } from '../../model/scenario/scenario-types';

/**
 * What stands struck through beside a value: what it was before the last edit if that changed it, else
 * what the scenario says, if that is another. `before` is undefined where the edit found the scenario's
 * own value, null where nothing was edited.
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
