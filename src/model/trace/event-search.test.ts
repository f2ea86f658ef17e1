import { expect, test } from 'vitest';
import { compiled, loaded } from '../scenario/scenario.fixture';
import { eventSearch } from './event-search';
import { queryHelp } from './query-help';
import { testOf } from './rows';
import { createTrace } from './trace';
import { chunkOf } from './trace.fixture';

const machine = compiled(loaded());
const trace = createTrace(machine);
trace.append(
  chunkOf([
    { at: 0, part: 0, kind: 1, b: 1 },
    { at: 100, cause: 1, part: 0, kind: 2, a: 0x80000000, b: 4, c: 1 },
    { at: 150, cause: 2, part: 2, kind: 3, a: 0x80000000, c: 1 },
    { at: 160, cause: 2, part: 2, kind: 3, a: 0x80001000, c: 0 },
    { at: 170, cause: 3, part: 2, kind: 4, a: 20_000 },
  ]),
);
const ALL = [1, 2, 3, 4, 5];

function found(words: string, terms: Parameters<typeof eventSearch>[2] = [], moments = [0]) {
  const test = testOf(eventSearch(words, machine, terms)?.testWith(moments) ?? (() => false));
  return ALL.filter((seq) => test?.(trace, seq));
}

test('events are found by words of their sentences, in any order and case', () => {
  expect(found('worker')).toEqual([1, 2, 3, 4]);
  expect(found('STORES worker')).toEqual([2]);
  expect(found('4 B')).toEqual([2]);
  expect(found('starts 0x80001000')).toEqual([4]);
  expect(found('"stores 4"')).toEqual([2]);
  expect(found('"4 stores"')).toEqual([]);
  expect(found('nothing like it')).toEqual([]);
});

test('events are found by their part, and by any form of a term', () => {
  const term = (name: string, ...forms: string[]) => ({
    ...{ term: name, theme: 'Buses', forms: [name, ...forms] },
    ...{ what: '', where: '', lesson: '' },
  });
  const terms = [term('transfer', 'starts'), term('PIO', 'programmed I/O', 'stores')];
  expect(found('programmed i/o')).toEqual([]);
  expect(found('Programmed I/O', terms)).toEqual([2]);
  expect(found('pio', terms)).toEqual([2]);
  expect(found('transfer 0x80001000', terms)).toEqual([4]);
  expect(found('transfer pio', terms)).toEqual([]);
  expect(found('-pio part:worker', terms)).toEqual([1]);
});

test.each([
  ['part:bus', [3, 4, 5]],
  ['part=cpu', [1, 2]],
  ['kind:st', [1, 2, 3, 4]],
  ['kind=store', [2]],
  ['kind=worker.store', [2]],
  ['state:"own work"', [1]],
  ['state:moving_data', [3, 4]],
  ['bytes>=4', [2]],
  ['bytes<4', []],
  ['write:1', [2]],
  ['master:cpu', [4]],
  ['master:peer', [3]],
  ['value:4', [2]],
  ['took>10ns', [5]],
  ['took:10ns-30ns', [5]],
  ['at:100ps..155ps', [2, 3]],
  ['at>=160ps', [4, 5]],
  ['event:2-3', [2, 3]],
  ['-part:bus', [1, 2]],
  ['kind:start -0x80001000', [3]],
  ['kind=store OR kind=end', [2, 5]],
  ['part:bus (kind=end OR address:0x80001000)', [4, 5]],
])('the condition %s finds events %j', (words, wanted) => {
  expect(found(words)).toEqual(wanted);
});

test('an address finds what touches it, also within the bytes of a transfer', () => {
  expect(found('0x80000000-0x80000fff')).toEqual([2, 3]);
  expect(found('address:0x80000002')).toEqual([2]);
  expect(found('address:0x80000004')).toEqual([]);
  expect(found('bus 0x80000001-0x80001000')).toEqual([4]);
  expect(found('address>0x80000fff')).toEqual([4]);
});

