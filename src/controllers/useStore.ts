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

/** Least width of a projector, and of one with as many pixels as lecture halls have; a phone is in the hand. */
const [PROJECTOR, LARGE_PROJECTOR] = [600, 1900];

/** Scale factor of drawings now. On a large projector letters of 10.5 px have the 24 px that a hall can read. */
export function drawingScale(): number {
  if (!shell.getState().lecture || innerWidth < PROJECTOR) return 1;
  return innerWidth < LARGE_PROJECTOR ? 1.5 : 2.3;
}

export const useScale = (): number => useStore(shell, drawingScale);

/** The value before a drag began, so that a scale does not move under the pointer. */
export function useLatest<T>(value: T, isHeld: boolean): T {
  const held = useRef(value);
  if (!isHeld) held.current = value;
  return held.current;
}
