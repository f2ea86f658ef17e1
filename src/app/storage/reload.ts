/**
 * A reload of the tab finds the work as it was. What the storage holds already is found by its id; a
 * change that was not written yet is kept in the tab's own storage, which takes it at once.
 */
import type { Route } from '../../base/route';
import { saveText } from '../../model/session';
import { openText, session } from '../session';
import type { Autosave } from './autosave';

const KEY = 'busyard.session';

interface Kept {
  readonly id: string | null;
  readonly scenario: string | null;
  readonly text: string | null;
}

export function keepForReload(autosave: Autosave): void {
  const id = autosave.current();
  const text = autosave.waiting ? saveText() : null;
  const kept: Kept = { id, scenario: session.getState()?.scenario ?? null, text };
  try {
    if (id === null && text === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A tab without storage of its own opens the scenario afresh.
  }
}

/** Opens what was kept, if the address still means the same piece of work. */
export async function restore(autosave: Autosave, at: Route): Promise<boolean> {
  const kept = read();
  if (!kept || at.view === 'gallery' || kept.scenario !== (at.scenario ?? null)) return false;
  if (kept.id && (await autosave.resume(kept.id, kept.text))) return true;
  return kept.text !== null && (await openText(kept.text, 'The session before the reload')).ok;
}

function read(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}
