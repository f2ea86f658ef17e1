/** The search for a machine in which a reader's answer is right. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { lessonRun } from '../src/model/lesson/check-run';
import { verdict } from '../src/model/lesson/evidence';
import { parseLesson } from '../src/model/lesson/lesson';
import { machineWhere, type SearchProgress } from '../src/model/lesson/make-true';
import { machineWith } from '../src/model/scenario/settings';
import { scenarioAt } from './support/scenarios';

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

function asked(id: string, index: number) {
  const scenario = scenarioAt(`scenarios/${id}.json`);
  const text = readFileSync(`scenarios/${id}.md`, 'utf8');
  const question = parseLesson(text).steps.flatMap(({ question }) => question ?? [])[index];
  if (!question) throw new Error(`${id} asks less.`);
  return { scenario, question };
}

const search = (
  id: string,
  index: number,
  option: number,
  signal = new AbortController().signal,
) => {
  const reports: SearchProgress[] = [];
  const onProgress = (progress: SearchProgress) => void reports.push(progress);
  const { scenario, question } = asked(id, index);
  const outcome = machineWhere({ scenario, question, option }, engine, { signal, onProgress });
  return outcome.then((found) => ({ ...found, reports, scenario, question }));
};

test.each([0, 1])('in the machine found, option %i of "What a bus is" is right', async (option) => {
  const { found, scenario, question } = await search('start/bus', 0, option);
  const machine = machineWith(scenario, [found?.edits ?? {}]);
  if (!machine.ok) throw new Error('The machine does not compile.');
  const { counters } = await lessonRun(engine, machine.value, []);
  expect(verdict(question, machine.value, counters)).toBe(option);
});

const IMPOSSIBLE = `# What a bus is

## Step

? [q] How many transactions?
- [a] Three {bus.transactions = 3}
- [b] Eight {bus.transactions = 8}
- [c] More {bus.transactions > 8}
= Eight.
`;

test('that there is none is said after the whole search', async () => {
  const question = parseLesson(IMPOSSIBLE).steps[0]?.question;
  if (!question) throw new Error('It asks nothing.');
  const reports: SearchProgress[] = [];
  const onProgress = (progress: SearchProgress) => void reports.push(progress);
  const { signal } = new AbortController();
  const { scenario } = asked('start/bus', 0);
  const search = { scenario, question, option: 0 };
  const { found, tried, of, parameters } = await machineWhere(search, engine, {
    signal,
    onProgress,
  });
  expect(found).toBeNull();
  expect(parameters).toBeGreaterThan(20);
  expect(tried).toBe(of);
  expect(reports.at(-1)).toEqual({ tried, of });
});

test('a cancelled search ends at once', async () => {
  const { found, tried, of } = await search('start/bus', 0, 0, AbortSignal.abort());
  expect(found).toBeNull();
  expect(tried).toBeLessThan(of);
});
