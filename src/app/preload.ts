/**
 * Starts the downloads that the address will need while the page starts. Errors are left to the later
 * request.
 */
import { whileBusy } from '../base/activity';
import { parseFragment } from '../base/route';
import { engineModule } from '../engine/module';
import { fetchScenario } from '../model/scenario/scenarios';
import { loadSessionModule } from '../model/session/session-module';
import { hasSession } from './address/address';

export function preload(fragment: string): void {
  const address = parseFragment(fragment);
  if (address.kind === 'link' || address.kind === 'unknown') return;
  const at = address.kind === 'route' ? address.route : null;
  if (at && !hasSession(at)) return;
  const scenario = at?.scenario;
  void whileBusy(
    Promise.allSettled([
      loadSessionModule(),
      engineModule(),
      ...(scenario ? [fetchScenario(scenario)] : []),
    ]),
  );
}