test('a cause finds its effects, and the effects of these', () => {
  expect(found('cause:1')).toEqual([2, 3, 4, 5]);
  expect(found('cause:3')).toEqual([5]);
  expect(found('cause:(kind=store)')).toEqual([3, 4, 5]);
  expect(found('kind=start cause:(part:cpu kind=state)')).toEqual([3, 4]);
  expect(found('cause:(cause:2)')).toEqual([5]);
});

test('causes are remembered after the trace has dropped them', () => {
  const short = createTrace(machine);
  const test = testOf(eventSearch('cause:(kind=store)', machine)?.testWith([]) ?? (() => false));
  const seen: number[] = [];
  for (const seq of ALL) {
    const { a = 0, timePs = 0, cause = 0, part = 0, kind = 0 } = trace.record(seq) ?? {};
    short.dropAfter(0);
    short.append(chunkOf([{ at: timePs, cause, part, kind, a }], seq));
    if (test?.(short, seq)) seen.push(seq);
  }
  expect(seen).toEqual([3, 4, 5]);
});

test('a condition on a counter finds the event that makes it true', () => {
  const [holds] = eventSearch('cpu.laps>=2', machine)?.counters ?? [];
  expect([holds?.([1, 0, 0]), holds?.([2, 0, 0])]).toEqual([false, true]);
  expect(found('cpu.laps>=2', [], [4])).toEqual([4]);
  const [long] = eventSearch('cpu.lap_time>1us', machine)?.counters ?? [];
  expect([long?.([0, 1e6]), long?.([0, 1e6 + 1])]).toEqual([false, true]);
});

test('an empty query has no search', () => {
  expect(eventSearch('  ', machine)).toBeNull();
});

test.each([
  ['part:nobody', 0, /^No part is called "nobody"/],
  [
    'worker kind:stor kind:stroe',
    17,
    /^No kind of event is called "stroe"; did you mean "store"\?$/,
  ],
  ['byts:4', 0, /^An event has no "byts"; did you mean "bytes"\? .*quotation marks/],
  ['bytes:four', 0, /^bytes: "four" is not a size/],
  ['part:', 0, /^A value is missing after "part:"/],
  ['part>cpu', 0, /^"part" is a name; it takes : or =, not >/],
  ['state:sleeping', 0, /^No state is called "sleeping"/],
  ['cpu.lasp>1', 0, /^"cpu" has no counter "lasp"; did you mean "laps"\?$/],
  ['cpx.laps>1', 0, /^No part is called "cpx"; did you mean "cpu"\?$/],
  ['bus (kind:start', 4, /^This bracket is not closed/],
  ['bus )', 4, /^This bracket closes nothing/],
  ['bus "st', 4, /^This quotation mark is not closed/],
  ['bus OR', 4, /^OR stands between two conditions/],
  ['bus ()', 4, /^These brackets hold nothing/],
])('the query %s is refused at its place, with the reason', (words, from, message) => {
  expect(() => eventSearch(words, machine)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(message) }),
  );
  try {
    eventSearch(words, machine);
  } catch (error) {
    expect((error as { place: { from: number } }).place.from).toBe(from);
  }
});

test('completion offers names, and the values that the machine has for them', () => {
  const help = (text: string) =>
    queryHelp(text, text.length, machine)?.options.map((one) => one.text) ?? [];
  expect(help('')).toEqual([]);
  expect(help('pa')).toEqual(['part:']);
  expect(help('bus -ki')).toEqual(['kind:']);
  expect(help('cpu.l')).toEqual(['cpu.laps>=', 'cpu.lap_time>=']);
  expect(help('part:')).toEqual(['cpu', 'peer', 'bus']);
  const meanings =
    queryHelp('part:', 5, machine)?.options.map(({ info }) => info.split(': ')) ?? [];
  expect(meanings.filter(([title, type]) => title === type)).toEqual([]);
  expect(help('kind:st')).toEqual(['state', 'store', 'start']);
  expect(help('state:mov')).toEqual(['data']);
  expect(help('(master:c')).toContain('cpu');
  expect(queryHelp('part:b', 6, machine)).toMatchObject({ from: 5, to: 6 });
  for (const name of help('b'))
    expect(() => eventSearch(`${name}${name.includes('.') ? '1ns' : '1'}`, machine)).not.toThrow();
});
