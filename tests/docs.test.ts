/** What the documents show as an example works. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pointsOf } from '../src/model/experiment';
import { loadScenario } from '../src/model/scenario';
import { compiled } from './support/scenarios';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

test('the example of the scenario format is a scenario', () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(read('docs/scenario-format.md')) ?? [];
  const machines = new Map([['gt-system-a', read('scenarios/machines/gt-system-a.json')]]);
  const loaded = loadScenario(example, { machines });
  expect(loaded.ok ? [] : loaded.problems).toEqual([]);
  if (!loaded.ok) return;
  expect(pointsOf(loaded.value)).toHaveLength(8);
  expect(compiled(loaded.value).config.length).toBeGreaterThan(0);
});
