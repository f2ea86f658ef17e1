/**
 * Measurements of a user's own card: the summary that `gttp -GA` prints, or the same table as CSV.
 *
 *     _g  SIZE  _w_...S.  _w_P..S.  _r_...S.        SIZE in bytes, then MB/s (10^6 bytes per second);
 *     _g   4    0.52    27.72    0.55                w/r write/read, P programmed I/O, M system memory, else DMA
 */

import { hint, quote } from '../../base/suggest';
import { failure, type Problem, type Result, success } from './problems';

export type GttpColumn =
  | 'dma_write'
  | 'pio_write'
  | 'dma_read'
  | 'pio_read'
  | 'memory_write'
  | 'memory_read';

const GTTP_COLUMNS: readonly GttpColumn[] = [
  'dma_write',
  'pio_write',
  'dma_read',
  'pio_read',
  'memory_write',
  'memory_read',
];

interface GttpPoint {
  readonly size: number;
  /** MB/s, 10^6 bytes per second. */
  readonly value: number;
}

export type GttpTable = Readonly<Partial<Record<GttpColumn, readonly GttpPoint[]>>>;

interface Word {
  readonly text: string;
  readonly column: number;
}

interface Line {
  readonly number: number;
  readonly words: readonly Word[];
}

const MAX_LINES = 5000;
const MAX_TEXT = 100_000;
const LARGEST = 2 ** 40;
const FASTEST = 1e9;
const SIZE = /^(size|size_bytes|bytes|n)$/i;

function wordsOf(text: string, csv: boolean): Word[] {
  const cell = csv ? /[^,;]+/g : /\S+/g;
  return [...text.matchAll(cell)].flatMap((match) => {
    const trimmed = match[0].trim();
    const lead = match[0].length - match[0].trimStart().length;
    return trimmed ? [{ text: trimmed, column: match.index + lead + 1 }] : [];
  });
}

/** Splits "_g4" into mark and number: gttp pads sizes to the left. */
function withoutMark(words: readonly Word[]): Word[] {
  const [first, ...rest] = words;
  if (!first?.text.startsWith('_g')) return [...words];
  const text = first.text.slice(2);
  return text ? [{ text, column: first.column + 2 }, ...rest] : rest;
}

function columnOf(header: string): GttpColumn | null {
  const name = header.toLowerCase();
  if ((GTTP_COLUMNS as readonly string[]).includes(name)) return name as GttpColumn;
  const match = /^_([wr])_?([.pms]{3,6})\.?$/.exec(name);
  if (!match) return null;
  const [, direction, flags = ''] = match;
  const way = flags.includes('m') ? 'memory' : flags.includes('p') ? 'pio' : 'dma';
  return `${way}_${direction === 'w' ? 'write' : 'read'}`;
}

const isHeader = (words: readonly Word[]) => SIZE.test(words[0]?.text ?? '');

/** Whether a text is such a table. */
export function isGttp(text: string): boolean {
  if (/^\s*[{[]/.test(text)) return false;
  return linesOf(text.slice(0, MAX_TEXT)).some((line) => isHeader(line.words));
}

function linesOf(text: string): Line[] {
  const lines = text.split(/\r\n|\r|\n/);
  const csv = lines.some((line) => {
    const at = line.search(/size/i);
    return at >= 0 && /[,;]/.test(line.slice(at));
  });
  // Graph data printed by gttp has a mark; other output may surround it.
  const marked = lines.some((line) => /^\s*_g/.test(line));
  return lines.flatMap((line, i) => {
    if (marked && !/^\s*_g/.test(line)) return [];
    const words = withoutMark(wordsOf(line, csv));
    return words.length > 0 ? [{ number: i + 1, words }] : [];
  });
}

class GttpReader {
  readonly problems: Problem[] = [];
  private readonly columns: (GttpColumn | null)[] = [];
  private readonly table = new Map<GttpColumn, GttpPoint[]>();
  private lastSize = 0;

  constructor(private readonly file: string) {}

  private refuse(line: Line, word: Word | undefined, message: string): void {
    const column = word?.column ?? 1;
    this.problems.push({ file: this.file, pointer: '', line: line.number, column, message });
  }

  read(text: string): Result<GttpTable> {
    if (text.length > MAX_TEXT) {
      this.refuse({ number: 1, words: [] }, undefined, 'The text is larger than 100 kB.');
      return failure(this.problems);
    }
    const lines = linesOf(text);
    if (lines.length > MAX_LINES) {
      const line = lines[MAX_LINES] as Line;
      this.refuse(line, undefined, `A table has at most ${MAX_LINES} lines; this is one more.`);
      return failure(this.problems);
    }
    const at = lines.findIndex((line) => isHeader(line.words));
    const header = lines[at];
    if (!header) {
      this.refuse(
        { number: 1, words: [] },
        undefined,
        'There is no line of column headers; it begins with SIZE.',
      );
      return failure(this.problems);
    }
    this.readHeader(header);
    for (const line of lines.slice(at + 1)) {
      if (this.problems.length >= 5) break;
      this.readRow(line);
    }
    if (this.problems.length === 0 && this.lastSize === 0)
      this.refuse(header, undefined, 'There are no rows below the headers.');
    if (this.problems.length > 0) return failure(this.problems);
    return success(Object.fromEntries(this.table));
  }

  private readHeader(header: Line): void {
    for (const word of header.words.slice(1)) {
      const column = columnOf(word.text);
      if (!column)
        this.refuse(
          header,
          word,
          `${quote(word.text)} is not a column of gttp${hint(word.text, GTTP_COLUMNS)}`,
        );
      else if (this.table.has(column))
        this.refuse(header, word, `The column ${quote(word.text)} occurs twice.`);
      else this.table.set(column, []);
      this.columns.push(column);
    }
    if (this.columns.length === 0)
      this.refuse(header, undefined, 'There is no column besides SIZE.');
  }

  private readRow(line: Line): void {
    const [first, ...cells] = line.words;
    // Lines such as "==SUMMARY==" may occur between tables.
    if (!first || first.text.startsWith('=')) return;
    const size = Number(first.text);
    if (!/^\d+$/.test(first.text) || size < 1 || size > LARGEST) {
      this.refuse(
        line,
        first,
        `A size is a whole number of bytes from 1 to ${LARGEST}; ${quote(first.text)} is not.`,
      );
      return;
    }
    if (size <= this.lastSize) {
      this.refuse(line, first, `The sizes must increase; ${size} does not.`);
      return;
    }
    this.lastSize = size;
    if (cells.length !== this.columns.length) {
      const counts = `${cells.length} values for ${this.columns.length} columns`;
      this.refuse(line, first, `This row has ${counts}.`);
      return;
    }
    cells.forEach((cell, i) => {
      const value = Number(cell.text);
      const column = this.columns[i];
      if (!/^\d*\.?\d+(e[+-]?\d+)?$/i.test(cell.text) || !(value > 0) || value > FASTEST)
        this.refuse(
          line,
          cell,
          `A throughput is a number of MB/s above 0, at most ${FASTEST}; ${quote(cell.text)} is not.`,
        );
      else if (column) this.table.get(column)?.push({ size, value });
    });
  }
}

export const parseGttp = (text: string, file = ''): Result<GttpTable> =>
  new GttpReader(file).read(text);
