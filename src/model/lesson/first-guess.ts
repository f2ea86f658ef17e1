/** First guesses that were not right, while their questions stay open for a second one. */
import { createStore } from '../../base/store';
import { scenarioKey } from '../session/answers';
import { session } from '../session/session';
import type { Question } from './lesson';

/** Ids of options, by scenario and question. */
export const firstGuesses = createStore<Readonly<Record<string, string>>>({});

/** The question whose seal is open as far as the first guess, and the time up to which it is. */
export const openedSeal = createStore<{ readonly key: string | null; readonly ps: number }>({
  key: null,
  ps: 0,
});

/** Identifies a question of the open scenario. */
export const guessKey = ({ id }: Question): string => `${scenarioKey(session.getState())} ${id}`;

export const firstGuess = (question: Question): string | null =>
  firstGuesses.getState()[guessKey(question)] ?? null;

/** Keeps the id of the option chosen first; null forgets it. */
export function keepFirstGuess(question: Question, option: string | null): void {
  const key = guessKey(question);
  const { [key]: _, ...others } = firstGuesses.getState();
  firstGuesses.setState(option === null ? others : { ...others, [key]: option }, true);
  if (openedSeal.getState().key === key) openedSeal.setState({ key: null, ps: 0 });
}
