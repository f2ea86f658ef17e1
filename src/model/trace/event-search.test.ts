import { expect, test } from 'vitest';
import { compiled, loaded } from '../scenario/scenario.fixture';
import { eventTest } from './event-search';
import { createTrace } from './trace';
import { chunkOf } from './trace.fixture';

const trace = createTrace(compiled(loaded()));
trace.append(
  chunkOf([
    { at: 0, part: 0, kind: 1, b: 1 },
    { at: 100, cause: 1, part: 0, kind: 2, a: 0x80000000, b: 4, c: 1 },
    { at: 150, cause: 2, part: 2, kind: 3, a: 0x80000000, c: 1 },
    { at: 160, cause: 2, part: 2, kind: 3, a: 0x80001000, c: 1 },
  ]),
);

const found = (words: string) => [1, 2, 3, 4].filter((seq) => eventTest(words)?.(trace, seq));

test('events are found by words of their sentences, in any order and case', () => {
  expect(found('worker')).toEqual([1, 2, 3, 4]);
  expect(found('STORES worker')).toEqual([2]);
  expect(found('4 B')).toEqual([2]);
  expect(found('starts 0x80001000')).toEqual([4]);
  expect(found('nothing like it')).toEqual([]);
});

test('two addresses match the addresses between them', () => {
  expect(found('0x80000000-0x80000fff')).toEqual([2, 3]);
  expect(found('bus 0x80000001-0x80001000')).toEqual([4]);
});

test('events are found by their part, and by any form of a term', () => {
  const term = (name: string, ...forms: string[]) => ({
    ...{ term: name, theme: 'Buses', forms: [name, ...forms] },
    ...{ what: '', where: '', lesson: '' },
  });
  const terms = [term('transfer', 'starts'), term('PIO', 'programmed I/O', 'stores')];
  const named = (words: string) =>
    [1, 2, 3, 4].filter((seq) => eventTest(words, terms)?.(trace, seq));
  expect(found('state')).toEqual([1]);
  expect(found('programmed i/o')).toEqual([]);
  expect(named('Programmed I/O')).toEqual([2]);
  expect(named('pio')).toEqual([2]);
  expect(named('transfer 0x80001000')).toEqual([4]);
  expect(named('transfer pio')).toEqual([]);
});

test('an empty query has no test', () => {
  expect(eventTest('  ')).toBeNull();
});
