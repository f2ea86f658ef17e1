/** What the first page says tells no answer of the lessons that it leads to. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { QuestionRuns } from '../src/model/lesson/judge';
import { parseLesson } from '../src/model/lesson/lesson';
import { revealedBy } from '../src/model/lesson/revealed-words';
import { CLAUSES, STAGES } from '../src/panels/gallery/hero-words';
import { ASKED } from '../src/panels/gallery/StartPictures';
import { scenarioAt } from './support/scenarios';

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

const questionsIn = (text: string) =>
  parseLesson(text).steps.flatMap(({ question }) => question ?? []);

const HERO = [...CLAUSES, ...STAGES.flatMap(({ says, button }) => [says, button])].join(' ');

test.each(Object.entries(ASKED))('the first page, of %s', async (id, { question: card }) => {
  const runs = new QuestionRuns(engine, scenarioAt(`scenarios/${id}.json`));
  for (const question of questionsIn(readFileSync(`scenarios/${id}.md`, 'utf8'))) {
    const right = await runs.rightOption(question);
    const at = question.options.findIndex((option) => option.id === right);
    expect(revealedBy(`${HERO} ${card}`, question, at), question.id).toEqual([]);
  }
});

describe('a headline', () => {
  const [question] = questionsIn(
    '# A\n\n## B\n\n? [q] Who notices?\n- [a] The disk: it reports an error {disk.errors = 1}\n- [b] Nobody {disk.errors = 0}\n= Nobody.\n',
  );
  if (!question) throw new Error('It asks nothing.');

  test('tells an answer by the words that only that has', () => {
    expect(revealedBy('The disk got old data. Nobody noticed.', question, 1)).toEqual(['nobody']);
  });

  test('tells nothing by the words of every option, or by a few of many', () => {
    expect(revealedBy('Somebody notices, and reports it.', question, 1)).toEqual([]);
    expect(revealedBy('An error in the disk', question, 0)).toEqual(['disk', 'error']);
    expect(revealedBy('An error', question, 0)).toEqual([]);
  });
});
