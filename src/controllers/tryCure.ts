import { showToast } from '../base/notices';
import type { Cure } from '../model/run/culprit';
import { setEdits, setPrograms } from '../model/session/editing';
import { session } from '../model/session/session';

/** Runs the machine again with a change, and says so; undo takes it back. */
export function tryCure({ title, edits, programs }: Cure): void {
  const before = session.getState();
  const all = { ...before.edits, ...edits };
  const refused = programs ? setPrograms({ ...before.programs, ...programs }, all) : setEdits(all);
  showToast(refused ? refused.message : `${title}: the machine runs again. Undo takes it back.`);
}
