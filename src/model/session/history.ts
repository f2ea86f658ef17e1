/**
 * Undo and redo of immutable values. A drag changes the present value many times but is one step: until it is
 * committed, `base` is the value at its start.
 */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** The value at the start of a drag in progress; otherwise null. */
  readonly base: T | null;
}

const STEPS = 500;

export const startHistory = <T>(present: T): History<T> => ({
  past: [],
  present,
  future: [],
  base: null,
});

/** Sets a new present value; without `commit` the drag continues. */
export function change<T>(history: History<T>, next: T, commit: boolean): History<T> {
  const base = history.base ?? history.present;
  if (!commit) return { ...history, present: next, base };
  const past = [...history.past, base].slice(-STEPS);
  return { past, present: next, future: [], base: null };
}

/** One step back; cancels a drag in progress. */
export function undo<T>(history: History<T>): History<T> {
  const { past, present, future, base } = history;
  if (base !== null) return { ...history, present: base, base: null };
  const before = past.at(-1);
  if (before === undefined) return history;
  return { past: past.slice(0, -1), present: before, future: [present, ...future], base: null };
}

export function redo<T>(history: History<T>): History<T> {
  const { past, present, future, base } = history;
  const [next, ...rest] = future;
  if (next === undefined || base !== null) return history;
  return { past: [...past, present], present: next, future: rest, base: null };
}

/** The value before the last edit, shown as a ghost. */
export const before = <T>(history: History<T>): T | null =>
  history.base ?? history.past.at(-1) ?? null;
