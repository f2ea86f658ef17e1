/** Connects the autosave to this page: its storage, page lifecycle events and user commands. */
import { runCommand } from '../../base/commands';
import { count, dayOf } from '../../base/format';
import { closeBanner, closeTransientToasts, showBanner } from '../../base/notices';
import { type RecentSession, recentSessions } from '../../base/recent';
import { route } from '../../base/route';
import { newRequest } from '../../model/session/request-token';
import { sessionModule } from '../../model/session/session-module';
import { download, fileName } from '../../widgets/download';
import { goToSession, REFUSED, retries, showRefusal } from '../opening/open';
import { openText, session } from '../opening/open-document';
import { Autosave, type Resumed, type WorkName, whyOf } from './autosave';
import { Copies } from './journal';
import type { SavedSession } from './saved-session';
import { createSessionStore } from './session-store';

export function startAutosave(): Autosave {
  const autosave = new Autosave({
    session,
    sessionStore: createSessionStore(),
    copies: new Copies([
      { lasts: 'browser', place: () => localStorage },
      { lasts: 'tab', place: () => sessionStorage },
    ]),
    newName,
    now: () => Date.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    sessionText: () => sessionModule().saveText(),
    newRequest,
    openText,
    saveOpen: () => runCommand('file.save'),
  });
  void autosave.recent.refresh();
  watchPage(autosave);
  offerResume(autosave);
  return autosave;
}

/** Random letters; pages without a secure origin have no `randomUUID`. */
const newName = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join('');

function watchPage(autosave: Autosave): void {
  const leaving = () => autosave.leaving();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') return leaving();
    autosave.tryAgain();
    void autosave.recent.refresh();
  });
  document.addEventListener('freeze', leaving);
  window.addEventListener('pagehide', leaving);
  window.addEventListener('beforeunload', (event) => {
    if (autosave.endsWithTab) event.preventDefault();
  });
}

/** Reopens work. A failure is reported, with the text to save. */
export async function resumeWork(
  autosave: Autosave,
  { id, author }: WorkName,
): Promise<Resumed['is']> {
  const resumed = await autosave.resume(id, author);
  if (resumed.is === 'refused') {
    const { record, result } = resumed;
    if (!result.ok)
      showRefusal({ ...result, title: `“${record.title}” cannot be opened` }, record.title, [
        ...retries(result, { run: () => void openRecent(autosave, id) }),
        { title: SAVE_TEXT, run: () => saveAsFile(record) },
      ]);
  }
  if (resumed.is === 'silent') {
    showBanner({
      id: REFUSED,
      kind: 'error',
      title: 'Saved sessions cannot be opened',
      detail: `The browser’s storage cannot be read: ${resumed.why}.`,
      actions: [{ title: 'Try again', run: () => void openRecent(autosave, id) }],
      passing: true,
    });
  }
  return resumed.is;
}

const SAVE_TEXT = 'Save its text as a file';

const saveAsFile = ({ title, text }: SavedSession): void =>
  download(`${fileName(title)}.session.json`, text, 'application/json');

export async function openRecent(autosave: Autosave, id: string): Promise<void> {
  const listed = recentSessions.getState()?.some((recent) => recent.id === id);
  const is = await resumeWork(autosave, { id, author: '' });
  if (is === 'overtaken') return;
  if (is === 'open') {
    closeTransientToasts();
    return goToSession();
  }
  await autosave.recent.refresh();
  if (!listed || recentSessions.getState()?.some((recent) => recent.id === id)) return;
  showBanner({
    id: REFUSED,
    kind: 'error',
    title: 'This session no longer exists',
    detail: 'It was deleted in another tab, or the browser’s storage was cleared.',
    passing: true,
  });
}

const FORGOTTEN = 'forgotten';

/** Deletes at once; the deleted records are held while the banner is open. */
export async function deleteSession(autosave: Autosave, ids: readonly string[]): Promise<void> {
  try {
    offerUndoDelete(autosave, await autosave.forget(ids));
  } catch (error) {
    const detail = `The browser’s storage could not delete it: ${whyOf(error)}.`;
    showBanner({ id: FORGOTTEN, kind: 'error', title: 'Nothing was deleted', detail });
  }
}

/** Only the banner holds these records: it stays until they are stored again or it is closed. */
function offerUndoDelete(
  autosave: Autosave,
  records: readonly SavedSession[],
  refused?: { readonly why: string },
): void {
  const [first] = records;
  const one = records.length === 1;
  const what = one ? `“${first?.title}”` : count(records.length, 'session');
  showBanner({
    id: FORGOTTEN,
    kind: refused ? 'error' : 'note',
    title: refused ? `${what} cannot be restored` : `${what} ${one ? 'was' : 'were'} deleted`,
    ...(refused
      ? { detail: `The browser’s storage refused ${one ? 'it' : 'them'}: ${refused.why}.` }
      : {}),
    actions: [
      {
        title: refused ? 'Try again' : one ? 'Restore it' : 'Restore them',
        run: () => void restoreDeleted(autosave, records),
      },
      ...(refused && first ? [{ title: SAVE_TEXT, run: () => records.forEach(saveAsFile) }] : []),
    ],
  });
}

async function restoreDeleted(autosave: Autosave, records: readonly SavedSession[]): Promise<void> {
  const left = [...records];
  try {
    for (const record of records) {
      await autosave.restoreDeleted(record);
      left.shift();
    }
    closeBanner(FORGOTTEN);
  } catch (error) {
    offerUndoDelete(autosave, left, { why: whyOf(error) });
  }
}

const EARLIER = 'earlier';

/** Offers earlier work on a scenario that was opened unchanged. */
function offerResume(autosave: Autosave): void {
  let offered: RecentSession | undefined;
  let declined = -1;
  const offer = () => {
    const open = session.getState();
    const here = open?.scenario !== undefined && route.getState().scenario === open.scenario;
    const untouched = here && !open.own && open.opened !== declined;
    const found = untouched
      ? recentSessions.getState()?.find(({ scenario }) => scenario === open.scenario)
      : undefined;
    if (found?.id === offered?.id) return;
    offered = found;
    closeBanner(EARLIER);
    if (!found || !open) return;
    showBanner({
      id: EARLIER,
      kind: 'note',
      title: 'You worked on this before.',
      detail: earlierText(found),
      actions: [
        {
          title: 'Resume',
          run: () => void resumeWork(autosave, { id: found.id, author: '' }),
        },
        {
          title: 'Start over',
          run: () => {
            declined = open.opened;
            offer();
          },
        },
      ],
      sticky: true,
    });
  };
  for (const store of [session, recentSessions, route]) store.subscribe(offer);
}

function earlierText({ changes, savedAt }: RecentSession): string {
  const what = changes > 0 ? count(changes, 'change') : 'Marks or measurements';
  const when = savedAt > 0 ? `, ${dayOf(new Date(savedAt), new Date())}` : '';
  return `${what}${when}, kept under Recent work.`;
}
