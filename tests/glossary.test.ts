/** The words of the glossary: each is explained in a sentence, occurs in lessons, and links to one about it. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { markTerms } from '../src/model/lesson/glossary';
import terms from '../src/model/lesson/glossary.json';
import { inlinesIn, parseLesson } from '../src/model/lesson/lesson';
import { SCENARIOS, scenarioAt } from './support/scenarios';

/** The prose of each lesson with its title; links and emphasis count as words here. */
const prose = new Map(
  SCENARIOS.map((path) => {
    const { title, summary, lesson } = scenarioAt(path);
    const text = readFileSync(new URL(`../${dirname(path)}/${lesson}`, import.meta.url), 'utf8');
    const inlines = parseLesson(text).steps.flatMap(({ blocks, question }) => [
      ...blocks.flatMap(inlinesIn),
      ...(question?.prompt ?? []),
      ...(question?.because ?? []),
    ]);
    const words = [title, summary, ...inlines.map((one) => one.text)].join(' ');
    return [path.replace(/^scenarios\/|\.json$/g, ''), words] as const;
  }),
);

/** Whether a text mentions a term. */
const speaksOf = (text: string, term: (typeof terms)[number]): boolean => {
  const [block] = markTerms([{ kind: 'paragraph', inlines: [{ kind: 'text', text }] }], [term]);
  return block?.kind === 'paragraph' && block.inlines.some(({ kind }) => kind === 'term');
};

test('no term and no form is explained twice', () => {
  expect(terms.length).toBeGreaterThanOrEqual(60);
  for (const all of [terms.map(({ term }) => term), terms.flatMap(({ forms }) => forms)])
    expect(all.filter((one, index) => all.indexOf(one) !== index)).toEqual([]);
});

test.each(terms)('$term', (term) => {
  for (const sentence of [term.what, term.where])
    expect(sentence).toMatch(/^\S[^.]*(\d\.\d[^.]*)*\.$/);
  const users = [...prose].filter(([, words]) => speaksOf(words, term)).map(([id]) => id);
  expect(users).not.toEqual([]);
  const named = term.lesson.includes(term.term.replaceAll(' ', '-')) ? [term.lesson] : users;
  expect([...prose.keys()]).toContain(term.lesson);
  expect(named).toContain(term.lesson);
});
