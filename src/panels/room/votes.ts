/** Hands counted in a lecture hall, for each question; anonymous, and discarded with the page. */
import { createStore } from '../../base/store';

export interface Votes {
  readonly counts: readonly number[];
  /** Hidden so as not to influence those who have yet to choose. */
  readonly hidden: boolean;
  readonly revealed: boolean;
}

const NONE: Votes = { counts: [], hidden: false, revealed: false };

export const votes = createStore<{ readonly byQuestion: Readonly<Record<string, Votes>> }>({
  byQuestion: {},
});

export const votesOn = (prompt: string): Votes => votes.getState().byQuestion[prompt] ?? NONE;

export function changeVotes(prompt: string, changes: Partial<Votes>): void {
  const next = { ...votesOn(prompt), ...changes };
  votes.setState(({ byQuestion }) => ({ byQuestion: { ...byQuestion, [prompt]: next } }));
}

/** Adds or removes a hand for an option. */
export function countHand(prompt: string, option: number, by: 1 | -1): void {
  const counts = [...votesOn(prompt).counts];
  counts[option] = Math.max(0, (counts[option] ?? 0) + by);
  changeVotes(prompt, { counts: Array.from(counts, (count) => count ?? 0) });
}

export const forgetVotes = (prompt: string): void => changeVotes(prompt, NONE);
