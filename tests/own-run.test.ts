/** Questions with settings of their own: the other run stays sealed until it is answered. */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { lessonRun } from '../src/model/lesson/check-run';
import { exclusionPs, fairShare } from '../src/model/lesson/exclusion';
import { settingsOf } from '../src/model/lesson/judge';
import { parseLesson } from '../src/model/lesson/lesson';
import { decidedPs, guessEndPs, momentOfDecision, sealOfStep } from '../src/model/lesson/moment';
import { machineWith } from '../src/model/scenario/settings';
import { SCENARIOS, scenarioAt } from './support/scenarios';

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

const lessonOf = (path: string) => {
  const file = path.replace(/json$/, 'md');
  return existsSync(file) ? parseLesson(readFileSync(file, 'utf8')).steps : [];
};

const withOwnRuns = SCENARIOS.filter((path) =>
  lessonOf(path).some(({ question }) => question !== null && question.set !== null),
);

test.each(withOwnRuns)('%s', async (path) => {
  const steps = lessonOf(path);
  for (const [at, step] of steps.entries()) {
    const { question } = step;
    if (!question || question.set === null) continue;
    const machine = machineWith(scenarioAt(path), [settingsOf(question)]);
    if (!machine.ok) throw new Error(question.set);
    const { counters, endPs, find } = await lessonRun(engine, machine.value, []);
    const run = { machine: machine.value, counters, endPs, find };
    const decided = await decidedPs(question, run);
    const sealed = await momentOfDecision(steps, at, run, (one) => one !== question);
    expect(sealed, question.id).toBeLessThan(decided);
    for (const option of question.options)
      expect((await guessEndPs(step, option, run)) ?? 0).toBeLessThan(decided);
  }
});

/** The run of a scenario as it opens, and its lesson. */
async function opened(id: string) {
  const path = `scenarios/${id}.json`;
  const machine = machineWith(scenarioAt(path), []);
  if (!machine.ok) throw new Error(path);
  const { counters, endPs, find } = await lessonRun(engine, machine.value, []);
  return { steps: lessonOf(path), run: { machine: machine.value, counters, endPs, find } };
}

test('a count is sealed from where the step has led, before its events can be counted', async () => {
  const { steps, run } = await opened('start/waiting');
  expect(await sealOfStep(steps, 1, run, () => false)).toBe(1_937_600);
});

test('a count of the first step is sealed half of the way to the first event that an option excludes', async () => {
  const { steps, run } = await opened('hp/works-here');
  const question = steps[0]?.question;
  if (!question) throw new Error('It asks nothing.');
  const excluded = await exclusionPs(question, run);
  expect(excluded).toBe(49_491_666);
  expect(await sealOfStep(steps, 0, run, () => false)).toBe(Math.floor(excluded / 2));
});

test('a rate that tells a few from a thousand is sealed earlier', async () => {
  const { steps, run } = await opened('pools/lazy-flush');
  const question = steps[0]?.question;
  if (!question) throw new Error('It asks nothing.');
  // Fewer than 10 flushes, or more than 1000: after one in 244 of the run there would be none, or four.
  expect(fairShare(question, run)).toBeCloseTo((4 * 1001) / (1001 - 9) ** 2, 9);
  expect(await sealOfStep(steps, 0, run, () => false)).toBeLessThan(run.endPs / 200);
});
