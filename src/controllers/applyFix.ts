import { showToast } from '../base/notices';
import type { Fix } from '../model/diagnosis/diagnose';
import { settingsOnAxesIfSame } from '../model/scenario/axis-overrides';
import type { Edits } from '../model/scenario/compile';
import type { Problem } from '../model/scenario/problems';
import { setEdits, setPrograms, setVariables } from '../model/session/editing';
import { session } from '../model/session/session';

/** Where the experiment has a run that is set so, that is opened: its place on the axes then says what runs. */
function setOnAxes(asked: Edits): Problem | null {
  const { data, machine, seed } = session.getState();
  if (!data || !machine) return setEdits(asked);
  const { variables, edits } = settingsOnAxesIfSame(data, machine, asked, {
    seed: seed ?? undefined,
  });
  return setVariables(variables, edits);
}

/** Runs the machine again with a change, and says so; undo takes it back. */
export function applyFix({ title, edits, programs }: Fix): void {
  const before = session.getState();
  const all = { ...before.edits, ...edits };
  const refused = programs ? setPrograms({ ...before.programs, ...programs }, all) : setOnAxes(all);
  showToast(refused ? refused.message : `${title}: the machine was rerun. Undo reverts it.`);
}
