/**
 * Small external stores: plain data outside React, read by panels through `useStore` (widgets) and by
 * anything else through `getState` and `subscribe`. State that changes with every frame does not belong
 * in a store that React reads; keep it in the object that owns it and draw it from the frame loop.
 */
import { createStore as createVanilla, type StoreApi } from 'zustand/vanilla';

export type Store<T> = StoreApi<T>;

/** The reading half of a store. */
export type Readable<T> = Pick<StoreApi<T>, 'getState' | 'subscribe'>;

export function createStore<T>(initial: T): Store<T> {
  return createVanilla<T>(() => initial);
}

/** Calls `listener` with the selected value whenever it changes; returns the function that stops it. */
export function watch<T, V>(
  store: Readable<T>,
  select: (state: T) => V,
  listener: (value: V, before: V) => void,
): () => void {
  let last = select(store.getState());
  return store.subscribe((state) => {
    const next = select(state);
    if (Object.is(next, last)) return;
    const before = last;
    last = next;
    listener(next, before);
  });
}

/** A readable value computed from other stores; it notifies only when the value itself changes. */
export function derive<V>(
  sources: readonly Pick<Readable<unknown>, 'subscribe'>[],
  compute: () => V,
): Readable<V> {
  return {
    getState: compute,
    subscribe(listener) {
      let last = compute();
      const stops = sources.map((source) =>
        source.subscribe(() => {
          const next = compute();
          if (Object.is(next, last)) return;
          const before = last;
          last = next;
          listener(next, before);
        }),
      );
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
