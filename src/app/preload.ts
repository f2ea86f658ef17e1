/**
 * Starts the downloads that the address will need while the page starts. Errors are left to the later
 * request.
 */
import { whileBusy } from '../base/activity';
import { parseFragment, type Route } from '../base/route';
import { isCrossoverLab } from '../controllers/machine-features';
import { engineModule } from '../engine/module';
import { fetchScenario, listScenarios } from '../model/scenario/scenarios';
import { loadSessionModule } from '../model/session/session-module';
import { hasSession } from './address/address';
import { panelsOf } from './panels';

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
      ...(at?.view === 'lab' ? labParts(at) : []),
    ]),
  );
}

/** Panels and workers of a lab: otherwise each waits for what renders it, and its imports for itself. */
function labParts({ view, scenario }: Route): Promise<unknown>[] {
  const crosses = listScenarios().some(({ id, crosses: does }) => id === scenario && does);
  const panels = panelsOf(view, false).filter(({ shown }) => crosses || shown !== isCrossoverLab);
  const parts = panels.flatMap(({ component }) => component.preload?.() ?? []);
  return crosses ? [...parts, startLabWorkers()] : parts;
}

const startLabWorkers = (): Promise<void> =>
  import('../controllers/useLab').then(({ lab }) => lab.prepare());
