/**
 * Copies of work that the storage has not confirmed yet, in places that take them at once and outlast the
 * page: the browser's local storage, which also outlasts the tab, or else the tab's own.
 */
import type { Copy } from './keeping';
import { readRecord, relation, type SavedSession } from './record';

const PREFIX = 'busyard.copy.';

/** The part of the browser's `Storage` that is needed. */
export type Place = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;

export class Copies {
  /** Asking for a place may be refused already. The first that takes a copy has it. */
  constructor(private readonly places: readonly (() => Place)[]) {}

  /** Whether one of the places took it. */
  put(slot: string, record: SavedSession): boolean {
    const text = JSON.stringify(record);
    return this.places.some((place) => tried(() => place().setItem(PREFIX + slot, text)));
  }

  /** Removes the copies in a slot that this version contains. */
  drop(slot: string, record: SavedSession): void {
    for (const place of this.places) {
      tried(() => {
        const copy = read(place(), PREFIX + slot);
        if (copy && relation(record, copy) === 'newer') place().removeItem(PREFIX + slot);
      });
    }
  }

  /** Removes what any tab keeps of a record. */
  forget(id: string): void {
    for (const place of this.places) {
      tried(() => {
        for (const key of keysOf(place())) {
          if (read(place(), key)?.id === id) place().removeItem(key);
        }
      });
    }
  }

  /** All that can be read; of two copies in one slot the newer. */
  all(): Copy[] {
    const found = new Map<string, SavedSession>();
    for (const place of this.places) {
      tried(() => {
        for (const key of keysOf(place())) {
          const slot = key.slice(PREFIX.length);
          const record = read(place(), key);
          const before = found.get(slot);
          if (record && (!before || relation(record, before) === 'newer')) found.set(slot, record);
        }
      });
    }
    return [...found].map(([slot, record]) => ({ slot, record }));
  }
}

function tried(doing: () => void): boolean {
  try {
    doing();
    return true;
  } catch {
    return false;
  }
}

const keysOf = (place: Place): string[] =>
  Array.from({ length: place.length }, (_, i) => place.key(i) ?? '').filter((key) =>
    key.startsWith(PREFIX),
  );

/** A copy that cannot be read is left where it is, for whoever can. */
function read(place: Place, key: string): SavedSession | null {
  try {
    const found: unknown = JSON.parse(place.getItem(key) ?? 'null');
    const id = (found as { readonly id?: unknown } | null)?.id;
    return typeof id === 'string' ? readRecord(id, found) : null;
  } catch {
    return null;
  }
}
