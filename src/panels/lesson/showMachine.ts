import { route } from '../../base/route';
import { showsOneRun } from '../../controllers/machine-features';
import { navigateInSession } from '../../model/session/session';

/** Beside curves of many runs nothing shows a single one: the machine view of the same session does. */
export function showMachine(): void {
  if (!showsOneRun.getState()) navigateInSession('machine', route.getState().params);
}
