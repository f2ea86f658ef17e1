import { createStore, watch } from '../../base/store';
import { useStore } from '../../controllers/useStore';
import { session } from '../../model/session/session';

interface Following {
  /** The picture goes where the bus is. */
  readonly on: boolean;
  /** First lines of the bays where somebody dragged them; null as long as nobody did. */
  readonly bays: readonly number[] | null;
}

const START: Following = { on: true, bays: null };

/** Kept when the panel is maximised or put away, until another scenario is opened. */
const following = createStore<Following>(START);
watch(
  session,
  ({ opened }) => opened,
  () => following.setState(START),
);

export const useFollowing = (): Following => useStore(following);

export const followBus = (): void => following.setState(START);

/** A page is looked at instead. */
export const leaveBus = (): void => following.setState({ on: false, bays: null });

export const holdBays = (bays: readonly number[]): void => following.setState({ on: false, bays });
