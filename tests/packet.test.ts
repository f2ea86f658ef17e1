/** The latency of a message between two cards: what each part of its way adds. */
import { expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { variablesAt } from '../src/model/scenario/experiment';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { compiled, scenarioAt } from './support/scenarios';

const code = await inlineCode();
const scenario = scenarioAt('scenarios/hp/packet.json');
const US = 1e6;

/** Messages that are timed: four, and their answers. */
const TIMED = 8;

function sent(at: Assignment, edits: Assignment = {}) {
  const variables = variablesAt(scenario, at);
  if (!variables.ok) throw new Error(variables.problems[0]?.message);
  const machine = compiled(scenario, { variables: variables.value, edits, traceLog2: 0 });
  const core = new Core(code);
  core.open(machine.config);
  core.run(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  const count = (part: string, name: string): number => {
    const index = machine.parts.findIndex((one) => one.name === part);
    const counter = machine.parts[index]?.type.counters.findIndex((one) => one.name === name);
    return core.counters(index)[counter ?? -1] ?? Number.NaN;
  };
  return { latency: count('cpu1', 'lap_time') / TIMED / US, count };
}

test('a slower link adds the time of the bits, and nothing else', () => {
  const at = { way: 'coherent', bytes: 4096 };
  const [fddi, half] = [sent(at), sent(at, { 'link.rate': '6.25 MB/s' })];
  const bits = (4096 + 28) / 12.5;
  expect(half.latency - fddi.latency).toBeGreaterThan(0.99 * bits);
  expect(half.latency - fddi.latency).toBeLessThan(1.01 * bits);
  expect(half.count('link', 'frames')).toBe(10);
});

test('no lines are flushed or purged where the adapter is coherent, and that is what it saves', () => {
  const [flushed, coherent] = [
    sent({ way: 'straight', bytes: 4096 }),
    sent({ way: 'coherent', bytes: 4096 }),
  ];
  const orders = (run: ReturnType<typeof sent>) =>
    run.count('cpu1', 'orders') + run.count('cpu2', 'orders');
  expect([orders(flushed), orders(coherent)]).toEqual([10 * 3 * 128, 0]);
  const order = flushed.count('cpu1', 'in_order') / flushed.count('cpu1', 'orders') / US;
  const saved = flushed.latency - coherent.latency;
  expect(saved).toBeGreaterThan(2 * 128 * order);
  expect(saved).toBeLessThan(4 * 128 * order);
});

test('a short message takes tens of microseconds only past the protocols', () => {
  expect(sent({ way: 'copied', bytes: 64 }).latency).toBeGreaterThan(100);
  expect(sent({ way: 'coherent', bytes: 64 }).latency).toBeGreaterThan(100);
  expect(sent({ way: 'bypass', bytes: 64 }).latency).toBeLessThan(100);
  expect(sent({ way: 'fibre', bytes: 4096 }).latency).toBeGreaterThan(100);
});
