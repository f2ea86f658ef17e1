import { createStore, watch } from '../../base/store';
import { useStore } from '../../controllers/useStore';
import { session } from '../../model/session/session';

interface Following {
  /** The view follows the bus. */
  readonly on: boolean;
  /** First lines of the bays if the user dragged them; null otherwise. */
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

/** Stops following the bus, to show a page. */
export const leaveBus = (): void => following.setState({ on: false, bays: null });

export const holdBays = (bays: readonly number[]): void => following.setState({ on: false, bays });
