/** Statements of the GT card's paper beyond its table, confirmed by runs. */
import { describe, expect, test } from 'vitest';
import { createLocalEngine } from '../src/engine/inprocess';
import { runAll } from '../src/model/report/run-all';
import { metricValue } from '../src/model/scenario/experiment';
import type { Assignment, Edits } from '../src/model/scenario/scenario-types';
import { readScenario } from '../src/model/scenario/scenarios';

/** Values of one metric at several points of a scenario. */
async function measure(
  id: string,
  metric: string,
  points: readonly Assignment[],
  edits: Edits = {},
): Promise<number[]> {
  const scenario = await readScenario(id);
  if (!scenario.ok) throw new Error(scenario.problems[0]?.message);
  const engine = await createLocalEngine();
  const runs = await runAll(engine, scenario.value, points, { edits });
  if (!runs.ok) throw new Error(runs.problems[0]?.message);
  const found = scenario.value.metrics.get(metric);
  return runs.value.map((run) =>
    run && found ? (metricValue(found, run.variables, run.counters) ?? Number.NaN) : Number.NaN,
  );
}

const sizes = (method: string, values: readonly number[]) =>
  values.map((size) => ({ method, size }));
const time = (method: string, values: readonly number[], edits?: Edits) =>
  measure('gt/crossover', 'time', sizes(method, values), edits);

describe('programmed I/O', () => {
  test('a longer posting buffer does not make the card accept words faster', async () => {
    const [usual] = await time('pio_write', [4096]);
    const [deep] = await time('pio_write', [4096], { 'bridge.posts': '64' });
    expect(deep).toBeCloseTo(usual ?? 0, 1);
  });

  test('a store costs the processor little until the posting buffer is full', async () => {
    const [one, two, many] = await time('pio_write', [4, 8, 64]);
    expect((two ?? 0) - (one ?? 0)).toBeLessThan(0.02);
    expect((many ?? 0) / 16).toBeGreaterThan(0.06);
  });

  test('reading takes a round trip for each word, several times as long as writing', async () => {
    const [write] = await time('pio_write', [1024]);
    const [read] = await time('pio_read', [1024]);
    expect((read ?? 0) / (write ?? 1)).toBeGreaterThan(5);
  });
});

describe('DMA', () => {
  test('the processor is free while a long transfer moves', async () => {
    const [whole] = await measure('gt/crossover', 'time', sizes('dma_write', [65536]));
    const [busy] = await measure('gt/crossover', 'cpu_time', sizes('dma_write', [65536]));
    expect((busy ?? 0) / (whole ?? 1)).toBeLessThan(0.05);
  });

  test('without driver costs DMA would pay at every size', async () => {
    const edits = {
      'driver.api_time': '0 ps',
      'driver.setup_time': '0 ps',
      'driver.return_time': '0 ps',
      'driver.finish_write': '0 ps',
      'driver.poll_interval': '1 ns',
      'gt.start': '0 ps',
    };
    const [dma] = await time('dma_write', [64], edits);
    const [before] = await time('dma_write', [64]);
    expect(dma ?? 9).toBeLessThan((before ?? 0) / 5);
  });

  test('both engines at once are slower than each alone and faster than one after the other', async () => {
    const [write, both] = await measure('gt/two-engines', 'write', [
      { work: 'write' },
      { work: 'both' },
    ]);
    const [read] = await measure('gt/two-engines', 'read', [{ work: 'read' }]);
    const [together] = await measure('gt/two-engines', 'together', [{ work: 'both' }]);
    expect(together).toBeGreaterThan(100);
    expect(both).toBeGreaterThan(write ?? 0);
    expect(both).toBeLessThan(((write ?? 0) + (read ?? 0)) * 1.1);
  });

  test('two threads and two buffers beat one thread that waits', async () => {
    const [inTurn, two] = await measure('gt/double-buffer', 'block', [
      { way: 'in_turn' },
      { way: 'two_threads' },
    ]);
    expect(two ?? 0).toBeLessThan((inTurn ?? 0) * 0.95);
  });
});

describe('memory copies', () => {
  test('the knee is where source and destination together exceed the cache', async () => {
    const rate = (values: readonly number[], edits?: Edits) =>
      measure('gt/crossover', 'throughput', sizes('memory_write', values), edits);
    const [fits, full, over] = await rate([262144, 524288, 1048576]);
    expect(full ?? 0).toBeGreaterThan((fits ?? 0) * 0.95);
    expect(over ?? 0).toBeLessThan((fits ?? 0) / 2);
    const [small] = await rate([524288], { 'cache.size': '512 KiB' });
    expect(small ?? 0).toBeLessThan((fits ?? 0) / 2);
  });
});

describe('the ring', () => {
  test('a read is stale until the write has travelled around the ring, and not after', async () => {
    const early = ['0 ps', '2 us', '6 us'].map((pause) => ({ pause }));
    const late = ['8 us', '10 us'].map((pause) => ({ pause }));
    expect(await measure('gt/read-back', 'stale', early)).toEqual([3, 3, 3]);
    expect(await measure('gt/read-back', 'stale', late)).toEqual([0, 0]);
    expect(await measure('gt/read-back', 'stale', early, { 'ring.nodes': '2' })).toEqual([3, 0, 0]);
  });

  test('traffic of other nodes slows writes, not reads', async () => {
    const at = (method: string, load: string) => ({ method, load, size: 4096 });
    const rates = (method: string) =>
      measure('gt/under-load', 'throughput', [at(method, 'none'), at(method, 'ring')]);
    const [write, loadedWrite] = await rates('dma_write');
    const [read, loadedRead] = await rates('dma_read');
    expect(loadedWrite ?? 0).toBeLessThan((write ?? 0) / 4);
    expect(loadedRead).toBeCloseTo(read ?? 0, 6);
  });

  test('a byte changed by DMA can lose what another node wrote; a stored byte cannot', async () => {
    const [dma, pio] = await measure('gt/set-byte', 'lost', [{ way: 'dma' }, { way: 'pio' }]);
    expect(dma).toBeGreaterThan(0);
    expect(pio).toBe(0);
  });
});

test('a second bus master that writes to the card directly halves the bytes on the bus', async () => {
  const [host, straight] = await measure('gt/peer-to-peer', 'bus', [
    { way: 'by_host' },
    { way: 'straight' },
  ]);
  expect(straight).toBe(16 * 4096);
  expect((host ?? 0) / (straight ?? 1)).toBeCloseTo(2, 2);
});
