import { expect, test } from 'vitest';
import { startTable } from './run-table';
import { readScenario } from './scenarios';

test('a table of runs has a row for each point and what was published beside it', async () => {
  const scenario = await readScenario('gt/gfixit');
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  const { rows, metrics } = startTable(scenario.value);
  expect(rows.map((row) => row.titles[0])).toEqual([
    'as written',
    'as rewritten',
    "skip one's own segment",
    'one PIO read',
    'fifteen DMA reads',
  ]);
  const time = metrics.findIndex((metric) => metric.name === 'time');
  expect(rows.map((row) => row.published[time]?.value)).toEqual([
    46.875,
    7.811,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a scenario without an experiment has no table', async () => {
  const scenario = await readScenario('gt/one-word');
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  expect(startTable(scenario.value).rows).toEqual([]);
});
