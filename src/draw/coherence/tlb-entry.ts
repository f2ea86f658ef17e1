/**
 * An entry of the I/O page directory, bit by bit. HP counts bits from the left: bit 0 is the most significant
 * of a 32-bit word.
 *
 *     word 0   [ 0-3 PPN 0:3 | 4-15 virtual index | 16-31 PPN 4:19 ]
 *     word 1   [ 0-19 PPN 20:39 | 20-24 0 | 25 prefetch | 26 update | 27-28 0 | 29 lock | 30 safe | 31 valid ]
 *
 * The engine has the same layout from wasm/registers/io_adapter.json.
 */
import { address } from '../../base/format';
import { clamp } from '../../base/geometry';
import { type EntryBits, IO_PAGE } from '../../engine/gen/registers';
import { PAGE_BYTES } from '../../model/coherence/coherence-roles';
import { fitting } from '../glyph';
import { path, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

export interface EntryField {
  readonly word: 0 | 1;
  /** Its first and last bit, in HP's numbering. */
  readonly from: number;
  readonly to: number;
  readonly title: string;
  readonly short: string;
  readonly value: number;
  /** The meaning of the value. */
  readonly meaning: string;
}

export interface Entry {
  readonly fields: readonly EntryField[];
  readonly valid: boolean;
  readonly prefetch: boolean;
  readonly lock: boolean;
  readonly safe: boolean;
  /** Address of its page. */
  readonly page: number;
  readonly index: number;
}

const bitsOf = (word: number, from: number, to: number): number =>
  Math.floor(word / 2 ** (31 - to)) % 2 ** (to - from + 1);

/** A piece of a field: its position, its bits of the field, its name. */
interface Piece {
  readonly field: string;
  readonly word: 0 | 1;
  readonly from: number;
  readonly to: number;
  /** Number of the field's bits below this piece. */
  readonly below: number;
  readonly title: string;
  readonly short: string;
}

function piecesOf({ name, title, short, bits }: EntryBits): Piece[] {
  const width = bits.reduce((sum, [, from, to]) => sum + to - from + 1, 0);
  let first = 0;
  return bits.map(([word, from, to]) => {
    const last = first + to - from;
    const called = bits.length > 1 ? `${title} ${first}:${last}` : title;
    first = last + 1;
    return { field: name, word, from, to, below: width - first, title: called, short };
  });
}

const FIELDS = IO_PAGE.flatMap(piecesOf);

/** The gaps between fields are reserved. */
function reserved(word: 0 | 1): Piece[] {
  const own = FIELDS.filter((piece) => piece.word === word).sort((a, b) => a.from - b.from);
  const ends = [-1, ...own.map(({ to }) => to)];
  const begins = [...own.map(({ from }) => from), 32];
  const gap = { field: '', word, below: 0, title: 'reserved', short: '0' };
  return ends.flatMap((end, i) => {
    const to = (begins[i] ?? 32) - 1;
    return to > end ? [{ ...gap, from: end + 1, to }] : [];
  });
}

const LAYOUT = [...FIELDS, ...reserved(0), ...reserved(1)].sort(
  (a, b) => a.word - b.word || a.from - b.from,
);

const FLAGS: Readonly<Record<string, readonly [off: string, on: string]>> = {
  prefetch: ['the adapter does not prefetch', 'the adapter may prefetch, without coherence'],
  update: ['not used by this adapter', 'not used by this adapter'],
  lock: ['transfers share memory with processors', 'a transfer owns all of memory'],
  safe: [
    'fast: a half line is written with WRITE16_PURGE',
    'safe: a part of a line is merged in the one-line cache',
  ],
  valid: ['not valid: using it is an I/O fault', 'valid'],
};

export function decodeEntry(high: number, low: number): Entry {
  const at = ({ word, from, to }: Piece) => bitsOf(word === 0 ? high : low, from, to);
  const held = (name: string) =>
    FIELDS.filter(({ field }) => field === name).reduce(
      (sum, piece) => sum + at(piece) * 2 ** piece.below,
      0,
    );
  const ppn = held('page');
  const meaning = (title: string, value: number): string => {
    if (title.startsWith('PPN')) return `part of physical page ${address(ppn)}`;
    if (title === 'virtual index')
      return `caches look in the sets of virtual page ${address(value)}`;
    if (title === 'reserved') return 'zero';
    return FLAGS[title]?.[value] ?? '';
  };
  const fields = LAYOUT.map((piece): EntryField => {
    const { word, from, to, title, short } = piece;
    const value = at(piece);
    return { word, from, to, title, short, value, meaning: meaning(title, value) };
  });
  return {
    fields,
    valid: held('valid') === 1,
    prefetch: held('prefetch') === 1,
    lock: held('lock') === 1,
    safe: held('safe') === 1,
    page: ppn * PAGE_BYTES,
    index: held('index'),
  };
}

/** The effect of the entry on a transfer, in one sentence. */
export function entrySentence(entry: Entry): string {
  if (!entry.valid) return 'This page is not mapped: a device that uses it causes an I/O fault.';
  const ways = [entry.safe ? 'safe' : 'fast'];
  if (entry.prefetch) ways.push('with prefetch');
  if (entry.lock) ways.push('owning memory');
  return `Page at ${address(entry.page)}, virtual index ${address(entry.index)}; transfers are ${ways.join(', ')}.`;
}

/** The contents of a TLB row. */
export interface HeldTranslation {
  readonly page: number;
  readonly index: number;
  readonly attributes: number;
}

/** Both words of the entry that a row was loaded from. */
export function encodeEntry({ page, index, attributes }: HeldTranslation) {
  const wordOf = (which: 0 | 1) => {
    const made = (name: string, value: number) =>
      FIELDS.filter(({ field, word }) => field === name && word === which).reduce(
        (sum, { below, from, to }) =>
          sum + (Math.floor(value / 2 ** below) % 2 ** (to - from + 1)) * 2 ** (31 - to),
        0,
      );
    return made('page', page) + made('index', index);
  };
  return { high: wordOf(0), low: wordOf(1) + attributes };
}

export interface EntryGrid {
  readonly left: number;
  readonly top: number;
  readonly pitch: number;
  readonly cell: number;
  /** Distance between the words. */
  readonly distance: number;
  /** Bits per line: a word, or half a word on a narrow sheet. */
  readonly across: 32 | 16;
}

/** A 32-bit word in one line, or in two on a narrow sheet. */
export function entryGrid(width: number): EntryGrid {
  const across = width < 300 ? 16 : 32;
  const pitch = clamp((width - 24) / across, 9, 22);
  return { left: 12, top: 20, pitch, cell: 16, distance: 47, across };
}

const placeOf = (grid: EntryGrid, word: number, bit: number) => {
  const line = word * (32 / grid.across) + Math.floor(bit / grid.across);
  return { x: grid.left + (bit % grid.across) * grid.pitch, y: grid.top + line * grid.distance };
};

export const entryHeight = (grid: EntryGrid): number =>
  grid.top + (64 / grid.across) * grid.distance - 18;

/** The field at a point. */
export function fieldAt(grid: EntryGrid, entry: Entry, x: number, y: number): number | null {
  const column = Math.floor((x - grid.left) / grid.pitch);
  if (column < 0 || column >= grid.across) return null;
  const found = entry.fields.findIndex(({ word, from, to }) => {
    for (let bit = from; bit <= to; bit++) {
      const at = placeOf(grid, word, bit);
      const near = y >= at.y - 16 && y < at.y + grid.cell + 4;
      if (bit % grid.across === column && near) return true;
    }
    return false;
  });
  return found < 0 ? null : found;
}

function fieldShapes(grid: EntryGrid, field: EntryField, marked: boolean): Shape[] {
  const shapes: Shape[] = [];
  for (let bit = field.from; bit <= field.to; bit++) {
    const { x, y } = placeOf(grid, field.word, bit);
    const one = Math.floor(field.value / 2 ** (field.to - bit)) % 2;
    const cls = marked ? 'same' : field.title === 'reserved' ? 'sunkf' : 'slot';
    shapes.push(rect(x + 0.5, y, grid.pitch - 1, grid.cell, cls));
    const tone = one === 1 ? 'm10 mid b6' : 'm10 mid i3';
    shapes.push(words(x + grid.pitch / 2, y + 11.5, String(one), tone));
  }
  const start = placeOf(grid, field.word, field.from);
  const width =
    Math.min(field.to - field.from + 1, grid.across - (field.from % grid.across)) * grid.pitch;
  const label = fitting([field.title, field.short], Math.max(width, 8), 10.5) ?? '';
  shapes.push(path(`M${start.x + 1} ${start.y - 3}h${width - 2}`, 'brace'));
  shapes.push(words(start.x + width / 2, start.y - 7, label, 't10 i2 mid'));
  const numbers = field.from === field.to ? String(field.from) : `${field.from}-${field.to}`;
  if (widthOf(numbers, 10.5) + 6 <= width)
    shapes.push(words(start.x + width / 2, start.y + grid.cell + 11, numbers, 't10 i3 mid'));
  return shapes;
}

export const entryShapes = (grid: EntryGrid, entry: Entry, marked: number | null): Shape[] =>
  entry.fields.flatMap((field, index) => fieldShapes(grid, field, index === marked));
