/** Starts everything of the page that is not drawn: frames, theme, keyboard, storage, address. */

import { runCommand } from '../base/commands';
import { loop } from '../base/loop';
import { answerRequests, visitedScenarios } from '../base/recent';
import { navigate, type Route } from '../base/route';
import { saveText } from '../model/session';
import { startAddress } from './address';
import { chooseFile, startDrop } from './drop';
import { startFocus } from './focus';
import { startKeyboard } from './keyboard';
import { openText, session } from './session';
import { addShellCommands } from './shellCommands';
import { Autosave } from './storage/autosave';
import { remember, remembered } from './storage/preferences';
import * as shelf from './storage/sessions';
import { startTheme } from './theme';

/** How long a change rests before it is written. */
const QUIET_MS = 600;
const TAB = 'busyard.session';

export async function start(): Promise<void> {
  loop.attach({ request: (run) => requestAnimationFrame(run), cancel: cancelAnimationFrame });
  startTheme(new URLSearchParams(location.search).get('theme'));
  addShellCommands();
  startKeyboard();
  startFocus();
  startDrop();
  startVisited();
  const autosave = openAutosave();
  answerRequests((what) => {
    if (what.kind === 'choose-file') chooseFile();
    if (what.kind === 'forget-recent') void autosave.forget(what.id);
    if (what.kind === 'open-recent') void openRecent(autosave, what.id);
  });
  void autosave.refresh();
  await startAddress((at) => restore(autosave, at));
}

function openAutosave(): Autosave {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const autosave = new Autosave({
    session,
    shelf,
    sessionText: saveText,
    openText,
    saveFile: () => runCommand('file.save'),
    newId: () => crypto.randomUUID(),
    now: () => Date.now(),
    settle(callback) {
      clearTimeout(timer);
      timer = setTimeout(callback, QUIET_MS);
    },
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void autosave.flush();
    else void autosave.refresh();
  });
  window.addEventListener('pagehide', () => {
    const id = autosave.current();
    if (id) sessionStorage.setItem(TAB, id);
    else sessionStorage.removeItem(TAB);
  });
  return autosave;
}

/** A reload of the tab finds the work as it was, if the address still means the same piece of work. */
async function restore(autosave: Autosave, at: Route): Promise<boolean> {
  const id = sessionStorage.getItem(TAB);
  if (!id || at.view === 'gallery') return false;
  const saved = await shelf.load(id).catch(() => undefined);
  return saved?.scenario === at.scenario && (await autosave.resume(id));
}

async function openRecent(autosave: Autosave, id: string): Promise<void> {
  await autosave.flush();
  const open = (await autosave.resume(id)) ? session.getState() : null;
  if (!open) return;
  navigate(open.scenario ? { view: open.kind, scenario: open.scenario } : { view: open.kind });
}

/** Remembers which scenarios were ever opened: the marks of the gallery. */
function startVisited(): void {
  visitedScenarios.setState((remembered('visited') ?? '').split(' ').filter(Boolean), true);
  session.subscribe((now) => {
    const id = now?.scenario;
    if (!id || visitedScenarios.getState().at(-1) === id) return;
    const visited = [...visitedScenarios.getState().filter((other) => other !== id), id];
    visitedScenarios.setState(visited, true);
    remember('visited', visited.join(' '));
  });
}
