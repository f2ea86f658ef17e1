/**
 * A list that folders add themselves to. Items are kept in order of `order`, then of arrival, and the
 * list is a new array after every change, so it can be compared by identity.
 */
export interface Registered {
  readonly id: string;
  readonly order?: number;
}

export interface Registry<T extends Registered> {
  /** Adds an item, or replaces the one with the same id; returns the function that takes it away. */
  add(item: T): () => void;
  get(id: string): T | undefined;
  getState(): readonly T[];
  subscribe(listener: () => void): () => void;
}

export function createRegistry<T extends Registered>(): Registry<T> {
  let items: readonly T[] = [];
  const listeners = new Set<() => void>();

  function publish(next: readonly T[]): void {
    items = [...next].sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
    for (const listener of [...listeners]) listener();
  }

  return {
    add(item) {
      publish([...items.filter((other) => other.id !== item.id), item]);
      return () => {
        if (items.includes(item)) publish(items.filter((other) => other !== item));
      };
    },
    get: (id) => items.find((item) => item.id === id),
    getState: () => items,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
