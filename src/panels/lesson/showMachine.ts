import { navigate, route } from '../../base/route';
import { showsOneRun } from '../../model/lab/kind';

/** Beside curves of many runs nothing shows a single one: the machine view of the same session does. */
export function showMachine(): void {
  if (showsOneRun.getState()) return;
  const { scenario, params } = route.getState();
  navigate({ view: 'machine', ...(scenario ? { scenario } : {}), params });
}
