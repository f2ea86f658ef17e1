/**
 * Values that lessons quote and no run is compared with: of other documents, and standards. Those that runs are
 * compared with are published figures.
 */
import { figure } from '../published/published';
import { type Quantity, quantity } from './quantities';
import data from './quoted.json';

const byId = new Map(data.map((one) => [one.id, quantity(one.value, one.unit)]));

/** A published figure or a quoted value, by its id; null if there is none. */
export function quoted(id: string): Quantity | null {
  const found = figure(id);
  return found ? quantity(found.value, found.unit) : (byId.get(id) ?? null);
}
