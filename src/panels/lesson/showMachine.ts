import { route } from '../../base/route';
import { showsOneRun } from '../../controllers/machine-features';
import { navigateInSession } from '../../model/session/session';

/** Opens the machine view of the session, since a lab of curves does not show a single run. */
export function showMachine(): void {
  if (!showsOneRun.getState()) navigateInSession('machine', route.getState().params);
}
