import { expect, test } from 'vitest';
import type { Term } from '../trace/terms';
import { type Marked, markTerms } from './glossary';
import { parseLesson } from './lesson';

const term = (name: string, ...forms: string[]): Term => ({
  term: name,
  theme: 'Buses',
  forms: forms.length > 0 ? forms : [name],
  what: '',
  where: '',
  lesson: '',
});
const TERMS = [term('bus'), term('bus master'), term('DMA'), term('I/O TLB', 'I/O TLB', 'TLB')];

/** Marked words in brackets, followed by their term if it is a different word. */
const shown = (marked: readonly Marked[]): string =>
  marked
    .map((one) => {
      if (one.kind !== 'term') return one.text;
      const name = one.text === one.term.term ? '' : `=${one.term.term}`;
      return `[${one.strong ? '!' : ''}${one.text}${name}]${one.tail}`;
    })
    .join('');
/** A step of a lesson, block by block. */
const mark = (text: string): string =>
  markTerms(parseLesson(text).steps[0]?.blocks ?? [], TERMS)
    .map((one) => {
      if (one.kind === 'paragraph') return shown(one.inlines);
      return (one.kind === 'list' ? one.items : [one.head, ...one.rows].flat())
        .map(shown)
        .join('; ');
    })
    .join(' | ');

test.each([
  ['A bus is a bus.', 'A [bus] is a bus.'],
  ['The bus master has the bus.', 'The [bus master] has the [bus].'],
  ['Two buses, busy; abuse.', 'Two buses, busy; abuse.'],
  ['By DMA, by dma, by DMAs.', 'By [DMA], by dma, by DMAs.'],
  ['A dma, then DMA.', 'A dma, then [DMA].'],
  ['Buses: Bus one.', 'Buses: [Bus=bus] one.'],
  ['An I/O TLB is a TLB.', 'An [I/O TLB] is a TLB.'],
  ['TLBs of I/O.', '[TLBs=I/O TLB] of I/O.'],
  ['A **bus** of wires.', 'A [!bus] of wires.'],
  ['A non-bus, a bus-like thing.', 'A non-bus, a bus-like thing.'],
])('%s', (text, expected) => {
  expect(mark(text)).toBe(expected);
});

test('links, code and emphasis are not marked and do not count as the first occurrence', () => {
  expect(mark('A [bus](part:bus), `bus`, *bus*, and the bus.')).toBe(
    'A bus, bus, bus, and the [bus].',
  );
});

test('a step is marked from top to bottom, including lists', () => {
  expect(mark('By DMA.\n\n- a bus\n- DMA, a bus')).toBe('By [DMA]. | a [bus]; DMA, a bus');
});

test('without a glossary the text does not change', () => {
  const { blocks = [] } = parseLesson('A bus, by DMA.').steps[0] ?? {};
  expect(markTerms(blocks, [])).toBe(blocks);
});
