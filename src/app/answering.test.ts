import { describe, expect, test } from 'vitest';
import { matchEntries } from '../base/fuzzy-match';
import { wordsOfScenario } from '../model/scenario/scenario-words';
import { listScenarios } from '../model/scenario/scenarios';

const entry = (title: string, ...keywords: string[]) => ({ title, keywords });
const entries = [
  entry('Where is the crossover?', 'SCRAMNet GT', 'the size where DMA begins to win'),
  entry('One word at a time', 'SCRAMNet GT', 'programmed I/O'),
  entry('Light or dark', 'theme', 'night'),
  entry('Light or dark as the system has it', 'theme'),
];

const found = (query: string) =>
  matchEntries([['All', entries]], query).flatMap(([, some]) => some.map(({ title }) => title));

describe('the palette finds', () => {
  test('by the beginning of any word', () => {
    expect(found('cro')).toEqual(['Where is the crossover?']);
    expect(found('where cross')).toEqual(['Where is the crossover?']);
  });

  test('by other words of an entry, ranked after titles', () => {
    expect(found('wi')).toEqual(['Where is the crossover?']);
    expect(found('gt')).toEqual(['Where is the crossover?', 'One word at a time']);
    expect(found('theme')).toHaveLength(2);
    expect(found('programmed I/O')).toEqual(['One word at a time']);
  });

  test('the exact title first', () => {
    expect(found('light or dark')[0]).toBe('Light or dark');
  });

  test('nothing for scattered letters', () => {
    expect(found('oat')).toEqual([]);
    expect(found('zzz')).toEqual([]);
  });
});

test('the best match comes first, whatever its section', () => {
  const sections = [
    ['Scenarios', [entry('Any order', 'a page directory'), entry('Directory of pages')]],
    ['Words', [entry('directory'), entry('page directory')]],
  ] as const;
  const titles = (query: string) =>
    matchEntries(sections, query).map(([section, some]) => [
      section,
      ...some.map(({ title }) => title),
    ]);
  expect(titles('page directory')).toEqual([
    ['Words', 'page directory'],
    ['Scenarios', 'Directory of pages', 'Any order'],
  ]);
  expect(titles('order')).toEqual([['Scenarios', 'Any order']]);
  expect(titles('nothing')).toEqual([]);
  expect(matchEntries(sections, ' ')).toBe(sections);
});

test('an entry of low priority comes first only for its exact title', () => {
  const sections = [
    ['Scenarios', [entry('Where is the crossover?')]],
    ['Words', [{ ...entry('crossover'), weight: 0.85 }]],
  ] as const;
  const first = (query: string) => matchEntries(sections, query)[0]?.[0];
  expect(first('cross')).toBe('Scenarios');
  expect(first('crossover')).toBe('Words');
});

test.each([
  ['false sharing', 'hp/false-sharing'],
  ['cache size', 'gt/crossover'],
  ['page directory', 'start/translation'],
])('a scenario is found by the subject of its lesson: %s', (query, expected) => {
  const sections = [
    [
      'Scenarios',
      listScenarios().map(({ id, title }) => ({ id, title, keywords: [wordsOfScenario(id)] })),
    ],
  ] as const;
  const found = matchEntries(sections, query).flatMap(([, some]) => some.map(({ id }) => id));
  expect(found).toContain(expected);
  expect(found.length).toBeLessThan(listScenarios().length / 2);
});
