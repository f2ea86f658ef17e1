import { expect, test } from 'vitest';
import { eventQuestion } from './event-question';
import type { Trace } from './trace';

const parts = [{ title: 'LAN', type: {} }] as unknown as Parameters<
  typeof eventQuestion
>[0]['parts'];

const asked = (title: string, style = 'hatch'): string => {
  const trace = {
    record: () => ({ part: 0, timePs: 5 }),
    event: () => ({ lane: { track: 'bus' } }),
    lane: () => ({ at: () => ({ seq: 1, state: { title, style } }) }),
    sentence: () => 'LAN: the transfer is complete.',
  };
  return eventQuestion({ parts }, trace as unknown as Trace, 1);
};

test.each([
  ['waiting for data', 'Why is LAN waiting for data?'],
  ['Stalled: posting buffer full', 'Why is LAN stalled: posting buffer full?'],
  ['its write waits for the bus', 'LAN: its write waits for the bus. Why?'],
  ['the host has no buffer', 'LAN: the host has no buffer. Why?'],
])('the question about “%s” is a sentence', (title, question) => {
  expect(asked(title)).toBe(question);
});

test('an event that ends no wait is named before its question', () => {
  expect(asked('moving data', 'solid')).toBe('LAN: the transfer is complete. What led to this?');
});
