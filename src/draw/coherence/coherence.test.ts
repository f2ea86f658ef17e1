import { describe, expect, test } from 'vitest';
import { LINE_STATES, stateOf } from '../state-cell';
import { COHERENT, held, member, moment, PAGE, PART, type Written } from './coherence.fixture';
import {
  cellAt,
  changedCells,
  linesGrid,
  linesShapes,
  linesShown,
  placeIn,
  windowFor,
} from './lines';
import { cacheBytes, colour, pixel, placeMaps } from './map';
import { cellSentence, pageLines, pageSentences } from './page';
import {
  busiestRow,
  noRowSentence,
  protocolGrid,
  protocolOf,
  protocolSentence,
  rowAt,
} from './protocol';

const COUNT = 8;
/** Memory cells of the first lines: the write that each holds, and the newest one. */
const cells = (writes: Readonly<Record<number, [write: number, newest: number]>>) =>
  Array.from({ length: COUNT * 2 }, (_, half) => {
    const [write, newest] = writes[Math.floor(half / 2)] ?? [0, 0];
    return { write, newest };
  });

const page = (rows: Written, makers: Readonly<Record<number, string>> = {}) =>
  pageLines(COHERENT, moment(rows), {
    page: PAGE,
    first: 0,
    count: COUNT,
    maker: (write) => makers[write] ?? null,
  });
const states = (rows: Written, row: number) =>
  page(rows).rows[row]?.cells.map(({ state }) => state);

describe('a page', () => {
  test('has a row for each possible holder of its lines', () => {
    expect(page({}).rows.map(({ title }) => title)).toEqual([
      'Cache 0',
      'Cache 1',
      'I/O adapter',
      'Memory',
    ]);
  });

  test("shows each line in its cache's state", () => {
    const rows = {
      [`${PART.cache1} lines`]: held(PART.cache1, {
        1: 'shared',
        2: 'private_clean',
        4: 'invalid',
      }),
    };
    expect(states(rows, 1)?.slice(0, 5)).toEqual([
      'invalid',
      'shared',
      'clean',
      'invalid',
      'invalid',
    ]);
    expect(states(rows, 0)).toEqual(Array(COUNT).fill('invalid'));
  });

  test('leaves out lines of other pages', () => {
    const elsewhere = [{ tag: PAGE / 32 + 129 + 1, state: member(0, 'line', 'shared') }];
    expect(states({ '0 lines': elsewhere }, 0)).toEqual(Array(COUNT).fill('invalid'));
  });

  test('marks a copy that is not the newest as stale, and memory that is behind the owner', () => {
    const rows = {
      '0 lines': held(0, { 0: 'private_dirty' }),
      '0 data': [{ write: 7 }, { write: 7 }],
      '1 lines': held(1, { 0: 'shared' }),
      '1 data': [{ write: 3 }, { write: 3 }],
      [`${PART.memory} cells`]: cells({ 0: [3, 7] }),
    };
    expect(states(rows, 0)?.[0]).toBe('dirty');
    expect(states(rows, 1)?.[0]).toBe('stale');
    expect(states(rows, 3)?.[0]).toBe('stale');
    expect(page(rows).runs[0]?.texts[0]).toBe('stale in Cache 1');
  });

  test("shows misses, write-backs and the adapter's line in flight", () => {
    const rows = {
      '0 misses': [{ stage: 2, addr: PAGE + 32 }],
      '1 now': [{ write_backs: 1 }],
      '1 write_backs': [{ addr: PAGE + 64 }, { addr: PAGE + 96 }],
      [`${PART.adapter} line`]: [{ state: member(PART.adapter, 'line', 'held'), addr: PAGE + 128 }],
    };
    expect(states(rows, 0)?.[1]).toBe('flight');
    expect(states(rows, 1)?.slice(2, 4)).toEqual(['flight', 'invalid']);
    expect(states(rows, 2)?.[4]).toBe('dirty');
  });

  test('shows prefetched data as a non-coherent copy', () => {
    const rows = {
      [`${PART.adapter} prefetch`]: [{ state: 3, physical: PAGE, half_0: 1, half_1: 1 }],
      [`${PART.memory} cells`]: cells({ 0: [1, 2] }),
    };
    const cell = page(rows).rows[2]?.cells[0];
    expect(cell).toEqual({ state: 'stale', title: 'in the prefetch buffer, but stale' });
  });

  test('states once what neighbouring lines have in common', () => {
    const rows = {
      '0 lines': held(0, { 0: 'shared', 1: 'shared', 2: 'private_dirty' }),
      '1 lines': held(1, { 0: 'shared', 1: 'shared' }),
      '0 data': [
        { write: 0 },
        { write: 0 },
        { write: 0 },
        { write: 0 },
        { write: 9 },
        { write: 9 },
      ],
      [`${PART.memory} cells`]: cells({ 2: [0, 9], 4: [5, 5], 5: [5, 5] }),
    };
    const lines = page(rows, { 5: 'Disk' });
    expect(pageSentences(lines)).toEqual([
      'Lines 0 to 1: shared by Cache 0 and Cache 1.',
      'Line 2: newest only in Cache 0.',
      'Lines 4 to 5: written by Disk, no copies.',
    ]);
    expect(cellSentence(lines, 0, 2)).toBe('Line 2, 0x100040, in Cache 0: private dirty');
  });

  test('marks only the cells that the last step changed', () => {
    const before = page({ '0 lines': held(0, { 0: 'shared' }) });
    const after = page({ '0 lines': held(0, { 0: 'private_dirty' }) });
    expect([...changedCells(before, after)]).toEqual([0]);
    expect([...changedCells(null, after)]).toEqual([]);
  });
});

