/** What devices of the HP machine cost: the latency of a message between two cards, and a processor's time for PIO. */
import { expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { variablesAt } from '../src/model/scenario/experiment';
import type { Assignment, Scenario } from '../src/model/scenario/scenario-types';
import { compiled, scenarioAt } from './support/scenarios';

const code = await inlineCode();
const packet = scenarioAt('scenarios/hp/packet.json');
const withoutDma = scenarioAt('scenarios/hp/without-dma.json');
const scatterGather = scenarioAt('scenarios/hp/scatter-gather.json');
const physicalRange = scenarioAt('scenarios/hp/physical-range.json');
const US = 1e6;

/** Messages that are timed: four, and their answers. */
const TIMED = 8;

function run(scenario: Scenario, at: Assignment, edits: Assignment = {}) {
  const variables = variablesAt(scenario, at);
  if (!variables.ok) throw new Error(variables.problems[0]?.message);
  const machine = compiled(scenario, { variables: variables.value, edits, traceLog2: 0 });
  const core = new Core(code);
  core.open(machine.config);
  core.run(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  return (part: string, name: string): number => {
    const index = machine.parts.findIndex((one) => one.name === part);
    const counter = machine.parts[index]?.type.counters.findIndex((one) => one.name === name);
    return core.counters(index)[counter ?? -1] ?? Number.NaN;
  };
}

function sent(at: Assignment, edits: Assignment = {}) {
  const count = run(packet, at, edits);
  return { latency: count('cpu1', 'lap_time') / TIMED / US, count };
}

test('a slower link adds the time of the bits, and nothing else', () => {
  const at = { way: 'coherent', bytes: 4096 };
  const [fddi, half] = [sent(at), sent(at, { 'link.rate': '6.25 MB/s' })];
  const bits = (4096 + 28) / 12.5;
  expect(half.latency - fddi.latency).toBeCloseTo(bits, 0);
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

test('devices without DMA need no translation, and a processor for all that they move', () => {
  const [serial, frames, disk] = ['serial', 'frames', 'disk'].map((way) =>
    run(withoutDma, { way }),
  );
  expect(serial?.('adapter', 'lookups')).toBe(0);
  expect(serial?.('serial', 'taken')).toBe(64);
  expect(frames?.('adapter', 'lookups')).toBe(0);
  expect(frames?.('frames', 'stores')).toBe(1024);
  expect(frames?.('cpu1', 'lap_busy')).toBe(frames?.('cpu1', 'lap_time'));
  expect(disk?.('adapter', 'lookups')).toBe(128);
  expect(disk?.('cpu0', 'lap_busy')).toBeLessThan(0.5 * (disk?.('cpu0', 'lap_time') ?? 0));
});

test('an interrupt for several characters costs less, and loses some when the program comes late', () => {
  const busy = (way: string) => run(withoutDma, { way })('cpu1', 'lap_busy');
  expect(busy('serial_8')).toBeLessThan(busy('serial') / 4);
  const interrupts = (way: string) => run(withoutDma, { way })('serial', 'interrupts');
  expect([interrupts('serial'), interrupts('serial_8')]).toEqual([64, 8]);
  const fast = { 'serial.interval': '700 ns', 'serial.trigger': 14 };
  expect(run(withoutDma, { way: 'serial' }, fast)('serial', 'lost')).toBeGreaterThan(0);
});

test('eight pages under one address take fewer instructions than a list of pages, and a copy takes longest', () => {
  const [remap, list, copy] = ['remap', 'list', 'copy'].map((way) => run(scatterGather, { way }));
  const busy = (count: typeof remap) => count?.('cpu1', 'lap_busy') ?? Number.NaN;
  expect(busy(remap)).toBeLessThan(0.6 * busy(list));
  expect(busy(list)).toBeLessThan(0.1 * busy(copy));
  expect([remap?.('services', 'maps'), list?.('services', 'maps')]).toEqual([1, 9]);
  for (const count of [remap, list, copy]) {
    expect(count?.('adapter', 'stale_reads')).toBe(0);
    expect(count?.('disk', 'bytes_read')).toBe(32768 + (count === list ? 64 : 0));
  }
});

test('a buffer given by its physical address is coherent where software uses that address, and only there', () => {
  const stale = (type: number, offset: string) => {
    const count = run(physicalRange, { type, offset });
    return [count('adapter', 'stale_reads'), count('cache1', 'stale_reads')];
  };
  expect(stale(0, '0x45000')).toEqual([0, 0]);
  expect(stale(128, '0x45000')).toEqual([64, 64]);
  expect(stale(0, '0x0')).toEqual([0, 0]);
  expect(stale(128, '0x0')).toEqual([0, 0]);
});
