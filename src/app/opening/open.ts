/** Opens documents by route, file or link. A refusal leaves the session unchanged. */
import type { OpenResult } from '../../base/files';
import { bytes, count, text as quantityText } from '../../base/format';
import {
  closeBanner,
  closeTransientToasts,
  type NoticeAction,
  showBanner,
} from '../../base/notices';
import { fetched } from '../../base/retry-import';
import { formatFragment, type Route, route } from '../../base/route';
import { newRequest } from '../../model/session/request-token';
import { navigateInSession } from '../../model/session/session';
import { openLesson, openScenarioWithLesson, openShare, openText, session } from './open-document';
import { retryMissing, retryTitle } from './retry-missing';
import { isUnfinished } from './unfinished-build';
import { withStop } from './withStop';

/** Id of the banner about a refused document. */
export const REFUSED = 'refused';

/** In bytes, more than any scenario or log; dropping a film by mistake must not stall the page. */
const LARGEST_FILE = 64 * 2 ** 20;

/** Whether a file is a recording, which is shown or refused here. */
async function isRecording(file: File): Promise<boolean> {
  const opened = await fetched(() => import('./open-recording')).then(
    ({ openRecording }) => openRecording(file),
    () => false,
  );
  if (typeof opened === 'string') refuse(`${file.name} cannot be opened`, opened);
  return opened !== false;
}

async function openFile(file: File): Promise<void> {
  const turn = newRequest();
  if (await isRecording(file)) return;
  if (file.size > LARGEST_FILE) {
    const limit = quantityText(bytes(LARGEST_FILE));
    return refuse(`${file.name} cannot be opened`, `It is larger than ${limit}.`);
  }
  const again = { run: () => void openFile(file) };
  finish(await openText(await file.text(), file.name, null, turn), file.name, again);
}

const isLesson = ({ name }: File): boolean => /\.md$/i.test(name);

const ONE_AT_A_TIME =
  'Open one scenario, session, lesson or table at a time, or a scenario together with its lesson file.';

/** Opens files chosen or dropped together: one file, or a scenario and its lesson. */
export async function openFiles(files: readonly File[]): Promise<void> {
  const lessons = files.filter(isLesson);
  const [file, ...others] = files.filter((one) => !isLesson(one));
  const [lesson, other] = lessons;
  const first = file ?? lesson;
  if (!first) return;
  if (others.length > 0 || (!file && other))
    return refuse(`${first.name} cannot be opened`, ONE_AT_A_TIME);
  if (!lesson) return openFile(first);
  const tooLarge = files.find(({ size }) => size > LARGEST_FILE);
  // A file that is too large gets its own message.
  if (tooLarge) return openFile(tooLarge);
  const again = { run: () => void openFiles(files) };
  const texts = await Promise.all([...(file ? [file] : []), ...lessons].map(withText));
  const [only, ...lessonTexts] = texts;
  if (!only) return;
  const opened = file ? openScenarioWithLesson(only, lessonTexts) : openLesson(only);
  finish(await opened, first.name, again);
}

const withText = async (file: File) => ({ name: file.name, text: await file.text() });

/** Opens the session in a link, at the place that the link names or in its default view. */
export async function openSharedCode(code: string, at: Route | null = null): Promise<void> {
  const run = () => void openSharedCode(code, at);
  const result = await withStop(
    { id: 'unpacking', title: 'Unpacking the link', detail: 'The open session stays until then.' },
    (signal) => openShare(code, signal),
    run,
  );
  if (result.ok && result.stopped) return;
  const address = at ? formatFragment(at, code) : `#s=${code}`;
  if (at) route.setState(at, true);
  const again = { address, run };
  finish(result, 'This link', again, at !== null);
}

/** How to retry a failed download: here, or by reloading the page at `address`. */
interface Again {
  readonly address?: string;
  run(): void;
}

export function finish(result: OpenResult, name: string, again: Again, isThere = false): void {
  if (!result.ok) {
    showRefusal(result, name, retries(result, again));
    return;
  }
  if (result.overtaken) return;
  closeTransientToasts();
  if (!isThere) goToSession();
}

/** Goes to the default view of the open session: an unfinished machine opens in the builder. */
export function goToSession(): void {
  const open = session.getState();
  if (open) navigateInSession(isUnfinished() ? 'build' : open.kind);
}

/** Shows the first problem in full and the number of the others; the session is unchanged. */
export function showRefusal(
  result: OpenResult & { ok: false },
  name: string,
  actions: readonly NoticeAction[] = [],
): void {
  const [first, ...others] = result.problems;
  const more =
    others.length > 0
      ? ` There ${others.length === 1 ? 'is' : 'are'} ${count(others.length, 'further problem')}.`
      : '';
  refuse(
    result.title || `${name} cannot be opened`,
    `${first?.sentence ?? ''}${more}`,
    first?.place,
    actions,
  );
}

/** A retry action, if downloads are the only problem. */
export const retries = (result: OpenResult & { ok: false }, again: Again): NoticeAction[] =>
  result.unfetched ? [tryAgain(again)] : [];

const tryAgain = ({ address, run }: Again): NoticeAction => ({
  title: retryTitle('Try again'),
  run: async () => {
    if (!(await retryMissing(address))) return;
    closeBanner(REFUSED);
    run();
  },
});

export function refuse(
  title: string,
  sentence: string,
  place?: string,
  actions: readonly NoticeAction[] = [],
): void {
  showBanner({
    id: REFUSED,
    kind: 'error',
    title,
    ...(place ? { place } : {}),
    detail: `${sentence} Your session is untouched.`.trim(),
    actions,
    passing: true,
  });
}
