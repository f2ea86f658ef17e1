/** Lines that a bridge fetches for devices, one by one: as many as the bridge counts, with the fate of each. */
import { describe, expect, test } from 'vitest';
import {
  lineAt,
  lineSentence,
  prefetchFateAt,
  prefetchModel,
  prefetchShapes,
  prefetchTotals,
  totalSentence,
} from '../src/draw/run/prefetch';
import { Core } from '../src/engine/core';
import { shapesOf } from '../src/engine/engine-code';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { PART_TYPES } from '../src/engine/gen/layout';
import { fetchingPart, PrefetchLog } from '../src/model/coherence/prefetch';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { createTrace } from '../src/model/trace/trace';
import { compiled, SCENARIOS, scenarioAt } from './support/scenarios';

const code = { module: await inlineChecks(), parts: shapesOf(PART_TYPES) };
const ALL = Number.POSITIVE_INFINITY;

function run(path: string, variables: Assignment = {}) {
  const machine = compiled(scenarioAt(path), { variables });
  const part = fetchingPart(machine);
  if (!part) return null;
  const core = new Core(code);
  core.open(machine.config);
  core.run(machine.untilPs, 40_000);
  const trace = createTrace(machine);
  trace.append(core.trace(1, 1 << 17));
  expect(trace.first, 'the record is whole').toBe(1);
  const log = new PrefetchLog(trace, machine, part);
  while (!log.update());
  const counter = (name: string): number =>
    core.counters(part.index)[part.type.counters.findIndex((one) => one.name === name)] ?? -1;
  return { machine, lines: log.lines, fastest: log.fastest, counter };
}

function must(path: string, variables?: Assignment) {
  const made = run(path, variables);
  if (!made) throw new Error(`Nothing is fetched ahead in ${path}.`);
  return made;
}

const OTHERS: readonly (readonly [string, Assignment])[] = [
  ['scenarios/zx1/lines-ahead.json', { depth: 3 }],
  ['scenarios/zx1/loaded.json', { depth: 3, piece: '256 B', count: 512 }],
];
const RUNS = [
  ...SCENARIOS.filter(
    (path) => path.includes('/zx1/') && fetchingPart(compiled(scenarioAt(path))) !== null,
  ).map((path) => [path, {}] as const),
  ...OTHERS,
];

test.each(RUNS)('%s %j: lines fetched and wasted agree with the bridge’s counters', (path, at) => {
  const { lines, counter } = must(path, at);
  expect(lines.length).toBe(counter('fetched'));
  expect(lines.filter(({ left, used }) => left !== null && !used).length).toBe(counter('wasted'));
});

describe('three lines ahead of a storage adapter', () => {
  const { machine, lines, fastest } = must('scenarios/zx1/lines-ahead.json', { depth: 3 });
  const [device = null] = new Set(lines.map((line) => line.device));
  const devices = [{ part: device, title: 'Storage adapter', actor: 'disk' }];

  test('are requested with the first, for the reading device, and one in four is needed', () => {
    expect(machine.parts[device ?? -1]?.title).toBe('Storage adapter');
    expect(lines.slice(0, 5).map(({ isDemanded }) => isDemanded)).toEqual([
      true,
      false,
      false,
      false,
      true,
    ]);
    expect(new Set(lines.slice(0, 4).map(({ requestedPs }) => requestedPs)).size).toBe(1);
    expect(lines.slice(0, 4).map((line) => line.address - (lines[0]?.address ?? 0))).toEqual([
      0, 128, 256, 384,
    ]);
  });

  // 240 ns each latency of rope and adapters, 110 ns of memory, and the header and 128 bytes on the rope.
  test('take at least both crossings and the memory latency', () => {
    expect(fastest).toBeGreaterThan(590_000);
    for (const { requestedPs, here, left } of lines.slice(0, 40)) {
      expect(here).toBeGreaterThan(requestedPs);
      expect(left).toBeGreaterThanOrEqual(here ?? ALL);
    }
  });

  test('are shown in flight, then in the bridge, then used', () => {
    const [line] = lines;
    if (!line) throw new Error('nothing');
    const { requestedPs, here, left } = line;
    const fates = [requestedPs, here ?? 0, (left ?? 0) - 1, left ?? 0].map((ps) =>
      prefetchFateAt(line, ps),
    );
    expect(fates).toEqual(['flight', 'held', 'held', 'used']);
    expect(lineSentence(line, requestedPs, 'Disk')).toMatch(
      /^Line 0x100000, demanded by Disk: .*in flight\.$/,
    );
    expect(lineSentence(line, ALL, 'Disk')).toMatch(/arrived after .*, used .* later\.$/);
  });

  test('add up by device at the playhead, and nothing after it is shown', () => {
    const [total] = prefetchTotals(lines, devices, lines[0]?.requestedPs ?? 0);
    expect(total).toMatchObject({ fetched: 4, ahead: 3, used: 0, flight: 4, latency: null });
    const [end] = prefetchTotals(lines, devices, ALL);
    expect(end).toMatchObject({ fetched: 1024, used: 1024, wasted: 0, flight: 0 });
    expect(end && totalSentence(end)).toContain('1\u202f024\u00a0lines fetched');
  });

  test('are in four lanes of one band, and are found under a point', () => {
    const window = { from: 0, to: 14 * fastest };
    const input = { lines: lines.slice(0, 20), devices, window, left: 96, width: 600 };
    const model = prefetchModel({ ...input, room: 90 });
    expect(new Set(model.placed.map(({ y }) => y)).size).toBe(4);
    const [first] = model.placed;
    expect(first && lineAt(model, first.x + 1, first.y + 1)).toBe(0);
    expect(lineAt(model, 5, 5)).toBeNull();
    const early = prefetchShapes(model, lines[0]?.requestedPs ?? 0);
    const all = prefetchShapes(model, ALL);
    const flying = (shapes: typeof all) => shapes.filter(({ cls }) => cls.includes('st-flight'));
    expect(flying(early)).toHaveLength(4);
    expect(flying(all)).toHaveLength(20);
    expect(prefetchModel({ ...input, room: 800 }).bar).toBeGreaterThan(model.bar);
  });
});

test('prefetched lines of a completed read are crossed out', () => {
  const { lines } = must('scenarios/zx1/loaded.json', { depth: 3, piece: '256 B', count: 512 });
  const [device = null] = new Set(lines.map((line) => line.device));
  const devices = [{ part: device, title: 'Adapter', actor: 'disk' }];
  const window = { from: 0, to: 20e6 };
  const input = { lines: lines.slice(0, 8), devices, window, left: 96, width: 600, room: 150 };
  const crosses = prefetchShapes(prefetchModel(input), ALL).filter(({ cls }) =>
    cls.includes('waste'),
  );
  expect(crosses).toHaveLength(4);
});

test('split reads prefetch nothing, and machines without such a bridge lack the panel', () => {
  expect(run('scenarios/zx1/pcix.json')).toBeNull();
  expect(run('scenarios/hp/lan-buffers.json')).toBeNull();
});
