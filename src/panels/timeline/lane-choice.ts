import { createStore, watch } from '../../base/store';
import { type LaneChoice, NO_CHOICE } from '../../draw/run/lane-choice';
import { session } from '../../model/session/session';

/** The reader's choice of lanes, for one open machine. */
export const laneChoice = createStore<LaneChoice>(NO_CHOICE);

watch(
  session,
  ({ opened }) => opened,
  () => laneChoice.setState(NO_CHOICE, true),
);
