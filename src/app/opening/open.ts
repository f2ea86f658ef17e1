/** Opening things: by route, by file, by link. Whatever is refused leaves the session as it was. */
import type { OpenResult } from '../../base/files';
import { bytes, count, text as quantityText } from '../../base/format';
import {
  closeBanner,
  closeTransientToasts,
  type NoticeAction,
  showBanner,
} from '../../base/notices';
import { formatFragment, type Route, route } from '../../base/route';
import { newRequest } from '../../model/session/request-token';
import { navigateInSession } from '../../model/session/session';
import { openScenarioWithLesson, openShare, openText, session } from '../open-document';
import { isUnfinished } from '../unfinished';
import { withStop } from '../withStop';
import { againTitle, retryMissing } from './again';

/** What could not be opened, and why. */
export const REFUSED = 'refused';

/** More than any scenario or log has; a mistaken drop of a film should not stall the page. */
const LARGEST_FILE = 64 * 2 ** 20;

async function openFile(file: File): Promise<void> {
  if (file.size > LARGEST_FILE) {
    const limit = quantityText(bytes(LARGEST_FILE));
    return refuse(`${file.name} cannot be opened`, `It is larger than ${limit}.`);
  }
  const again = { run: () => void openFile(file) };
  const turn = newRequest();
  finish(await openText(await file.text(), file.name, null, turn), file.name, again);
}

const isLesson = ({ name }: File): boolean => /\.md$/i.test(name);

const ONE_AT_A_TIME =
  'Open one scenario, session or table at a time, or a scenario together with its lesson file.';

/** Opens what was chosen or dropped at once: a file, or a scenario and its lesson. */
export async function openFiles(files: readonly File[]): Promise<void> {
  const lessons = files.filter(isLesson);
  const [file, ...others] = files.filter((one) => !isLesson(one));
  const [lesson] = lessons;
  if (!file) {
    const rule =
      'A lesson is opened together with its scenario: choose or drop both files at once.';
    return lesson && refuse(`${lesson.name} cannot be opened`, rule);
  }
  if (others.length > 0) return refuse(`${file.name} cannot be opened`, ONE_AT_A_TIME);
  if (!lesson) return openFile(file);
  const tooLarge = [file, ...lessons].find(({ size }) => size > LARGEST_FILE);
  // One that is too large says so by itself.
  if (tooLarge) return openFile(tooLarge);
  const again = { run: () => void openFiles(files) };
  const [scenario, ...texts] = await Promise.all([file, ...lessons].map(withText));
  if (scenario) finish(await openScenarioWithLesson(scenario, texts), file.name, again);
}

const withText = async (file: File) => ({ name: file.name, text: await file.text() });

/** Opens what a link holds, and shows it at the place that the link names, or else in its own view. */
export async function openSharedCode(code: string, at: Route | null = null): Promise<void> {
  const result = await withStop(
    { id: 'unpacking', title: 'Unpacking the link', detail: 'The open session stays until then.' },
    (signal) => openShare(code, signal),
  );
  if (result.ok && result.stopped) return;
  const address = at ? formatFragment(at, code) : `#s=${code}`;
  if (at) route.setState(at, true);
  const again = { address, run: () => void openSharedCode(code, at) };
  finish(result, 'This link', again, at !== null);
}

/** How what could not be fetched is opened after all: here, or by this address on a fresh page. */
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

/** Goes to the view in which the open session is at home: what is built and does not run yet, where it is built. */
export function goToSession(): void {
  const open = session.getState();
  if (open) navigateInSession(isUnfinished() ? 'build' : open.kind);
}

/** The first problem in full, the number of the others; the session is said to be untouched. */
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

/** A way to try again, if the only thing wrong is that something could not be fetched. */
export const retries = (result: OpenResult & { ok: false }, again: Again): NoticeAction[] =>
  result.unfetched ? [tryAgain(again)] : [];

const tryAgain = ({ address, run }: Again): NoticeAction => ({
  title: againTitle('Try again'),
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
