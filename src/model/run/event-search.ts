/**
 * Events found by what stands in their sentences: every word asked for, in any order. Two addresses with a
 * hyphen between them, as 0x1000-0x1FFF, ask for an address among them.
 */
import type { Trace } from './trace';

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

/** Whether an event is what the words ask for; null if they ask for nothing. */
export function eventTest(words: string): ((trace: Trace, seq: number) => boolean) | null {
  const tests = plain(words).split(/\s+/).filter(Boolean).map(testOf);
  if (tests.length === 0) return null;
  return (trace, seq) => {
    const sentence = plain(trace.sentence(seq));
    return tests.every((test) => test(sentence, seq, trace));
  };
}
