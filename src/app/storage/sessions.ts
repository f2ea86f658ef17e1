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

/** What the autosave needs of a storage. */
export interface Shelf {
  load(id: string): Promise<SavedSession | undefined>;
  /** Newest first. */
  list(): Promise<SavedSession[]>;
  /** Writes a record unless it has been written since `expected`; a first write expects null. */
  save(record: SavedSession, expected: string | null): Promise<void>;
  /** Writes a record whatever stands there: the user has decided. */
  overwrite(record: SavedSession): Promise<void>;
  forget(id: string): Promise<void>;
  dropOldest(): Promise<void>;
}

export const shelf: Shelf = {
  load: (id) => get(id, database),
  forget: (id) => del(id, database),
  overwrite: (record) => set(record.id, record, database),

  async list() {
    const all = await entries<string, SavedSession>(database);
    return all.map(([, saved]) => saved).sort((a, b) => b.savedAt - a.savedAt);
  },

  async save(record, expected) {
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
  },

  async dropOldest() {
    const surplus = (await shelf.list()).slice(KEPT);
    await Promise.all(surplus.map((saved) => shelf.forget(saved.id)));
  },
};