describe('the sheet of a page', () => {
  const names = ['Cache 0', 'Cache 1', 'I/O adapter', 'Memory'];

  test('shows as many lines as fit, and the whole page on a tall sheet', () => {
    const low = linesGrid({ width: 430, height: 172, names });
    expect(low.bands).toBe(1);
    expect(linesShown(low)).toBe(low.columns);
    expect(linesShown(linesGrid({ width: 1400, height: 700, names }))).toBe(128);
  });

  test('finds the cell under a point', () => {
    const grid = linesGrid({ width: 700, height: 700, names });
    expect(grid.bands).toBeGreaterThan(1);
    const at = cellAt(grid, grid.left + 3 * grid.across + 2, grid.bandHeight + grid.top + 2);
    expect(at).toEqual({ row: 4, column: 3 });
    expect(placeIn(grid, 4, 3)).toEqual({ row: 0, line: grid.columns + 3 });
    expect(cellAt(grid, 4, 40)).toBeNull();
  });

  test('numbers the selected line and marks it in every row', () => {
    const grid = linesGrid({ width: 430, height: 172, names });
    const marks = { marked: [], selected: 4 };
    const shapes = linesShapes(grid, page({}), marks);
    expect(shapes.filter(({ cls }) => cls === 'same')).toHaveLength(1);
    const texts = shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
    expect(texts).toContain('4');
    expect(texts).not.toContain('3');
  });

  test('scrolls only for a line that is out of view', () => {
    expect(windowFor(10, 20, 15)).toBe(10);
    expect(windowFor(10, 20, 60)).toBe(50);
    expect(windowFor(10, 20, 127)).toBe(108);
  });
});

