/** What more buses bring, and what more senders cost. Nobody published these figures, so they are held here. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { runAll } from '../src/model/report/run-all';
import { metricValue } from '../src/model/scenario/experiment';
import { lineOf } from '../src/model/scenario/problems';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { scenarioAt } from './support/scenarios';

let engine: Engine;
beforeAll(async () => {
  engine = await createLocalEngine();
});
afterAll(() => engine.dispose());

/** A metric of each of these runs. */
async function measured(id: string, name: string, points: readonly Assignment[]) {
  const scenario = scenarioAt(`scenarios/${id}.json`);
  const runs = await runAll(engine, scenario, points);
  if (!runs.ok) throw new Error(runs.problems.map(lineOf).join('\n'));
  const metric = scenario.metrics.get(name);
  return runs.value.map((run) =>
    metric && run ? metricValue(metric, run.variables, run.counters) : null,
  );
}

/** The limit of an HSC bus: 32 B in nine cycles of 40 MHz, in MB/s. */
const LINES = 32 / (9 / 40);

test('disks on HSC buses of their own write at the limit of each bus, and lose a part of it when they read', async () => {
  const runs = ['write_1', 'write_2', 'write_4', 'read_1', 'read_4'].map((run) => ({ run }));
  const rates = await measured('hp/several-buses', 'rate', runs);
  const [one = 0, two = 0, four = 0, reads = 0, fourRead = 0] = rates.map(Number);
  for (const each of [one, two / 2, four / 4]) expect(each / LINES).toBeCloseTo(1, 2);
  expect(fourRead / (4 * reads)).toBeGreaterThan(0.75);
  expect(fourRead / (4 * reads)).toBeLessThan(0.95);
});

test('64 threads that all send fill the link with sixteen pools, but not with one', async () => {
  const points = [
    { pools: 16, scope: 'outside' },
    { pools: 1, scope: 'outside' },
    { pools: 1, scope: 'unmap_inside' },
  ];
  const [sixteen, one, before] = await measured('pools/all-send', 'throughput', points);
  expect(sixteen).toBeCloseTo(9.41, 1);
  expect(one).toBeCloseTo(5.2, 1);
  expect(before).toBeCloseTo(1.5, 1);
});
