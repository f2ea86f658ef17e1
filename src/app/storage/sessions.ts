/**
 * Saved sessions in IndexedDB, one record each. A record carries the stamp of the write that made it, so
 * a tab can tell that another tab wrote later than it read. Throws what the browser throws: storage may
 * be full, switched off, or taken away at any time.
 */
import { createStore, del, entries, get, set, update } from 'idb-keyval';
import type { RecentSession } from '../../base/recent';

export interface SavedSession extends RecentSession {
  readonly kind: 'lab' | 'machine';
  readonly scenario?: string;
  /** Random mark of the write. */
  readonly stamp: string;
  /** The session as a file holds it. */
  readonly text: string;
}

const database = createStore('busyard', 'sessions');

/** Records beyond these are dropped, oldest first. */
const KEPT = 40;

export class NewerElsewhere extends Error {
  constructor(readonly other: SavedSession) {
    super(`${other.title} was changed in another tab.`);
  }
}

export const load = (id: string): Promise<SavedSession | undefined> => get(id, database);

export const forget = (id: string): Promise<void> => del(id, database);

export async function list(): Promise<SavedSession[]> {
  const all = await entries<string, SavedSession>(database);
  return all.map(([, saved]) => saved).sort((a, b) => b.savedAt - a.savedAt);
}

/** Writes a record unless it has been written since `expected`; a first write expects null. */
export async function save(record: SavedSession, expected: string | null): Promise<void> {
  let other: SavedSession | undefined;
  await update<SavedSession>(
    record.id,
    (stored) => {
      if (!stored || stored.stamp === expected) return record;
      other = stored;
      return stored;
    },
    database,
  );
  if (other) throw new NewerElsewhere(other);
}

/** Writes a record whatever stands there: the user has decided. */
export const overwrite = (record: SavedSession): Promise<void> => set(record.id, record, database);

export async function dropOldest(): Promise<void> {
  const surplus = (await list()).slice(KEPT);
  await Promise.all(surplus.map((saved) => forget(saved.id)));
}
