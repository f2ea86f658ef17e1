import { describe, expect, test } from 'vitest';
import { scoreOf } from './paletteFilter';

const entries: [title: string, keywords: string[]][] = [
  ['Where is the crossover?', ['SCRAMNet GT', 'the size where DMA begins to win']],
  ['One word at a time', ['SCRAMNet GT', 'programmed I/O']],
  ['Light or dark', ['theme', 'night']],
  ['Light or dark as the system has it', ['theme']],
];

const found = (query: string) =>
  entries
    .map(([title, keywords]) => ({ title, score: scoreOf(title, query, keywords) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ title }) => title);

describe('the palette finds', () => {
  test('by the beginning of any word', () => {
    expect(found('cro')).toEqual(['Where is the crossover?']);
    expect(found('where cross')).toEqual(['Where is the crossover?']);
  });

  test('by other words of an entry, after those of titles', () => {
    expect(found('wi')).toEqual(['Where is the crossover?']);
    expect(found('gt')).toEqual(['Where is the crossover?', 'One word at a time']);
    expect(found('theme')).toHaveLength(2);
  });

  test('the exact title first', () => {
    expect(found('light or dark')[0]).toBe('Light or dark');
  });

  test('nothing for letters that are only scattered about', () => {
    expect(found('oat')).toEqual([]);
    expect(found('zzz')).toEqual([]);
  });
});
