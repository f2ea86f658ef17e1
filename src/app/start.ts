/** Starts everything of the page that is not drawn: frames, theme, keyboard, storage, address. */

import { runCommand } from '../base/commands';
import { loop } from '../base/loop';
import { closeBanner, showBanner } from '../base/notices';
import { answerRequests, visitedScenarios } from '../base/recent';
import { navigate } from '../base/route';
import { watch } from '../base/store';
import { linkDifference } from '../model/link';
import { session as modelSession, saveText } from '../model/session';
import { startAddress } from './address';
import { chooseFile, startDrop } from './drop';
import { startFocus } from './focus';
import { startKeyboard } from './keyboard';
import { openText, session } from './session';
import { addShellCommands } from './shellCommands';
import { Autosave } from './storage/autosave';
import { remember, remembered } from './storage/preferences';
import { keepForReload, restore } from './storage/reload';
import { shelf } from './storage/sessions';
import { startTheme } from './theme';

/** How long a change rests before it is written. */
const QUIET_MS = 600;

export async function start(): Promise<void> {
  loop.attach({ request: (run) => requestAnimationFrame(run), cancel: cancelAnimationFrame });
  startTheme(new URLSearchParams(location.search).get('theme'));
  addShellCommands();
  startKeyboard();
  startFocus();
  startDrop();
  startVisited();
  startWarning();
  startComparing();
  const autosave = openAutosave();
  answerRequests((what) => {
    if (what.kind === 'choose-file') chooseFile();
    if (what.kind === 'forget-recent') void autosave.forget(what.id);
    if (what.kind === 'open-recent') void openRecent(autosave, what.id);
  });
  void autosave.refresh();
  preloadOverlays();
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
  window.addEventListener('pagehide', () => keepForReload(autosave));
  return autosave;
}

async function openRecent(autosave: Autosave, id: string): Promise<void> {
  await autosave.flush();
  const open = (await autosave.resume(id)) ? session.getState() : null;
  if (!open) return;
  navigate(open.scenario ? { view: open.kind, scenario: open.scenario } : { view: open.kind });
}

/** The palette must be there when it is called, or the first letters typed into it would be lost. */
function preloadOverlays(): void {
  setTimeout(() => void import('./Palette'), QUIET_MS);
}

/** A session of another engine runs all the same, and says that its numbers may differ. */
function startWarning(): void {
  watch(
    modelSession,
    (state) => state.warning,
    (detail) => {
      const title = 'Made with another version of the engine';
      if (detail) showBanner({ id: 'version', kind: 'warning', title, detail });
      else closeBanner('version');
    },
  );
}

/** A link that expects another state than the engine here comes to is no longer what was shared. */
function startComparing(): void {
  watch(
    modelSession,
    (state) => state.opened,
    async () => {
      closeBanner('state');
      const detail = await linkDifference();
      const title = 'Not the run that was shared';
      if (detail) showBanner({ id: 'state', kind: 'warning', title, detail });
    },
  );
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
