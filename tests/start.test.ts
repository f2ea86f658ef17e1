/**
 * The introduction: lessons without prerequisites, each leading to the next. Their statements are tested like those
 * of all lessons.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Inline, parseLesson } from '../src/model/lesson/lesson';
import { listScenarios } from '../src/model/scenario/scenarios';
import { compiled, scenarioAt } from './support/scenarios';

const path = listScenarios().filter(({ system, kind }) => system === 'start' && kind !== 'sandbox');
const fileOf = (id: string, ending: string) => `scenarios/${id}.${ending}`;
const lessonOf = (id: string) =>
  parseLesson(readFileSync(new URL(`../${fileOf(id, 'md')}`, import.meta.url), 'utf8'));

const leadsTo = (inlines: readonly Inline[]): string[] =>
  inlines.flatMap((one) => (one.kind === 'link' && one.to.kind === 'scenario' ? one.to.value : []));

test('five lessons follow each other, from what a bus is to stale data', () => {
  expect(path.map(({ title }) => title)).toEqual([
    'What a bus is',
    'Asking or being told',
    'Two ways to copy',
    'An address of its own',
    'Why data gets old',
  ]);
});

test.each(path.map(({ id }, index) => [id, path[index + 1]?.id]))(
  '%s asks twice, sums up, and leads to %s',
  (id, next) => {
    const { steps } = lessonOf(id);
    expect(steps.filter(({ question }) => question)).toHaveLength(2);
    const last = steps.at(-1);
    expect(last?.title).toBe('What you can say now');
    const end = last?.blocks.at(-1);
    const links = end?.kind === 'paragraph' ? leadsTo(end.inlines) : [];
    if (next) expect(links).toEqual([next]);
    else expect(links.length).toBeGreaterThan(1);
  },
);

const partsOf = (id: string) => compiled(scenarioAt(fileOf(id, 'json'))).parts;

test.each(path.slice(0, -1).map(({ id }) => id))(
  '%s runs on one processor with one device',
  (id) => {
    const types = partsOf(id).map(({ type }) => type.name);
    const count = (...names: string[]) => types.filter((type) => names.includes(type)).length;
    expect(count('processor')).toBe(1);
    expect(count('gt', 'dma_device')).toBe(1);
    expect(types.length).toBeLessThanOrEqual(8);
  },
);

test('the last runs on the machine of the sandbox, to which it leads', () => {
  const machine = (id: string) =>
    partsOf(id).map(({ name, type, title }) => [name, type.name, title]);
  expect(machine(path.at(-1)?.id ?? '')).toEqual(machine('start/poke'));
});

test.each(path.map(({ id }) => [id, scenarioAt(fileOf(id, 'json')).view.panels]))(
  '%s shows no signals, hashes or VCD at first: %j',
  (_, panels) => {
    for (const panel of panels ?? ['all']) expect(['runs', 'io-tlb']).toContain(panel);
  },
);
