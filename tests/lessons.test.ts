/** Every scenario has a lesson, and what the lessons say of the runs is so. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseQuantity } from '../src/base/quantity.mjs';
import { createLocalEngine } from '../src/engine/inprocess';
import { paramAt, partNamed } from '../src/model/compile';
import {
  type Block,
  type Condition,
  type Inline,
  type Lesson,
  type LinkTarget,
  parseLesson,
  plainText,
} from '../src/model/lesson';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

const TRACE_LOG2 = 18;

const url = (path: string) => new URL(`../${path}`, import.meta.url);
const fileOf = (path: string, lesson: string) => `${dirname(path)}/${lesson}`;

const inlinesIn = (block: Block): readonly Inline[] =>
  block.kind === 'list' ? block.items.flat() : block.inlines;

/** All prose of a lesson, questions included. */
function proseOf(lesson: Lesson): Inline[] {
  return lesson.steps.flatMap(({ blocks, question }) => [
    ...blocks.flatMap(inlinesIn),
    ...(question?.prompt ?? []),
    ...(question?.options.flatMap((option) => option.inlines) ?? []),
    ...(question?.because ?? []),
  ]);
}

function linksOf(lesson: Lesson, kind: LinkTarget['kind']): string[] {
  return proseOf(lesson).flatMap((inline) =>
    inline.kind === 'link' && inline.to.kind === kind ? [inline.to.value] : [],
  );
}

describe.each(SCENARIOS)('the lesson of %s', (path) => {
  const scenario = scenarioAt(path);
  const machine = compiled(scenario);
  let lesson: Lesson;
  let counters: readonly Float64Array[];
  /** Times of all records, in picoseconds. */
  let moments: ReadonlySet<number>;

  beforeAll(async () => {
    lesson = parseLesson(readFileSync(url(fileOf(path, scenario.lesson ?? '')), 'utf8'));
    const engine = await createLocalEngine();
    const { config, untilPs } = compiled(scenario, { traceLog2: TRACE_LOG2 });
    await engine.open({ config, commands: [] });
    await engine.run({ untilPs });
    const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: 2 ** TRACE_LOG2 } });
    counters = frame.counters;
    moments = new Set(frame.trace?.timePs);
    engine.dispose();
  });

  /** Whether a condition of an option holds at the end of the run; throws if it names no counter. */
  function holds({ part, counter, operator, value }: Condition): boolean {
    const found = partNamed(machine, part);
    const index = found?.type.counters.findIndex(({ name }) => name === counter) ?? -1;
    const unit = found?.type.counters[index]?.unit;
    if (!found || index < 0) throw new Error(`There is no counter ${part}.${counter}.`);
    const is = counters[found.index]?.[index] ?? Number.NaN;
    const than = Number(parseQuantity(value, unit === 'ps' ? 'time' : 'count'));
    const order = { '<': is < than, '<=': is <= than, '=': is === than };
    return { ...order, '>': is > than, '>=': is >= than }[operator];
  }

  test('has the title of its scenario and two to seven steps, each with something to read', () => {
    expect(lesson.title).toBe(scenario.title);
    expect(lesson.steps.length).toBeGreaterThanOrEqual(2);
    expect(lesson.steps.length).toBeLessThanOrEqual(7);
    for (const { title, blocks } of lesson.steps) expect(blocks.length, title).toBeGreaterThan(0);
  });

  test('leaves no mark of the format in its text', () => {
    for (const inline of proseOf(lesson)) expect(inline.text).not.toMatch(/[{}*`#[\]]/);
  });

  test('links only to what exists', () => {
    expect(linksOf(lesson, 'nowhere')).toEqual([]);
    for (const name of linksOf(lesson, 'part'))
      expect(partNamed(machine, name), name).toBeDefined();
    for (const at of linksOf(lesson, 'param')) expect(paramAt(machine, at), at).toBeDefined();
    for (const id of linksOf(lesson, 'scenario'))
      expect(existsSync(url(`scenarios/${id}.json`)), id).toBe(true);
  });

  test('points at moments in which something happens', () => {
    for (const text of linksOf(lesson, 'time')) {
      const timePs = Number(parseQuantity(text, 'time'));
      expect(moments.has(timePs), text).toBe(true);
    }
  });

  test('asks two questions at most, and the run makes one answer of each right', () => {
    const questions = lesson.steps.flatMap(({ question }) => (question ? [question] : []));
    expect(questions.length).toBeLessThanOrEqual(2);
    for (const { prompt, options, because } of questions) {
      const right = options.filter(({ when }) => when.length > 0 && when.every(holds));
      expect(right, plainText(prompt)).toHaveLength(1);
      expect(options.length).toBeGreaterThanOrEqual(2);
      for (const { when } of options) expect(when.length, plainText(prompt)).toBeGreaterThan(0);
      expect(plainText(because)).not.toBe('');
    }
  });
});