describe('the map of a cache', () => {
  const [cache] = COHERENT.caches;
  if (!cache) throw new Error('no cache');

  test('has one byte per line, and counts the states', () => {
    const bytes = new Uint8Array(3);
    const rows = { '0 lines': held(0, { 0: 'shared', 1: 'private_dirty', 2: 'invalid' }) };
    const counts = cacheBytes(COHERENT, cache, moment(rows), bytes);
    expect([...bytes].map((code) => LINE_STATES[code])).toEqual(['shared', 'dirty', 'invalid']);
    expect(counts[LINE_STATES.indexOf('dirty')]).toBe(1);
  });

  test('agrees with the page view on stale and transient lines', () => {
    const bytes = new Uint8Array(2);
    const rows = {
      '0 lines': held(0, { 0: 'shared', 1: 'invalid' }),
      '0 data': [{ write: 1 }, { write: 1 }, { write: 0 }, { write: 0 }],
      '0 misses': [{ stage: 1, line: 1 }],
      [`${PART.memory} cells`]: cells({ 0: [1, 2] }),
    };
    cacheBytes(COHERENT, cache, moment(rows), bytes);
    expect([...bytes].map((code) => LINE_STATES[code])).toEqual(['stale', 'flight']);
  });

  test('gives every byte its colour', () => {
    const image = new Uint32Array(2);
    colour(Uint8Array.of(1, 0), Uint32Array.of(pixel('#010203'), pixel('rgb(4 5 6)')), image);
    expect([...image]).toEqual([0xff060504, 0xff030201]);
  });

  test('puts a page in a row, and as many maps side by side as makes them large', () => {
    const maps = (width: number, height: number) =>
      placeMaps(cache, 8192, 4, { width, height, ratio: 1 });
    const wide = maps(1400, 300);
    expect(wide.shape).toEqual({ columns: 128, rows: 64 });
    expect(new Set(wide.places.map(({ y }) => y)).size).toBe(1);
    expect(wide.places[0]?.cell).toBe(2);
    const tall = maps(300, 700);
    expect(new Set(tall.places.map(({ x }) => x)).size).toBe(1);
  });

  test('gives every line at least a pixel on a small sheet', () => {
    const { shape, places } = placeMaps(cache, 8192, 4, { width: 430, height: 143, ratio: 1 });
    expect(shape.columns * shape.rows).toBeGreaterThanOrEqual(8192);
    expect(places[0]?.cell).toBe(1);
  });
});

/** State, event, response, action, next state; how often and when last. */
type Rule = readonly [string, string, string, string, string, number, number];

describe('the protocol', () => {
  const rows = (...written: Rule[]) =>
    written.map(([state, protocolEvent, response, action, next, taken, last]) => ({
      state: member(0, 'line', state),
      protocol_event: member(0, 'protocol_event', protocolEvent),
      response: member(0, 'response', response),
      action: member(0, 'action', action),
      next: member(0, 'line', next),
      taken,
      last,
    }));
  const owner = ['private_dirty', 'snoop_read_shared', 'copy', 'copy', 'shared'] as const;
  const idle = ['invalid', 'snoop_read_shared', 'ok', 'none', 'invalid'] as const;

  test('finds the latest row: of several at the same time the one with an effect', () => {
    const now = moment({ '0 rows': rows([...idle, 3, 90], [...owner, 1, 90]) });
    const [cache] = COHERENT.caches;
    const protocol = cache && protocolOf(COHERENT, cache, now);
    expect(protocol?.latest?.index).toBe(1);
    const row = protocol && rowAt(protocol, 3, 3);
    expect(row && protocolSentence(protocol, row)).toBe(
      'private dirty, READ shared seen: answers COH_CPY, copy to the requester and memory, becomes shared; taken 1\u00a0time.',
    );
  });

  test('says what cannot happen', () => {
    const [cache] = COHERENT.caches;
    const protocol = cache && protocolOf(COHERENT, cache, moment({}));
    expect(protocol && noRowSentence(protocol, 0, 2)).toBe('invalid, replacement: cannot happen.');
  });

  test('leaves out transient states on a low sheet, except that of the latest row', () => {
    const [cache] = COHERENT.caches;
    const of = (...written: Rule[]) =>
      cache && protocolOf(COHERENT, cache, moment({ '0 rows': rows(...written) }));
    const shown = (height: number, protocol = of([...idle, 1, 9])) =>
      protocol && protocolGrid(430, height, protocol).states.length;
    expect(shown(300)).toBe(8);
    expect(shown(100)).toBe(4);
    expect(shown(100, of(['is_d', 'fill_shared', 'ok', 'none', 'shared', 1, 9]))).toBe(5);
  });

  test('shows the cache with the latest transition', () => {
    const now = moment({
      '0 rows': rows([...idle, 3, 90], [...owner, 0, 0]),
      '1 rows': rows([...idle, 3, 80], [...owner, 1, 90]),
    });
    expect(busiestRow(COHERENT, now)?.title).toBe('Cache 1');
  });
});

test('every state of the protocol is drawn as one of six', () => {
  const drawn = COHERENT.machine.parts[0]?.type.enums.line?.map(({ name }) => stateOf(name));
  expect(drawn).toEqual([
    'invalid',
    'shared',
    'clean',
    'dirty',
    'flight',
    'flight',
    'flight',
    'flight',
  ]);
});
