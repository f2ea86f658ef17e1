import { describe, expect, test } from 'vitest';
import { lensEntryAt, lensFor, lensModel, rowsFitting } from './lens';
import { poolMap, searchOf } from './pool.fixture';
import { examined, searchSentence, stepsOf } from './search';

const plain = (words: string | undefined): string => (words ?? '').replace(/\s/g, ' ');

/** Used: 10, 11, 14. The search for 4 starts at 10, meets 14, and finds 15 to 18. */
const probes = [
  { index: 12, blocked: 14 },
  { index: 15, blocked: 15 },
];
const search = searchOf({ start: 10, found: 15, probes });

describe('a search', () => {
  test('is explained candidate by candidate, with the entry in the way', () => {
    expect(stepsOf(search).map(({ text }) => plain(text))).toEqual([
      'Word 0: 2 used entries passed, free from 12, but entry 14 is in use, 2 of 4 found.',
      'Word 0: entries 15 to 18 are free.',
    ]);
  });

  test('is summarised in two sentences', () => {
    expect(plain(searchSentence(search, 'pool 0'))).toBe(
      'CPU 1 asks pool 0 for 4 entries. The search starts at 10, passes 2 used entries and meets 1 free run too short; 4 words read, free run at 15.',
    );
  });

  test('that finds nothing says how far it looked', () => {
    const failed = searchOf({ start: 10, limit: 126, probes: probes.slice(0, 1) });
    expect(stepsOf(failed).at(-1)?.text).toBe(
      'Words 0 to 1: nothing else is free up to the end, 125.',
    );
    expect(plain(searchSentence(failed, 'pool 0'))).toMatch(/4 words read, nothing found\.$/);
  });

  test('without a candidate says so once', () => {
    const none = searchOf({ start: 0, limit: 126, probes: [] });
    expect(plain(searchSentence(none, 'pool 0'))).toBe(
      'CPU 1 asks pool 0 for 4 entries. The search starts at 0 and finds no 4 free entries in a row; 2 words read.',
    );
  });

  test('with more candidates than are recorded says how many are left out', () => {
    const long = searchOf({ start: 10, found: 90, probes: probes.slice(0, 1), tried: 12 });
    expect(
      stepsOf(long)
        .slice(-2)
        .map((step) => ({ ...step, text: plain(step.text) })),
    ).toEqual([
      { from: 15, to: 90, text: 'Words 0 to 1: 10 more free runs, too short as well.' },
      { from: 90, to: 94, text: 'Word 1: entries 90 to 93 are free.' },
    ]);
    expect(plain(searchSentence(long, 'pool 0'))).toMatch(
      /meets 11 free runs too short; 2 words passed over, free run at 90\.$/,
    );
  });

  test('has examined no more than its steps so far', () => {
    expect(examined(search, 1).map(({ from, to }) => [from, to])).toEqual([[10, 15]]);
    expect(examined(search, 9).at(-1)?.to).toBe(19);
  });
});

describe('the lens', () => {
  const used = [
    [10, 2, 1],
    [14, 1, 0],
    [15, 4, 1],
    [130, 1, 3],
  ] as const;
  const map = poolMap({ entries: 1024, pools: 4, used, search });
  const input = {
    map,
    owner: 1,
    homes: [0, 0],
    colouring: 'owner' as const,
    chosen: null,
    first: 0,
    rows: 4,
    across: 64,
    width: 700,
    scale: 1,
    examinedSteps: 9,
    marked: null,
  };

  test('draws entries by owner, and marks those being allocated', () => {
    const drawn = lensModel(input).shapes;
    const cells = (cls: string) =>
      drawn
        .filter((shape) => shape.cls === cls)
        .map((shape) => ('d' in shape ? shape.d.split('M').length - 1 : 0));
    expect(cells('pool-own')).toEqual([2, 0, 0, 0]);
    expect(cells('pool-neighbour')).toEqual([1, 0, 0, 0]);
    expect(cells('pool-new')).toEqual([4, 0, 0, 0]);
    expect(cells('pool-foreign')).toEqual([0, 0, 1, 0]);
    expect(cells('pool-lost')).toEqual([0, 0, 0, 2]);
  });

  test('underlines the examined entries, row by row', () => {
    const line = lensModel({
      ...input,
      map: { ...map, search: searchOf({ start: 60, found: null, limit: 70 }) },
    });
    const under = line.shapes.find((shape) => shape.cls === 'pool-examined');
    expect(under && 'd' in under ? under.d.split('M').length - 1 : 0).toBe(2);
  });

  test('knows the entry under the pointer', () => {
    const drawn = lensModel({ ...input, first: 64 });
    expect(lensEntryAt(drawn, drawn.left + drawn.cell * 2.5, 10 + drawn.step * 1.5)).toBe(
      64 + 64 + 2,
    );
    expect(lensEntryAt(drawn, drawn.left - 5, 20)).toBeNull();
  });

  test('has as many rows as fit, and never none', () => {
    const drawn = lensModel({ ...input, rows: rowsFitting(700, 200, 64) });
    expect(drawn.height).toBeLessThanOrEqual(200);
    expect(drawn.height + drawn.step).toBeGreaterThan(200);
    expect(rowsFitting(300, 0, 64)).toBe(3);
  });

  test('covers the search, and never exceeds the table', () => {
    const at = (start: number) =>
      lensFor({ ...map, search: searchOf({ start, found: start }) }, 4, 64);
    expect(at(10)).toBe(0);
    expect(at(300)).toBe(128);
    expect(at(1020)).toBe(768);
  });
});
