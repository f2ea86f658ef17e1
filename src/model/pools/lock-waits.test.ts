import { expect, test } from 'vitest';
import { createTrace } from '../trace/trace';
import { chunkOf } from '../trace/trace.fixture';
import { lockWaitStory } from './lock-waits';
import { EVENTS, mapType } from './pool.fixture';

const { contend, granted, acquire, release, hypercall, search } = EVENTS;
const US = 1e6;

type Row = readonly [us: number, kind: number, a: number, b: number, cpu: number];

function story(rows: readonly Row[], us: number, cpu: number | null = null) {
  const trace = createTrace({ parts: [{ title: 'DMA mapping', type: mapType }], wires: [] });
  trace.append(
    chunkOf(rows.map(([at, kind, a, b, c]) => ({ at: at * US, part: 0, kind, a, b, c }))),
  );
  const found = lockWaitStory(trace, 0, us * US, cpu);
  const plain = (words: string) => words.replace(/\s/g, ' ');
  return (
    found && {
      question: plain(found.question),
      sentences: found.sentences.map(({ text }) => plain(text)),
      turns: found.turns.map(({ cpu: who, from, to }) => [who, from / US, to / US]),
      times: found.sentences.map(({ at }) => at && at.timePs / US),
    }
  );
}

/** CPU 9 waits from 3 to 14 µs; CPUs 1, 2 and 4 hold the lock meanwhile, mostly inside the hypervisor. */
const RUN: readonly Row[] = [
  [1, acquire, 0, 0, 1],
  [1, hypercall, 3.5 * US, 1, 1],
  [3, contend, 1, 0, 9],
  [5, release, 4 * US, 0, 1],
  [5.2, acquire, 1, 0, 2],
  [5.3, hypercall, 3.5 * US, 1, 2],
  [6, contend, 2, 0, 4],
  [9.2, release, 4 * US, 0, 2],
  [9.5, granted, 3.5 * US, 0, 4],
  [9.6, hypercall, 3.5 * US, 1, 4],
  [13.5, release, 4 * US, 0, 4],
  [14, granted, 11 * US, 0, 9],
];

test('a wait in progress is explained from the holder back to the cause of long turns', () => {
  expect(story(RUN, 10)).toEqual({
    question: 'Why has CPU 9 waited 7 µs?',
    sentences: [
      'CPU 4 holds the lock of pool 0, inside a hypervisor call.',
      'Since then the lock went to other CPUs 2 times, 1 of them to a CPU that had not waited.',
      'The lock is kept across the hypervisor call: 88 % of the 4 µs that a turn takes.',
    ],
    turns: [
      [1, 3, 5],
      [2, 5.2, 9.2],
      [4, 9.5, 10],
    ],
    times: [9.5, 3, null],
  });
});

test('a requested processor takes precedence over the longest wait', () => {
  expect(story(RUN, 8, 4)?.question).toBe('Why has CPU 4 waited 2 µs?');
});

test('a lock that is being handed over has no holder', () => {
  expect(story(RUN, 9.3)?.sentences[0]).toMatch(/^No CPU holds the lock of pool 0/);
});

test('a completed wait is explained up to its end', () => {
  const result = story(RUN, 15);
  expect(result?.question).toBe('Why did CPU 9 wait 11 µs?');
  expect(result?.sentences[0]).toBe('CPU 4 was the last to hold the lock of pool 0.');
});

test('a call in progress is not counted in completed turns', () => {
  const result = story(RUN.slice(0, 6), 8)?.sentences.at(-1);
  expect(result?.replace(/\s/g, ' ')).toBe(
    'The lock is kept across the hypervisor call: 88 % of the 4 µs that a turn takes.',
  );
});

test('short turns are explained as a queue, long searches as such', () => {
  const short: Row[] = [
    [1, acquire, 0, 3, 1],
    [1.1, contend, 1, 3, 2],
    [1.2, contend, 1, 3, 5],
    [1.4, release, 0.4 * US, 3, 1],
    [1.5, granted, 0.3 * US, 3, 5],
  ];
  expect(story(short, 1.6)?.sentences.at(-1)).toBe(
    'A turn is short, 400 ns, but 1 CPU waits for this one lock.',
  );
  const long: Row[] = [...short.slice(0, 3), [1.3, search, 0, 3, 4000], ...short.slice(3)];
  expect(story(long, 1.6)?.sentences.at(-1)).toMatch(/^A turn reads 4 000 words/);
});

test('other pools’ locks are ignored, and without a wait there is no explanation', () => {
  const others: Row[] = [...RUN.slice(0, 3), [4, acquire, 0, 7, 6], [4.5, release, US, 7, 6]];
  expect(story(others, 4.8)?.sentences).toEqual([
    'CPU 1 holds the lock of pool 0, inside a hypervisor call.',
  ]);
  expect(story(RUN.slice(0, 2), 2)).toBeNull();
});
