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

/** Searches for a machine of "What a bus is" in which a condition holds. */
async function searchFor(condition: string, until = '1 ms') {
  const text = `# A\n\n## Step\n\n? [q] Which?\n- [a] This {${condition}}\n- [b] Other {bus.transactions = 9}\n= This.\n`;
  const question = parseLesson(text).steps[0]?.question;
  if (!question) throw new Error('It asks nothing.');
  const reports: SearchProgress[] = [];
  const onProgress = (progress: SearchProgress) => void reports.push(progress);
  const { signal } = new AbortController();
  const { scenario: usual } = asked('start/bus', 0);
  const scenario = { ...usual, until: { ...usual.until, value: until } };
  const search = { scenario, question, option: 0 };
  return { ...(await machineWhere(search, engine, { signal, onProgress })), reports };
}

test.each([
  ['no machine has three transactions', 'bus.transactions = 3', '1 ms'],
  [
    'a call that takes no time because it never ends is no short call',
    'cpu.lap_time_1 = 0',
    '3 us',
  ],
])('%s, which is said after the whole search', async (_, condition, until) => {
  const { found, tried, of, parameters, reports } = await searchFor(condition, until);
  expect(found).toBeNull();
  expect(parameters).toBeGreaterThan(20);
  expect(tried).toBe(of);
  expect(reports.at(-1)).toEqual({ tried, of });
});

test('what no parameter does alone, two do', async () => {
  const { found } = await searchFor('cpu.lap_time > 400 ns and cpu.lap_time_1 > 2500 ns');
  expect(new Set(found?.settings.map(({ path }) => path)).size).toBe(2);
});

test('a cancelled search ends at once', async () => {
  const { found, tried, of } = await search('start/bus', 0, 0, AbortSignal.abort());
  expect(found).toBeNull();
  expect(tried).toBeLessThan(of);
});
