/** Starts the services of the page: frames, theme, keyboard, storage, address. */

import { begin, whileBusy } from '../base/activity';
import { loop } from '../base/loop';
import { closeBanner, showBanner } from '../base/notices';
import { answerRequests, visitedScenarios } from '../base/recent';
import { route } from '../base/route';
import { shell } from '../base/shell-state';
import { derive, watch } from '../base/store';
import { nextTask } from '../base/tasks';
import { isCrossoverLab } from '../controllers/machine-features';
import { session as modelSession } from '../model/session/session';
import { sessionModule } from '../model/session/session-module';
import { startAddress } from './address/address';
import { startAddressCode } from './address/session-code';
import { deleteSession, openRecent, resumeWork, startAutosave } from './autosave/start';
import { startFocus } from './focus';
import { startKeyboard } from './keyboard';
import { startQuestions } from './lesson-questions';
import { startOffline } from './offline/register';
import { chooseFile, startDrop } from './opening/file-drop';
import { session } from './opening/open-document';
import { openContained } from './opening/single-page';
import { startUnfinished } from './opening/unfinished-build';
import { remember, remembered } from './preferences';
import { startRest } from './rest';
import { addShellCommands } from './shell-commands';
import { startTheme } from './theme';

export async function start(): Promise<void> {
  startRest();
  startFrames();
  const frame = new URLSearchParams(location.search);
  startTheme(frame.get('theme'));
  shell.setState({ embed: embeddedPanels(frame.get('embed')) });
  addShellCommands();
  startKeyboard();
  startFocus();
  startDrop();
  startVisited();
  startLab();
  startQuestions();
  startWarning();
  startLeftOut();
  startComparing();
  startUnfinished();
  startOffline();
  startAddressCode();
  const autosave = startAutosave();
  answerRequests((what) => {
    if (what.kind === 'choose-file') chooseFile();
    if (what.kind === 'forget-recent') void deleteSession(autosave, what.ids);
    if (what.kind === 'open-recent') void openRecent(autosave, what.id);
  });
  await whileBusy(
    startAddress({
      work: autosave.work,
      resume: (work) => resumeWork(autosave, work),
      of: (scenario) => autosave.of(scenario),
    }).then(openContained),
  );
  // The first access to the browser's storage waits for the disk: not in the task that shows the session.
  await nextTask();
  autosave.takeOver();
}

/** `?embed=machine,lanes`: the panels of a page in a frame. */
const embeddedPanels = (text: string | null): readonly string[] | null =>
  text === null ? null : text.split(',').map((id) => id.trim());

/** Uses the browser's animation frames; while one is pending the page is busy. */
function startFrames(): void {
  let end = () => {};
  loop.attach({
    request(run) {
      const ended = begin();
      end = ended;
      return requestAnimationFrame((now) => {
        run(now);
        ended();
      });
    },
    cancel(handle) {
      cancelAnimationFrame(handle);
      end();
    },
    clock: () => performance.now(),
  });
}

/** The runs of a lab start with its session: the page is drawn meanwhile. */
function startLab(): void {
  const isShown = derive(
    [route, isCrossoverLab],
    () => route.getState().view === 'lab' && isCrossoverLab.getState(),
  );
  let detach: Promise<() => void> | null = null;
  isShown.subscribe((shown) => {
    void detach?.then((stop) => stop());
    detach = shown ? import('../controllers/useLab').then(({ attachLab }) => attachLab()) : null;
  });
}

/** A session of another engine version runs, with a warning that numbers may differ. */
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

/** Reports the commands of a session that cannot be carried out; the session keeps them. */
function startLeftOut(): void {
  watch(
    modelSession,
    (state) => state.leftOut,
    ([first, ...others]) => {
      if (!first) return closeBanner('left-out');
      const more = others.length > 0 ? ` The same applies to ${others.length} more.` : '';
      const title = 'Parts of this session could not be applied';
      const detail = `${first}${more} The session keeps it.`;
      showBanner({ id: 'left-out', kind: 'warning', title, detail });
    },
  );
}

/** Reports a shared link whose expected state hash differs from this engine's. */
function startComparing(): void {
  watch(
    modelSession,
    (state) => state.opened,
    async () => {
      closeBanner('state');
      const detail = await sessionModule().linkDifference();
      const title = 'This is not the run that was shared';
      if (detail) showBanner({ id: 'state', kind: 'warning', title, detail });
    },
  );
}

/** Remembers the scenarios that were opened, for the marks of the gallery. */
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
