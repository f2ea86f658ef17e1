import { useEffect, useRef } from 'react';

/** Pause in ms after the last key press that completes the edit. */
const REST_MS = 600;

/**
 * Makes one undo step of an edit by drag, typing or repeated key presses. `set` is called at once with every
 * value; the last one is committed after a pause or when the focus leaves.
 */
export function useGesture(set: (value: number, commit: boolean) => void) {
  const pending = useRef<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(set);
  latest.current = set;

  const finish = useRef(() => {
    clearTimeout(timer.current);
    if (pending.current === null) return;
    const value = pending.current;
    pending.current = null;
    latest.current(value, true);
  }).current;

  useEffect(() => finish, [finish]);

  return {
    onInput: (value: number) => {
      clearTimeout(timer.current);
      pending.current = value;
      latest.current(value, false);
    },
    onCommit: (value: number) => {
      clearTimeout(timer.current);
      pending.current = value;
      latest.current(value, false);
      timer.current = setTimeout(finish, REST_MS);
    },
    finish,
  };
}
