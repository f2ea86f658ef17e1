/**
 * Copies of work that the storage has not confirmed yet, in synchronous storage that outlives the page: the
 * browser's local storage, which also outlives the tab, or else the tab's session storage.
 */
import type { Copy, Lasts } from './autosave-machine';
import { readRecord, relation, type SavedSession } from './saved-session';

const PREFIX = 'busyard.copy.';

/** The subset of the browser's `Storage` that is used. */
export type Place = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;

/** A storage and the lifetime of what it holds. Access to `place` may throw. */
export interface CopyPlace {
  readonly lasts: 'browser' | 'tab';
  place(): Place;
}

export class Copies {
  /** In order of preference: the first that accepts a copy holds it. */
  constructor(private readonly places: readonly CopyPlace[]) {}

  /** Stores a copy; returns its lifetime. */
  put(slot: string, record: SavedSession): Lasts {
    const text = JSON.stringify(record);
    const taken = this.places.find(({ place }) =>
      tried(() => place().setItem(PREFIX + slot, text)),
    );
    return taken?.lasts ?? 'page';
  }

  /** Removes the copies in a slot that this version contains. */
  drop(slot: string, record: SavedSession): void {
    for (const { place } of this.places) {
      tried(() => {
        const copy = read(place(), PREFIX + slot);
        if (copy && relation(record, copy) === 'newer') place().removeItem(PREFIX + slot);
      });
    }
  }

  /** Removes all copies of a record, of any tab. */
  forget(id: string): void {
    for (const { place } of this.places) {
      tried(() => {
        for (const key of keysOf(place())) {
          if (read(place(), key)?.id === id) place().removeItem(key);
        }
      });
    }
  }

  /** All readable copies; of two in one slot, the newer. */
  all(): Copy[] {
    const found = new Map<string, Omit<Copy, 'slot'>>();
    for (const { place, lasts } of this.places) {
      tried(() => {
        for (const key of keysOf(place())) {
          const slot = key.slice(PREFIX.length);
          const record = read(place(), key);
          const before = found.get(slot);
          if (record && (!before || isLater(record, before.record)))
            found.set(slot, { record, lasts });
        }
      });
    }
    return [...found].map(([slot, copy]) => ({ slot, ...copy }));
  }
}

/** Whether one version is later; for equal versions the first place's copy wins. */
const isLater = (one: SavedSession, other: SavedSession): boolean =>
  one.stamp !== other.stamp && relation(one, other) === 'newer';

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

/** An unreadable copy is kept: a later version of the page may be able to read it. */
function read(place: Place, key: string): SavedSession | null {
  try {
    const found: unknown = JSON.parse(place.getItem(key) ?? 'null');
    const id = (found as { readonly id?: unknown } | null)?.id;
    return typeof id === 'string' ? readRecord(id, found) : null;
  } catch {
    return null;
  }
}
