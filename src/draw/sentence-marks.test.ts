import { expect, test } from 'vitest';
import { sentencePieces } from './sentence-marks';

const titles = ['CPU', 'CPU 1', 'Runway', 'LAN', null];
const none = { titles, own: null, packetOn: null, cellAt: null, hasCell: false };
const marked = (sentence: string, named: Parameters<typeof sentencePieces>[1]) =>
  sentencePieces(sentence, named).flatMap(({ text, marked: one }) =>
    one ? [[text, one.kind]] : [],
  );

test('names of parts lead to their boxes, the longest name first', () => {
  const sentence = 'CPU 1 asks LAN for a line.';
  expect(marked(sentence, none)).toEqual([
    ['CPU 1', 'part'],
    ['LAN', 'part'],
  ]);
});

test('a part of a word is no name', () => {
  expect(marked('LANs are idle.', none)).toEqual([]);
});

test('a bus with the event’s packet leads to the packet, the address to the cell', () => {
  const sentence = 'Runway: WRITE16_PURGE at 0x108180 for LAN.';
  const named = { titles, own: 2, packetOn: 2, cellAt: '0x108180', hasCell: true };
  expect(marked(sentence, named)).toEqual([
    ['Runway', 'packet'],
    ['0x108180', 'cell'],
    ['LAN', 'part'],
  ]);
});

test('a packet and a cell that are not named are what the sentence says', () => {
  const named = { titles, own: 2, packetOn: null, cellAt: null, hasCell: true };
  expect(marked('CPU 1: the copy is lost.', named)).toEqual([
    ['CPU 1', 'part'],
    ['the copy is lost', 'cell'],
  ]);
  expect(marked('LAN writes 16 B.', { ...named, packetOn: 2, hasCell: false })).toEqual([
    ['LAN', 'part'],
    ['writes 16 B', 'packet'],
  ]);
});

test('a sentence without names leads to the part of its event, if that is drawn', () => {
  expect(marked('Thread 0 is ready again.', { ...none, own: 1 })).toEqual([
    ['Thread 0 is ready again', 'part'],
  ]);
  expect(marked('Thread 0 is ready again.', { ...none, own: 4 })).toEqual([]);
});

test('the pieces are the sentence', () => {
  const sentence = 'Runway: WRITE16_PURGE at 0x108180 for LAN.';
  const named = { titles, own: 2, packetOn: 2, cellAt: '0x108180', hasCell: true };
  expect(
    sentencePieces(sentence, named)
      .map(({ text }) => text)
      .join(''),
  ).toBe(sentence);
});
