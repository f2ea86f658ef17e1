import { player } from '../../model/session/open-run';
import { subject } from '../../model/session/presented-event';
import { clearSelection, select } from '../../model/session/selection';
import { whyState } from './state';

/** Opens or closes the explanation of the present event. */
export function explain(effects: boolean): void {
  const { open, effects: before } = whyState.getState();
  if (open && before === effects) {
    whyState.setState({ open: false });
    clearSelection();
    return;
  }
  whyState.setState({ open: true, effects });
  const event = subject();
  if (event !== null) select({ part: player.trace()?.record(event)?.part ?? null, event });
}
