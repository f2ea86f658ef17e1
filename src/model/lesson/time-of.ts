/** Times in lessons. */
import { parseQuantity } from '../../base/quantity.mjs';

/** "15.2333 us" in picoseconds; null if it is not a time. */
export function timeOf(text: string): number | null {
  try {
    return Number(parseQuantity(text, 'time'));
  } catch {
    return null;
  }
}
