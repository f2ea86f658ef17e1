/** Reserving entries of the map with the pointer or a key: the run then starts anew with them taken. */
import { integer } from '../../base/format';
import { showToast } from '../../base/notices';
import {
  entriesOf,
  isReserved,
  type Reserved,
  reservableIn,
  reservedIn,
  reserving,
  stretchesOf,
  stretchOf,
  withStretch,
} from '../../model/pools/reserved-stretches';
import { setEdits } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { poolView } from './pool-view';

const allocatorNow = () => reservableIn(session.getState().machine);

export const canReserve = (): boolean => allocatorNow() !== null;

/** Stretches that are reserved, or are about to be while the pointer is pressed. */
function reservedNow(): Reserved {
  const allocator = allocatorNow();
  return poolView.getState().painted ?? (allocator ? reservedIn(allocator) : 0n);
}

/** Ranges of entries that are reserved. */
export function reservedRanges(): readonly { readonly from: number; readonly to: number }[] {
  const allocator = allocatorNow();
  return allocator ? stretchesOf(reservedNow()).map((one) => entriesOf(allocator, one)) : [];
}

/** Reserves the stretch of an entry, or frees it; `isOn` null for the opposite of what it is. */
export function paintAt(entry: number, isOn: boolean | null): boolean {
  const allocator = allocatorNow();
  if (!allocator) return false;
  const [reserved, stretch] = [reservedNow(), stretchOf(allocator, entry)];
  const next = isOn ?? !isReserved(reserved, stretch);
  poolView.setState({ painted: withStretch(reserved, stretch, next) });
  return next;
}

/** Starts the run anew with what was painted. */
export function applyPainted(): void {
  const [allocator, { painted }] = [allocatorNow(), poolView.getState()];
  poolView.setState({ painted: null });
  if (!allocator || painted === null || painted === reservedIn(allocator)) return;
  const refused = setEdits({ ...session.getState().edits, ...reserving(allocator, painted) });
  const entries = stretchesOf(painted)
    .map((stretch) => entriesOf(allocator, stretch))
    .reduce((sum, { from, to }) => sum + to - from, 0);
  const text =
    entries > 0
      ? `${integer(entries)} entries are reserved: the machine was rerun. Undo reverts it.`
      : 'No entry is reserved any more: the machine was rerun.';
  showToast(refused ? refused.message : text);
}
