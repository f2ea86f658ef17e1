/**
 * The work of a history entry. A browser under load may reload a page in the state before the last
 * `replaceState`, so the tab's session storage holds the newest entry, too.
 */
import { formatFragment, type Route } from '../../base/route';
import type { WorkName } from '../autosave/autosave';

const KEY = 'busyard.entry';

interface Entry {
  /** Address of the place, without its changes. */
  readonly place: string;
  readonly work: WorkName;
}

/** A place without its selection and time. */
const placeOf = (at: Route): string => formatFragment({ ...at, params: {} });

function named(work: unknown): WorkName | null {
  const { id, author } = (work ?? {}) as Partial<WorkName>;
  return id ? { id, author: author ?? '' } : null;
}

export const entryWork = (): WorkName | null => named(history.state?.work);

/** The work of a reloaded entry. */
export function workBeforeReload(at: Route): WorkName | null {
  const stored = entryWork();
  const [navigation] = performance.getEntriesByType('navigation');
  if (stored || (navigation as PerformanceNavigationTiming | undefined)?.type !== 'reload')
    return stored;
  try {
    const entry = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<Entry> | null;
    return entry?.place === placeOf(at) ? named(entry.work) : null;
  } catch {
    return null;
  }
}

/** Stores the work (or null) and the address in the history entry of a place. */
export function rememberEntryWork(at: Route, work: WorkName | null, fragment: string): void {
  history.replaceState(work && { work }, '', fragment);
  try {
    if (work) {
      const entry: Entry = { place: placeOf(at), work };
      sessionStorage.setItem(KEY, JSON.stringify(entry));
    } else sessionStorage.removeItem(KEY);
  } catch {
    // The history has it in most cases.
  }
}
