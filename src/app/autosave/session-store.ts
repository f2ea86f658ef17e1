/**
 * Saved sessions in IndexedDB, one record each. Rejects with the browser's errors: storage may be full,
 * disabled or removed at any time. It may also never answer; callers set a timeout.
 */
import { createStore, delMany, entries, get, type UseStore, update } from 'idb-keyval';
import { readRecord, relation, type SavedSession } from './saved-session';

/** What the autosave needs of a storage. */
export interface SessionStore {
  load(id: string): Promise<SavedSession | undefined>;
  /** Newest first. */
  list(): Promise<SavedSession[]>;
  /** Writes a version, unless the stored one is not its ancestor. Returns the record that is stored then. */
  save(record: SavedSession): Promise<SavedSession>;
  forget(ids: readonly string[]): Promise<void>;
  /** Opens the database again after a failure: the old connection may never answer. */
  reconnect(): void;
}

function connect(): UseStore {
  const missing = 'this browser has no IndexedDB, or its settings switch it off';
  if (typeof indexedDB === 'undefined') return () => Promise.reject(new Error(missing));
  const store = createStore('busyard', 'sessions');
  // Some browsers throw where others reject.
  return async (mode, callback) => store(mode, callback);
}

export function createSessionStore(): SessionStore {
  let database = connect();
  return {
    reconnect() {
      database = connect();
    },

    async load(id) {
      const found: unknown = await get(id, database);
      return found === undefined ? undefined : readRecord(id, found);
    },

    async list() {
      const all = await entries<IDBValidKey, unknown>(database);
      return all
        .filter((entry): entry is [string, unknown] => typeof entry[0] === 'string')
        .map(([id, found]) => readRecord(id, found))
        .sort((a, b) => b.savedAt - a.savedAt);
    },

    async save(record) {
      let stored: unknown;
      await update<unknown>(
        record.id,
        (found) => {
          const mine =
            found === undefined || relation(record, readRecord(record.id, found)) === 'newer';
          stored = mine ? record : found;
          return stored;
        },
        database,
      );
      return readRecord(record.id, stored);
    },

    forget: (ids) => delMany([...ids], database),
  };
}
