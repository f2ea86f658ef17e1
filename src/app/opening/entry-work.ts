/**
 * The work that an entry of the browser's history belongs to. A browser under load can reload a page from
 * before the last `replaceState`, so the tab's own storage knows the newest entry too.
 */
import { formatFragment, type Route } from '../../base/route';
import type { WorkName } from '../autosave/autosave';

const KEY = 'busyard.entry';

interface Entry {
  /** Address of the place, without its changes. */
  readonly place: string;
  readonly work: WorkName;
}

/** A place without what is looked at there. */
const placeOf = (at: Route): string => formatFragment({ ...at, params: {} });

function named(work: unknown): WorkName | null {
  const { id, author } = (work ?? {}) as Partial<WorkName>;
  return id ? { id, author: author ?? '' } : null;
}

export const entryWork = (): WorkName | null => named(history.state?.work);

/** The work of an entry that was reloaded. */
export function workBeforeReload(at: Route): WorkName | null {
  const noted = entryWork();
  const [navigation] = performance.getEntriesByType('navigation');
  if (noted || (navigation as PerformanceNavigationTiming | undefined)?.type !== 'reload')
    return noted;
  try {
    const entry = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<Entry> | null;
    return entry?.place === placeOf(at) ? named(entry.work) : null;
  } catch {
    return null;
  }
}

/** Notes the work, or that there is none, and the address at the entry of a place. */
export function rememberEntryWork(at: Route, work: WorkName | null, fragment: string): void {
  history.replaceState(work && { work }, '', fragment);
  try {
    if (work) {
      const entry: Entry = { place: placeOf(at), work };
      sessionStorage.setItem(KEY, JSON.stringify(entry));
    } else sessionStorage.removeItem(KEY);
  } catch {
    // The history has it, most of the time in time.
  }
}
