import { useCallback, useRef, useSyncExternalStore } from 'react';
import { shell } from '../base/shell-state';

interface Source<T> {
  getState(): T;
  subscribe(listener: () => void): () => void;
}

/**
 * Reads a store, registry or derived value in a component. Pass a selector that returns a stable value (a
 * field, a primitive): the component renders again only when that value changes.
 */
export function useStore<T>(source: Source<T>): T;
export function useStore<T, V>(source: Source<T>, select: (state: T) => V): V;
export function useStore<T, V>(source: Source<T>, select?: (state: T) => V): T | V {
  const selector = useRef(select);
  selector.current = select;
  const read = useCallback(() => {
    const state = source.getState();
    return selector.current ? selector.current(state) : state;
  }, [source]);
  const subscribe = useCallback((listener: () => void) => source.subscribe(listener), [source]);
  return useSyncExternalStore(subscribe, read, read);
}

/** Scale factor of drawings: larger on a projector, which is read from far away. */
export const useScale = (): number => useStore(shell, (state) => (state.lecture ? 1.5 : 1));

/** The value before a drag began, so that a scale does not move under the pointer. */
export function useLatest<T>(value: T, isHeld: boolean): T {
  const held = useRef(value);
  if (!isHeld) held.current = value;
  return held.current;
}
