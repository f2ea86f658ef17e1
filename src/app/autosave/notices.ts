/** Banners about saving, derived from its state. */
import { dayOf } from '../../base/format';
import { type Banner, closeBanner, notices, showBanner, showToast } from '../../base/notices';
import { type AutosaveState, type Lasts, openWork, type Work } from './autosave-machine';
import type { SavedSession } from './saved-session';

const FAILED = 'keeping-failed';
const NEWER = 'keeping-newer';

interface Answers {
  saveOpen(): void;
  load(id: string): void;
  stay(work: number): void;
}

/** Updates the banners to the state of saving. */
export function showAutosaveState(state: AutosaveState, now: number, answers: Answers): void {
  const open = openWork(state);
  const refused = leastSafe([...(open ? [open] : []), ...Object.values(state.works)]);
  setBanner(FAILED, refused ? failed(refused, refused === open, answers) : null);
  const { other } = open ?? {};
  setBanner(NEWER, other && state.open !== null ? newer(other, state.open, now, answers) : null);
}

const LIFETIMES: readonly Lasts[] = ['page', 'tab', 'browser'];

/** Of the works that the storage refuses, the one whose copy has the shortest lifetime. */
function leastSafe(works: readonly Work[]): Work | undefined {
  const refused = works.filter(({ failures }) => failures > 0);
  return LIFETIMES.flatMap((lasts) => refused.filter(({ copied }) => copied === lasts))[0];
}

const WHERE: Record<Lasts, string> = {
  browser:
    'A reload or the next visit finds a copy, unless the browser clears its data, as a private window does when it is closed.',
  tab: 'A copy is kept only until this tab is closed.',
  page: 'No copy can be kept either: the work is lost when this page is closed or reloaded.',
};

/** An unchanged banner is not shown again: that would replace one that the user may be about to press. */
function setBanner(id: string, banner: Omit<Banner, 'id'> | null): void {
  const shown = notices.getState().banners.find((one) => one.id === id);
  if (!banner) {
    if (shown) closeBanner(id);
  } else if (shown?.title !== banner.title || shown.detail !== banner.detail) {
    showBanner({ id, ...banner });
  }
}

function failed(
  { why, copied, record }: Work,
  isOpen: boolean,
  answers: Answers,
): Omit<Banner, 'id'> {
  return {
    kind: 'warning',
    title: isOpen ? 'Your work is not being saved' : `“${record.title}” is not being saved`,
    detail: `The browser’s storage refused it: ${why}. ${WHERE[copied]} Saving is retried every few seconds.`,
    actions: isOpen ? [{ title: 'Save as a file', run: answers.saveOpen }] : [],
    sticky: true,
  };
}

function newer(
  other: SavedSession,
  work: number,
  now: number,
  answers: Answers,
): Omit<Banner, 'id'> {
  const when = dayOf(new Date(other.savedAt), new Date(now));
  return {
    kind: 'warning',
    title: 'Another tab has a newer version of this session',
    detail: `“${other.title}” was changed there ${when}. Both versions are kept: yours continues as a separate session.`,
    actions: [
      { title: 'Load the newer version', run: () => answers.load(other.id) },
      { title: 'Keep this version', run: () => answers.stay(work) },
    ],
    sticky: true,
  };
}

export const warnOlderVersion = ({ title }: SavedSession): void =>
  showToast(`“${title}” was changed in another tab; the newer version is shown.`);
