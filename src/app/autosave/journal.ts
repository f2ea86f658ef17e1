/**
 * Copies of work that the storage has not confirmed yet, in places that take them at once and outlast the
 * page: the browser's local storage, which also outlasts the tab, or else the tab's own.
 */
import type { Copy, Lasts } from './autosave-machine';
import { readRecord, relation, type SavedSession } from './saved-session';

const PREFIX = 'busyard.copy.';

/** The part of the browser's `Storage` that is needed. */
export type Place = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>;

/** A place, and how long it keeps what it holds. Access to the place itself may throw. */
export interface CopyPlace {
  readonly lasts: 'browser' | 'tab';
  place(): Place;
}

export class Copies {
  /** In order of preference: the first that takes a copy has it. */
  constructor(private readonly places: readonly CopyPlace[]) {}

  /** How long the place keeps the copy that took it. */
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

  /** Removes what any tab keeps of a record. */
  forget(id: string): void {
    for (const { place } of this.places) {
      tried(() => {
        for (const key of keysOf(place())) {
          if (read(place(), key)?.id === id) place().removeItem(key);
        }
      });
    }
  }

  /** All that can be read; of two copies in one slot the newer. */
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

/** Of two copies of one version the first place's stands. */
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

/** An unreadable copy stays, since a later version may be able to read it. */
function read(place: Place, key: string): SavedSession | null {
  try {
    const found: unknown = JSON.parse(place.getItem(key) ?? 'null');
    const id = (found as { readonly id?: unknown } | null)?.id;
    return typeof id === 'string' ? readRecord(id, found) : null;
  } catch {
    return null;
  }
}
