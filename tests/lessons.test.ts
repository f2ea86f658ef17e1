/** Every scenario has a lesson, and its statements about runs are true: `busyard lesson` reports no problem. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { checkLesson } from '../src/model/lesson/check';
import { type Decided, unevenPositions } from '../src/model/lesson/positions';
import { unboundIn } from '../src/model/lesson/unbound';
import { lineOf } from '../src/model/scenario/problems';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

const known = SCENARIOS.map((path) => path.replace(/^scenarios\//, '').replace(/\.json$/, ''));

const decided: Decided[] = [];
const unbound: string[] = [];

test.each(SCENARIOS)('the lesson of %s is correct', async (path) => {
  const scenario = scenarioAt(path);
  const file = `${dirname(path)}/${scenario.lesson}`;
  const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const machine = compiled(scenario);
  const context = { scenario, machine, known, onDecided: (one: Decided) => decided.push(one) };
  for (const { number } of unboundIn(text, scenario, machine)) unbound.push(`${file}: ${number}\n`);
  expect((await checkLesson(engine, { text, file }, context)).map(lineOf)).toEqual([]);
});

test('each wrong option has a hint for its belief', () => {
  const unhinted = decided.flatMap(({ question: { options, prompt }, right }) =>
    options.filter(({ hint }, index) => hint.length > 0 === (index === right)).map(() => prompt),
  );
  expect(unhinted).toEqual([]);
});

test('no question is answered by the position of an option', () => {
  expect(decided.length).toBeGreaterThan(100);
  expect(unevenPositions(decided)).toEqual([]);
});

test('numbers with units come from a run, an input or a named source', async () => {
  await expect(unbound.join('')).toMatchFileSnapshot('data/unbound-numbers.txt');
});
