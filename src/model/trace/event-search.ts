/**
 * Text search for events. Every word of the query must occur in the event's sentence or its part's name, in any
 * order. A glossary term matches in all its forms. Two addresses joined by a hyphen, such as 0x1000-0x1FFF, match
 * any address in that range.
 */
import { createStore } from '../../base/store';
import { type Term, termsInQuery } from './terms';
import type { Trace } from './trace';

/** The query of the event list. */
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

/** Treats no-break spaces as spaces. */
const plain = (text: string): string => text.toLowerCase().replace(/[\u00a0\u202f]/g, ' ');

/** Matches any form of a term. */
function formsTest(written: string, { forms }: Term): Test {
  const any = [written, ...forms].map(plain);
  return (sentence) => any.some((form) => sentence.includes(form));
}

/** Tests for the terms in a query and for its remaining words. */
function testsOf(words: string, terms: readonly Term[]): Test[] {
  const mentioned = termsInQuery(words, terms);
  const rest = mentioned.reduceRight(
    (text, { from, to }) => text.slice(0, from) + text.slice(to),
    words,
  );
  return [
    ...mentioned.map(({ term, from, to }) => formsTest(words.slice(from, to), term)),
    ...rest.split(/\s+/).filter(Boolean).map(testOf),
  ];
}

/** A test for events that match a query; null for an empty query. */
export function eventTest(
  words: string,
  terms: readonly Term[] = [],
): ((trace: Trace, seq: number) => boolean) | null {
  const tests = testsOf(plain(words), terms);
  if (tests.length === 0) return null;
  return (trace, seq) => {
    const text = plain(`${trace.sentence(seq)} ${trace.whose(seq)}`);
    return tests.every((test) => test(text, seq, trace));
  };
}
