import { useRef } from 'react';

/** The value as it was before something was taken hold of: a scale does not give way under the hand. */
export function useLatest<T>(value: T, isHeld: boolean): T {
  const held = useRef(value);
  if (!isHeld) held.current = value;
  return held.current;
}
