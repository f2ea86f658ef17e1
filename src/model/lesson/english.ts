/**
 * A small lint for prose: long sentences, chains of colons, and phrases that make English read like a translation.
 * Each finding has the better way in its message.
 */
import { quote } from '../../base/suggest';

const MAX_WORDS = 40;

const QUANTITY = String.raw`(?<=(?:\d|\b(?:bytes|bits|cycles|frames|interrupts|lines|misses|operations|packets|times|transactions|words|ns|µs|ms|k?B|[KMG]i?B|[kMG]b)) )`;
const UNIT =
  '(?:second|millisecond|byte|word|line|page|packet|frame|transaction|operation|call|clock)';

/** What stumbles, and what to write instead. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`${QUANTITY}an? ${UNIT}\\b(?! [a-z]+s\\b)`), '“per” for a rate'],
  [/\beach \d+(?:\.\d+)? (?:ns|µs|us|ms|s)\b/, '“every” before an interval'],
  [/\bshall\b/i, '“is to” or “must”'],
  [/\bin vain\b/i, '“for nothing” or “wasted”'],
  [/\bwho(?:so)?ever\b/i, 'the part, program or reader that is meant'],
  [/(?<=^|[.?!:;] )Who\b[^?]+\.$/, 'a noun for the subject: “The part that ...”'],
  [/\bthat which\b/i, '“what”, or the noun'],
  [/\b(?:is|are|be) had\b/i, '“there is”, or who has it'],
  [/\bwhat is told\b/i, 'the noun: an event, a message'],
  [/\bin the mean\b/i, '“on average”'],
  [/\bdata (?:are|were|have)\b/i, 'the singular: “data is”'],
  [/\bthe run that is open\b/i, '“this run”'],
  [/\bnarrow(?:er|est)? place\b/i, '“bottleneck”'],
  [/\b(?:throws?|threw|thrown)(?: [\w’']+){0,4} out\b/i, '“evicts” or “discards”'],
  [/\bis not said\b/i, '“the source does not say”'],
  [/, for (?:it|they|he|she|we|you|nobody|there) /i, '“because”'],
  [/\b(?:is|are|be|was|comes?) sooner\b/i, '“faster” or “earlier”'],
  [/\bonly then (?:the|an?|it)\b/i, '“only then does the ...”'],
  [/\bsome hundreds?\b/i, '“a few hundred”'],
  [/\bto base \d/i, '“in base”'],
  [/\bso much the (?:more|less|better)\b/i, '“even more”, or leave it out'],
  [/\bturn and turn about\b/i, '“taking turns”'],
  [/\b[Mm]end(?:s|ing)?\b/, '“fix”'],
];

interface Stumble {
  /** Words of the text, as written. */
  readonly at: string;
  readonly message: string;
}

const SENTENCE_END = /(?<=[.?!]["”)]?)\s+/;

function stumblesInSentence(sentence: string): Stumble[] {
  const words = sentence.split(/\s+/).filter((word) => /\w/.test(word));
  const start = words.slice(0, 4).join(' ');
  const found = PHRASES.flatMap(([pattern, better]) => {
    const [at] = pattern.exec(sentence) ?? [];
    return at === undefined ? [] : [{ at, message: `${quote(at)}: write ${better}.` }];
  });
  if (words.length > MAX_WORDS)
    found.push({
      at: start,
      message: `The sentence ${quote(`${start} ...`)} has ${words.length} words, at most ${MAX_WORDS}: make two of it.`,
    });
  if ((sentence.match(/: /g) ?? []).length > 1)
    found.push({
      at: start,
      message: `The sentence ${quote(`${start} ...`)} has two colons: make two of it.`,
    });
  return found;
}

/** Everything in a text, without its marks, at which a reader stumbles. */
export const stumblesIn = (text: string): Stumble[] =>
  text.split(SENTENCE_END).flatMap(stumblesInSentence);
