/** Patterns of translated English are refused, with the better way; plain sentences are not. */
import { expect, test } from 'vitest';
import { stumblesIn } from './english';

test.each([
  ['The card sends 507 packets a second.', 'per'],
  ['It asks 20 times a millisecond.', 'per'],
  ['A line costs 65 ns a word.', 'per'],
  ['The bus takes one each 50 ns.', 'every'],
  ['The disk shall fetch them.', 'is to'],
  ['Three lines were fetched in vain.', 'for nothing'],
  ['Whoever holds the line answers.', 'the part'],
  ['Who holds the line has to answer.', 'The part that'],
  ['A read takes 32 cycles in the mean.', 'on average'],
  ['The data are old.', 'data is'],
  ['The run that is open has one lock.', 'this run'],
  ['Each transfer throws the other’s translation out.', 'evicts'],
  ['The bridge keeps it, for it may be asked again.', 'because'],
  ['With one processor it is sooner.', 'faster'],
  ['Only then the next load begins.', 'does'],
  ['It fails: one lock is held: nobody goes on.', 'colons'],
  [`It is ${'very '.repeat(39)}long.`, '42 words'],
])('%s', (text, better) => {
  const found = stumblesIn(text);
  expect(found).toHaveLength(1);
  expect(found[0]?.message).toContain(better);
  expect(text).toContain(found[0]?.at);
});

test.each([
  'A second processor takes over. It is a second one for I/O.',
  'Who holds the line? The cache that answered last.',
  'In 4.1 ms it sends 12 packets per second, and a page of 4 KiB takes 128 of them.',
  'The second of two reads is the faster one: 3 ns.',
  'With 4096 B a packet comes every 33 µs.',
  'A transfer of 64 B finishes sooner by PIO. Set flush to mended.',
])('%s', (text) => {
  expect(stumblesIn(text)).toEqual([]);
});
