/**
 * Answers that are told before their question is asked: by a title, the summary on a card, a headline. Such a text
 * tells an answer by the words that only the right option has.
 */
import { plainText, type Question } from './lesson';

/** Words that carry no answer. */
const COMMON = new Set(
  [
    'a an the of to in on at by for from with and or nor not it its is are was be as if that this there than then',
    'their they them he one each all any more less no none only about same what which where who how while when before',
    'after has have had do does did will would can could long time times much many s',
  ]
    .join(' ')
    .split(' '),
);

/** "transfers" and "transferred" begin alike. */
const stemOf = (word: string): string => word.replace(/(?<=..)(?:ed|es|s|ing)$/, '');

const wordsOf = (text: string): Set<string> => {
  const words = text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map(stemOf));
};

/** The words of the right option that question and other options do not have. */
function ownWords({ prompt, options }: Question, right: number): string[] {
  const others = options.filter((_, index) => index !== right);
  const known = wordsOf([prompt, ...others.map(({ inlines }) => inlines)].map(plainText).join(' '));
  return [...wordsOf(plainText(options[right]?.inlines ?? []))].filter((word) => !known.has(word));
}

/** The words by which a text tells the right option: most of those that only it has; else none. */
export function revealedBy(text: string, question: Question, right: number): string[] {
  const own = ownWords(question, right);
  const met = wordsOf(text);
  const revealed = own.filter((word) => met.has(word));
  return revealed.length * 2 > own.length ? revealed : [];
}
