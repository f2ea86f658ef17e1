/** Every scenario has a lesson, and what the lessons say of the runs is so. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseQuantity } from '../src/base/quantity.mjs';
import { createLocalEngine } from '../src/engine/inprocess';
import { type CompiledMachine, paramAt, partNamed } from '../src/model/compile';
import { editableParam } from '../src/model/editable';
import {
  type Block,
  type Inline,
  type Lesson,
  type LinkTarget,
  parseLesson,
  plainText,
} from '../src/model/lesson';
import type { Scenario } from '../src/model/scenarioTypes';
import { verdict } from '../src/model/verdict';
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
  let scenario: Scenario;
  let machine: CompiledMachine;
  let lesson: Lesson;
  /** Counters of all parts at the end of the run, one after another. */
  let counters: readonly number[];
  /** Times of all records, in picoseconds. */
  let moments: ReadonlySet<number>;

  beforeAll(async () => {
    scenario = scenarioAt(path);
    machine = compiled(scenario, { traceLog2: TRACE_LOG2 });
    lesson = parseLesson(readFileSync(url(fileOf(path, scenario.lesson ?? '')), 'utf8'));
    const engine = await createLocalEngine();
    await engine.open({ config: machine.config, commands: [] });
    await engine.run({ untilPs: machine.untilPs });
    const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: 2 ** TRACE_LOG2 } });
    counters = frame.counters.flatMap((own) => [...own]);
    moments = new Set(frame.trace?.timePs);
    engine.dispose();
  });

  test('has the title of its scenario and at most seven steps, each with something to read', () => {
    expect(lesson.title).toBe(scenario.title);
    expect(lesson.steps).not.toEqual([]);
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

  test('shows parameters with the values they have', () => {
    for (const inline of proseOf(lesson)) {
      if (inline.kind !== 'link' || inline.to.kind !== 'param' || !/^\d/.test(inline.text))
        continue;
      const [name = ''] = inline.to.value.split('.');
      const [part, param] = [partNamed(machine, name), paramAt(machine, inline.to.value)];
      const shown = part && param ? editableParam(part, param) : null;
      if (shown?.kind !== 'number') throw new Error(`${inline.to.value} is not a number.`);
      const { value, decimals, unit } = shown;
      expect(inline.text, inline.to.value).toBe(`${value.toFixed(decimals)} ${unit}`.trim());
    }
  });

  test('points at moments in which something happens', () => {
    for (const text of linksOf(lesson, 'time')) {
      const timePs = Number(parseQuantity(text, 'time'));
      expect(moments.has(timePs), text).toBe(true);
    }
  });

  test('covers what there is, and shows answers where something happens', () => {
    for (const { question } of lesson.steps) {
      for (const name of question?.covers ?? []) {
        const [part = '', what] = name.split('.');
        const { type } = partNamed(machine, part) ?? {};
        const named = [...(type?.counters ?? []), ...(type?.views ?? [])].map((one) => one.name);
        expect(what === undefined ? [...scenario.metrics.keys()] : named, name).toContain(
          what ?? part,
        );
      }
      const { seen } = question ?? {};
      if (!seen) continue;
      expect(partNamed(machine, seen.part), seen.part).toBeDefined();
      expect(moments.has(Number(parseQuantity(seen.time, 'time'))), seen.time).toBe(true);
    }
  });

  test('asks two questions at most, and the run makes one answer of each right', () => {
    const questions = lesson.steps.flatMap(({ question }) => (question ? [question] : []));
    expect(questions.length).toBeLessThanOrEqual(2);
    for (const question of questions) {
      const { prompt, options, because } = question;
      const right = options.filter(
        (option) => verdict({ ...question, options: [option] }, machine, counters) === 0,
      );
      expect(right, plainText(prompt)).toHaveLength(1);
      expect(options.length).toBeGreaterThanOrEqual(2);
      for (const { when } of options) expect(when.length, plainText(prompt)).toBeGreaterThan(0);
      expect(plainText(because)).not.toBe('');
    }
  });
});
