/**
 * Where right options stand. Options that lie on a scale are not shuffled, so over many questions no position may be
 * the better guess.
 */
import type { Question } from './lesson';

/** A question, and the index of the option that its run makes right. */
export interface Decided {
  readonly question: Question;
  readonly right: number;
}

type Place = 'first' | 'last' | 'middle';

const PLACES: readonly Place[] = ['first', 'middle', 'last'];

/** The largest share of questions in which one position may be right; chance alone gives a third of three. */
const MAX_SHARE = 0.45;
/** With fewer questions a share says nothing. */
const ENOUGH = 10;

const placeOf = ({ question, right }: Decided): Place => {
  if (right === 0) return 'first';
  return right === question.options.length - 1 ? 'last' : 'middle';
};

/** What is wrong with the positions of right options over several lessons; empty if nothing. */
export function unevenPositions(decided: readonly Decided[]): string[] {
  const inOrder = decided.filter(({ question }) => question.isOrdered);
  if (inOrder.length < ENOUGH) return [];
  return PLACES.flatMap((place) => {
    const count = inOrder.filter((one) => placeOf(one) === place).length;
    const share = count / inOrder.length;
    if (share <= MAX_SHARE) return [];
    return `A ${place} option is right in ${count} of ${inOrder.length} questions in order (${Math.round(100 * share)} %, at most ${100 * MAX_SHARE} %): turn the scale of some of them round.`;
  });
}
