/**
 * Events found by what stands in their sentences, or in the names of their part: every word asked for, in any
 * order. A term of the glossary is found in all its forms. Two addresses with a hyphen between them, as
 * 0x1000-0x1FFF, ask for an address among them.
 */
import { createStore } from '../../base/store';
import { type Term, termsInQuery } from './terms';
import type { Trace } from './trace';

/** The words that the list of events is searched for. */
export const eventWords = createStore({ words: '' });

const RANGE = /^(0x[0-9a-f]+)-(0x[0-9a-f]+)$/;

type Test = (sentence: string, seq: number, trace: Trace) => boolean;

function testOf(word: string): Test {
  const [, low, high] = RANGE.exec(word) ?? [];
  if (low === undefined || high === undefined) return (sentence) => sentence.includes(word);
  const [from, to] = [Number(low), Number(high)];
  return (_, seq, trace) =>
    trace.fields(seq).some(({ as, value }) => as === 'address' && value >= from && value <= to);
}

/** Spaces that do not break are spaces to who types. */
const plain = (text: string): string => text.toLowerCase().replace(/[\u00a0\u202f]/g, ' ');

/** A term asked for: as it was written, or as it is written elsewhere. */
function formsTest(written: string, { forms }: Term): Test {
  const any = [written, ...forms].map(plain);
  return (sentence) => any.some((form) => sentence.includes(form));
}

/** Tests of the terms that are asked for, and of the words that are left. */
function testsOf(words: string, terms: readonly Term[]): Test[] {
  const asked = termsInQuery(words, terms);
  const rest = asked.reduceRight(
    (text, { from, to }) => text.slice(0, from) + text.slice(to),
    words,
  );
  return [
    ...asked.map(({ term, from, to }) => formsTest(words.slice(from, to), term)),
    ...rest.split(/\s+/).filter(Boolean).map(testOf),
  ];
}

/** Whether an event is what the words ask for; null if they ask for nothing. */
export function eventTest(
  words: string,
  terms: readonly Term[] = [],
): ((trace: Trace, seq: number) => boolean) | null {
  const tests = testsOf(plain(words), terms);
  if (tests.length === 0) return null;
  return (trace, seq) => {
    const told = plain(`${trace.sentence(seq)} ${trace.whose(seq)}`);
    return tests.every((test) => test(told, seq, trace));
  };
}
