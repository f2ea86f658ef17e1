import { createStore, watch } from '../../base/store';
import { player } from '../../model/session/open-run';
import type { LaneArea } from '../../widgets/laneArea';

/** The chosen area of the lanes, for one run, and whether dragging chooses one. */
export const laneArea = createStore<{
  readonly area: LaneArea | null;
  readonly isChoosing: boolean;
}>({ area: null, isChoosing: false });

watch(
  player.state,
  ({ opened }) => opened,
  () => laneArea.setState({ area: null }),
);
