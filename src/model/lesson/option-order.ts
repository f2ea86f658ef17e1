/**
 * The order in which a reader sees the options of a question. Options that lie on a scale keep the order of the
 * lesson; others are shuffled, so that no position is more often right. The order depends on the reader, and
 * stays the same until the question is answered; then it is kept with the answer.
 */
import { digest } from '../../base/digest';
import { createStore } from '../../base/store';
import { type Answer, answerTo, scenarioKey } from '../session/answers';
import { session } from '../session/session';
import type { Question } from './lesson';

/** A number that differs from reader to reader. */
export const reader = createStore({ seed: 0 });

/** A permutation of the options' indexes. */
function shuffled({ id, options }: Question, scenario: string, seed: number): number[] {
  // The option comes first: the digest needs the characters after it to spread the difference.
  const rank = (at: number) => digest(`${options[at]?.id} ${scenario} ${id} ${seed}`);
  return options
    .map((_, at) => ({ at, rank: rank(at) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ at }) => at);
}

/** The order kept with an answer; null if the options are no longer those. */
function kept({ options }: Question, answer: Answer | null): number[] | null {
  const at = answer?.order?.map((id) => options.findIndex((option) => option.id === id)) ?? [];
  return at.length === options.length && new Set(at).size === at.length && !at.includes(-1)
    ? at
    : null;
}

/** Indexes of the options in the order in which they are shown. */
export function optionOrder(
  question: Question,
  scenario: string,
  { seed, answer }: { readonly seed: number; readonly answer: Answer | null },
): readonly number[] {
  if (question.isOrdered) return question.options.map((_, at) => at);
  return kept(question, answer) ?? shuffled(question, scenario, seed);
}

/** The order for the reader of this page and the open scenario. */
export function orderNow(question: Question): readonly number[] {
  const key = scenarioKey(session.getState());
  return optionOrder(question, key, { ...reader.getState(), answer: answerTo(key, question) });
}

/** The ids of the options in that order, to be kept with an answer. */
export const orderedIds = (question: Question): string[] =>
  orderNow(question).map((at) => question.options[at]?.id ?? '');
