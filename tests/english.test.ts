/** Titles, summaries and notes of scenarios, and the glossary, read like English: the lint of lessons finds nothing. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stumblesIn } from '../src/model/lesson/english';
import glossary from '../src/model/lesson/glossary.json';
import { readJson } from '../src/model/scenario/json-text';
import { SCENARIOS } from './support/scenarios';

const PROSE = new Set([
  'title',
  'summary',
  'belief',
  'note',
  'text',
  'because',
  'missed',
  'titles',
]);

/** All prose in a value, by its keys. */
function proseIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return PROSE.has(key) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    proseIn(inner, Array.isArray(value) ? key : name),
  );
}

test.each(SCENARIOS)('%s', (path) => {
  const read = readJson(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'), path);
  const prose = proseIn(read.ok ? read.value.value : null);
  expect(prose.length).toBeGreaterThan(1);
  expect(prose.flatMap(stumblesIn)).toEqual([]);
});

test('the glossary', () => {
  const prose = glossary.flatMap(({ what, where }) => [what, where]);
  expect(prose.flatMap(stumblesIn)).toEqual([]);
});
