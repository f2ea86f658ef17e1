/**
 * Forks of the open session: versions of its changes, each kept with a name and the moment at which it was kept. What is
 * changed afterwards is another branch.
 */
import type { CompiledMachine } from '../scenario/compiled';
import { failure, type Problem, problem, type Result } from '../scenario/problems';
import { readText } from '../scenario/scenarios';
import { BUILT_FILE, type Fork, lastRunnable, MOST_FORKS } from './document';
import { compiledChanges, currentChanges, knowText, restoreChanges } from './editing';
import { revise, session, setCursor } from './session';

const A = 'A'.charCodeAt(0);

const forks = (): readonly Fork[] => session.getState().forks;

export const forkNamed = (name: string): Fork | undefined =>
  forks().find((fork) => fork.name === name);

/** A to Z, the first that is free. */
function freeName(): string | undefined {
  const letters = Array.from({ length: MOST_FORKS }, (_, index) => String.fromCharCode(A + index));
  return letters.find((letter) => !forkNamed(letter));
}

/**
 * Keeps the present version.
 * @returns the fork; null if there are as many as can be kept
 */
export function keepFork(at: { readonly timePs: number; readonly events: number }): Fork | null {
  const name = freeName();
  if (name === undefined || forks().length >= MOST_FORKS) return null;
  const { events } = at;
  const fork = { name, timePs: Math.round(at.timePs), events, changes: currentChanges() };
  const all = [...forks(), fork].sort((a, b) => a.timePs - b.timePs);
  revise({ forks: all });
  return fork;
}

export const removeFork = (name: string): void =>
  revise({ forks: forks().filter((fork) => fork.name !== name) });

/** @returns false if another fork has the new name */
export function renameFork(name: string, next: string): boolean {
  if (forkNamed(next)) return false;
  revise({ forks: forks().map((fork) => (fork.name === name ? { ...fork, name: next } : fork)) });
  return true;
}

/** Reads the machine that a fork contains, if the user built one. */
async function readMachine({ changes: { built } }: Fork): Promise<Result<unknown> | null> {
  const text = built && lastRunnable(built);
  if (!text) return null;
  const read = await readText(text, BUILT_FILE);
  if (read.ok) knowText(text, read.value);
  return read;
}

/** Returns to a fork, as one undo step; the playhead goes to its moment. */
export async function openFork(fork: Fork): Promise<Problem | null> {
  const read = await readMachine(fork);
  if (read && !read.ok) return read.problems[0] ?? null;
  const refused = restoreChanges(fork.changes);
  if (!refused) setCursor(fork.events);
  return refused;
}

/** The machine of a fork, and the reason if it cannot be compiled. */
export async function forkMachine(name: string): Promise<Result<CompiledMachine>> {
  const fork = forkNamed(name);
  if (!fork) return failure([problem(`There is no fork “${name}” any more.`)]);
  const read = await readMachine(fork);
  return read && !read.ok ? read : compiledChanges(fork.changes);
}
