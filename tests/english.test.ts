/**
 * Titles, summaries and notes of scenarios, the glossary and the documents read like English: the lint of lessons finds
 * nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
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

/** Written by a program, or lists of words and phrases. */
const NOT_PROSE = /figures|mutation|vocabulary|authoring/;

/** Paragraphs and items; no tables, no code. */
const passages = (markdown: string): string[] =>
  markdown
    .replaceAll(/```.*?```/gs, '')
    .replaceAll(/^\|.*$/gm, '')
    .replaceAll(/`[^`]*`/g, 'code')
    .split(/\n\s*\n|\n(?=\s*(?:-|\d+\.) )/)
    .map((passage) => passage.replaceAll(/\s+/g, ' ').trim());

const documents = ['.', 'docs', 'docs/model']
  .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
  .filter((path) => path.endsWith('.md') && !NOT_PROSE.test(path));

test.each(documents)('%s', (path) => {
  expect(passages(readFileSync(path, 'utf8')).flatMap(stumblesIn)).toEqual([]);
});
