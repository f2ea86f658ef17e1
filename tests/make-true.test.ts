/** The search for a machine in which a reader's answer is right. */

import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { lessonRun } from '../src/model/lesson/check-run';
import { verdict } from '../src/model/lesson/evidence';
import { parseLesson } from '../src/model/lesson/lesson';
import { type MachineSpace, spaceOf } from '../src/model/lesson/machine-space';
import { machineWhere, type SearchProgress } from '../src/model/lesson/make-true';
import type { CompiledMachine } from '../src/model/scenario/compiled';
import type { Scenario } from '../src/model/scenario/scenario-types';
import { machineWith } from '../src/model/scenario/settings';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

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

test.each([
  ['start/bus', 0, 'a'],
  ['start/bus', 0, 'b'],
  // The flush is a variable, and what was counted becomes none.
  ['start/old-data', 0, 'a'],
  ['pools/last-two', 0, 'b'],
  ['pools/last-two', 0, 'a'],
])('in the machine found, of %s, question %i, option %s is right', async (id, index, name) => {
  const option = asked(id, index).question.options.findIndex((one) => one.id === name);
  const { found, scenario, question } = await search(id, index, option);
  const machine = machineWith(scenario, [found?.variables ?? {}, found?.edits ?? {}]);
  if (!machine.ok) throw new Error('The machine does not compile.');
  const { counters } = await lessonRun(engine, machine.value, []);
  expect(verdict(question, machine.value, counters)).toBe(option);
});

test('another machine is found before another program', async () => {
  // As the program was written, a pass takes as long as the answer says, too.
  const { found } = await search('gt/gfixit', 0, 2);
  expect(found?.settings.map(({ name }) => name)).toEqual(['driver.finish_read']);
});

const withQuestions = SCENARIOS.filter((path) => {
  const lesson = path.replace(/json$/, 'md');
  return existsSync(lesson) && readFileSync(lesson, 'utf8').includes('\n? ');
});

/** The values that a dial does not try, of those that its axis declares. */
const missing = ({ experiment }: Scenario, { dials }: MachineSpace, machine: CompiledMachine) =>
  (experiment?.axes ?? []).flatMap(({ name, values }) => {
    const tried = dials.find((dial) => dial[0]?.name === name)?.map(({ value }) => value) ?? [];
    return values.filter((value) => value !== machine.variables[name] && !tried.includes(value));
  });

test('what any lesson declares is tried, or is named as not tried', () => {
  expect(withQuestions.length).toBeGreaterThan(100);
  for (const path of withQuestions) {
    const scenario = scenarioAt(path);
    const machine = compiled(scenario);
    const space = spaceOf(scenario, machine);
    expect(missing(scenario, space, machine), path).toEqual([]);
    const names = new Set(space.dials.flatMap((dial) => dial.map(({ name }) => name)));
    const axes = scenario.experiment?.axes ?? [];
    for (const { name, title } of scenario.variables.values()) {
      const follows = axes.some(({ also }) => name in also);
      const isNamed = space.fixed.titles.includes(title);
      expect(names.has(name) || follows || isNamed, `${path}: ${name}`).toBe(true);
    }
    for (const part of machine.parts)
      for (const { spec, path: name, variable } of part.params) {
        if (variable || names.has(name) || spec.type === 'address' || spec.min === spec.max)
          continue;
        expect(space.fixed.titles, path).toContain(`${part.title}: ${spec.title}`);
      }
  }
});

test('a variable that only programs read, and that has no axis, is named as not tried', () => {
  const scenario = scenarioAt('scenarios/gt/double-buffer.json');
  expect(spaceOf(scenario, compiled(scenario)).fixed.titles).toContain('work per line');
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
  const { found, tried, of, alone, reports } = await searchFor(condition, until);
  expect(found).toBeNull();
  expect(alone).toBeGreaterThan(20);
  expect(tried).toBe(of);
  expect(reports.at(-1)).toEqual({ tried, of });
});

test('what no parameter does alone, two do', async () => {
  const { found } = await searchFor('cpu.lap_time > 400 ns and cpu.lap_time_1 > 2500 ns');
  expect(new Set(found?.settings.map(({ name }) => name)).size).toBe(2);
});

test('a cancelled search ends at once', async () => {
  const { found, tried, of } = await search('start/bus', 0, 0, AbortSignal.abort());
  expect(found).toBeNull();
  expect(tried).toBeLessThan(of);
});
