/** Names that only insiders understood stay out of the code; docs/vocabulary.md has those to use. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesUnder } from '../scripts/lib.mjs';

const patterns = readFileSync('tests/data/banned-identifiers.txt', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const banned = new RegExp(`^(${patterns.join('|')})$`);

/** Names of tests in C are sentences, and may begin with "by". */
const isSentence = (name: string): boolean => name.split('_').length > 4;

/** Names in the code: not in regular expressions, comments or strings. */
const namesIn = (text: string): string[] =>
  (
    text
      .replaceAll(/(?<=[[(=:,] *)\/(?![*/])(?:\\.|[^/\\\n])+\/[a-z]*/g, '')
      .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|(["'`])(?:\\.|(?!\1)[^\\\n])*\1/g, '')
      .match(/[A-Za-z_]\w*/g) ?? []
  ).filter((name) => banned.test(name) && !isSentence(name));

test.each(['culpritOf', 'by_self', 'KEEP_PART', 'PokeLine', 'books_tell'])(
  '%s is banned',
  (name) => {
    expect(namesIn(`const x = ${name};`)).toEqual([name]);
  },
);

test.each(['diagnose', 'sim_schedule', 'beside', 'bytes'])('%s is not', (name) => {
  expect(namesIn(`const x = ${name};`)).toEqual([]);
});

test.each(['src', 'wasm', 'scripts', 'bench', 'tests'])(
  'no file of %s uses a banned name',
  (folder) => {
    const sources = filesUnder(folder).filter((path) => /\.(tsx?|mjs|c|h|css)$/.test(path));
    const found = sources.flatMap((path) => {
      const names = namesIn(readFileSync(path, 'utf8'));
      return names.length > 0 ? [`${path}: ${[...new Set(names)].join(', ')}`] : [];
    });
    expect(found).toEqual([]);
  },
);
