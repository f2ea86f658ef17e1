import { describe, expect, test } from 'vitest';
import { createLocalEngine } from '../../engine/inprocess';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import { metricValue, variablesAt } from '../scenario/experiment';
import { readScenario } from '../scenario/scenarios';
import { costsOf, lapsOf } from './time-breakdown';
import { createTrace } from './trace';

const scenario = await readScenario('gt/crossover');
if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
const { value } = scenario;

async function record(method: string, size: number) {
  const variables = variablesAt(value, { method, size });
  if (!variables.ok) throw new Error('There is no such point.');
  const machine = compile(value, { variables: variables.value });
  if (!machine.ok) throw new Error('The point does not compile.');
  const engine = await createLocalEngine();
  await engine.open({ config: machine.value.config, commands: [] });
  const { seq } = await engine.run({ untilPs: machine.value.untilPs });
  const trace = createTrace(machine.value);
  const { trace: chunk, counters } = await engine.frame({
    views: [],
    trace: { fromSeq: 1, max: seq },
  });
  if (chunk) trace.append(chunk);
  engine.dispose();
  return { machine: machine.value as CompiledMachine, trace, counters };
}

describe.each([
  ['pio_write', 'words'],
  ['pio_read', 'words'],
  ['dma_write', 'device'],
  ['dma_read', 'device'],
  ['memory_write', 'copy'],
] as const)('the costs of a lap of %s', (method, kind) => {
  test('add up to the lap, whose length equals the counters', async () => {
    const { machine, trace, counters } = await record(method, 512);
    const [lap] = lapsOf(trace);
    if (!lap) throw new Error('No lap was recorded.');
    const costs = costsOf(machine, trace, lap.from, lap.to);
    const sum = Object.values(costs.total).reduce((total, part) => total + part, 0);
    expect(sum).toBe(lap.to - lap.from);
    expect(costs.pieces[0]?.from).toBe(lap.from);
    expect(costs.pieces.at(-1)?.to).toBe(lap.to);
    costs.pieces.slice(1).forEach((piece, i) => {
      expect(piece.from).toBe(costs.pieces[i]?.to);
    });
    const metric = value.metrics.get('time');
    const perTransfer = metric && metricValue(metric, machine.variables, counters);
    expect(sum / Number(machine.variables.laps) / 1e6).toBeCloseTo(perTransfer ?? 0, 9);
    expect(costs.total[kind]).toBeGreaterThan(0);
  });
});

test('a processor that waits for a device is counted as idle', async () => {
  const { machine, trace, counters } = await record('dma_write', 4096);
  const [lap] = lapsOf(trace);
  if (!lap) throw new Error('No lap was recorded.');
  const costs = costsOf(machine, trace, lap.from, lap.to);
  const cpu = machine.parts.findIndex((part) => part.type.actor === 'cpu');
  const busy = machine.parts[cpu]?.type.counters.findIndex(
    (counter) => counter.name === 'lap_busy',
  );
  expect(costs.busyTime).toBe(counters[cpu]?.[busy ?? -1]);
  expect(costs.busyTime).toBeLessThan(lap.to - lap.from);
});
