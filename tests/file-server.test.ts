/** A file server with waiting clients: properties that hold for any costs, and the effect of changes. */
import { expect, test } from 'vitest';
import {
  responseChart,
  responseSentences,
  responseShapes,
} from '../src/draw/realtime/response-curves';
import {
  experimentChart,
  experimentSentences,
  experimentShapes,
} from '../src/draw/run/experiment-curves';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { startTable } from '../src/model/lab/run-table';
import { variablesAt } from '../src/model/scenario/experiment';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { compiled, scenarioAt } from './support/scenarios';

const code = await inlineCode();
const scenario = scenarioAt('scenarios/hp/clients.json');

/** A run of the file server, by part and counter. Its work is short to keep the run short. */
function served(at: Assignment, edits: Assignment = {}, of = scenario, end = 20_000_000_000) {
  const own: Assignment = of === scenario ? { clients: 24, machine: 'coherent' } : {};
  const variables = variablesAt(of, { ...own, ...at });
  if (!variables.ok) throw new Error(variables.problems[0]?.message);
  const settled = { settle: '5 ms', window: '14 ms' };
  const all = { ...variables.value, ...(of === scenario ? settled : {}) };
  const machine = compiled(of, { variables: all, edits, traceLog2: 0 });
  const core = new Core(code);
  core.open(machine.config);
  core.run(end, Number.POSITIVE_INFINITY);
  return (part: string, name: string): number => {
    const index = machine.parts.findIndex((one) => one.name === part);
    const counter = machine.parts[index]?.type.counters.findIndex((one) => one.name === name);
    return core.counters(index)[counter ?? -1] ?? Number.NaN;
  };
}

/** Mean number of requests under way, by what was counted of each. */
const underWay = (count: ReturnType<typeof served>) =>
  count('nfs', 'response') / count('nfs', 'counted');

const FAST = { 'nfs.disk_time': '500 us' };
/** As above, of a scenario whose settling is a parameter. */
const SETTLED = { ...FAST, 'nfs.settle': '5 ms' };

test('clients without think time always have a request outstanding', () => {
  const count = served({ clients: 24 }, FAST);
  expect(count('nfs', 'operations')).toBeGreaterThan(40);
  expect(underWay(count) / 24).toBeGreaterThan(0.85);
  expect(underWay(count) / 24).toBeLessThan(1.15);
  for (const cpu of ['cpu0', 'cpu1', 'cpu2', 'cpu3']) expect(count(cpu, 'refused')).toBe(0);
});

test('clients with think time have fewer outstanding requests, and send fewer', () => {
  const [always, seldom] = [served({}, FAST), served({}, { ...FAST, 'nfs.think': '10 ms' })];
  expect(seldom('nfs', 'requests')).toBeLessThan(0.7 * always('nfs', 'requests'));
  expect(underWay(seldom)).toBeLessThan(0.7 * underWay(always));
});

test('an operation reads a page, and three in ten write one, with eleven pairs of calls', () => {
  const count = served({ clients: 4 }, FAST);
  const taken = count('kernel', 'messages');
  expect(taken).toBeGreaterThan(20);
  expect(Math.abs(count('nfs', 'seeks') - 1.3 * taken)).toBeLessThan(8);
  expect(Math.abs(count('services', 'unmaps') - 11 * taken)).toBeLessThan(4 * 11);
});

test('one disk behind each interface is the limit, and its accesses wait for each other', () => {
  const count = served({}, { 'nfs.disks': 1, 'nfs.disk_time': '1 ms', 'nfs.spread': false });
  expect(count('nfs', 'seeks')).toBeGreaterThan(60);
  expect(count('nfs', 'seeks')).toBeLessThanOrEqual(4 * 20 + 4 * 33);
  expect(count('nfs', 'seek_wait')).toBeGreaterThan(count('nfs', 'seeks') * 1e9);
});

/** Long enough that chance moves operations by less than a twentieth. */
const LONGER = 60_000_000_000;

/** Operations and misses of the machine with one thing changed, in a tenth of the time. */
function changed(change: string, end?: number) {
  const count = served({ change }, SETTLED, scenarioAt('scenarios/hp/what-if.json'), end);
  return { count, done: count('nfs', 'operations') };
}

test('non-serving processors stay idle, and two that share an interface both serve', () => {
  const [one, eight] = [changed('one').count, changed('eight').count];
  for (const cpu of ['cpu1', 'cpu4', 'cpu7']) {
    expect(one(cpu, 'in_serve')).toBe(0);
    expect(eight(cpu, 'in_serve')).toBeGreaterThan(0);
    expect(eight(cpu, 'refused')).toBe(0);
  }
  expect(one('disk1', 'transfers')).toBe(0);
  expect(eight('adapter', 'faults')).toBe(0);
});

test('twice the processors do more, and a smaller TLB only misses more', () => {
  const [four, eight] = [changed('none'), changed('eight')];
  for (const { count } of [four, eight]) {
    const worked = count('nfs', 'instructions') / 29_782;
    expect(Math.abs(worked - count('kernel', 'messages'))).toBeLessThan(57);
  }
  expect(eight.done).toBeGreaterThan(1.2 * four.done);
  const [large, small] = [changed('none', LONGER), changed('rows16', LONGER)];
  expect(small.count('adapter', 'misses')).toBeGreaterThan(large.count('adapter', 'misses'));
  expect(small.done).toBeGreaterThan(0.95 * large.done);
  expect(four.count('adapter', 'prefetches')).toBeGreaterThan(0);
  expect(changed('no_prefetch').count('adapter', 'prefetches')).toBe(0);
});

test('without coherence lines are flushed and purged, with coherence none', () => {
  expect(served({ clients: 4 }, FAST)('services', 'synced')).toBe(0);
  const count = served({ clients: 4, machine: 'none' }, FAST);
  expect(count('services', 'synced')).toBeGreaterThan(400 * count('nfs', 'operations'));
});

test('curves have a point for each run that has ended, and the published ends at their number of clients', () => {
  const table = startTable(scenario);
  const rows = table.rows.map((row) => {
    const clients = Number(row.point.at.clients);
    const ended = row.point.at.machine !== 'none';
    return { ...row, values: ended ? [10 * clients, clients / 4, 50, 1] : row.values };
  });
  const chart = responseChart({ ...table, rows });
  if (!chart) throw new Error('There is no chart.');
  expect(chart.curves.map(({ title }) => title)).toEqual(['coherent', 'not coherent']);
  const [coherent, none] = chart.curves;
  expect(coherent?.points.map(({ clients }) => clients)).toEqual([8, 24, 48, 96, 151, 240]);
  expect(coherent?.points[0]).toMatchObject({ throughput: 80, response: 2 });
  expect(none?.points.every(({ throughput }) => throughput === null)).toBe(true);
  const published = (curve: typeof none) =>
    curve?.points.flatMap((one) => (one.published ? [[one.clients, one.published]] : []));
  expect(published(coherent)).toEqual([[151, { throughput: 4651, response: 32.4 }]]);
  expect(published(none)).toEqual([[151, { throughput: 4255, response: 36.1 }]]);
  const [first, last] = responseSentences(chart);
  expect(first).toMatch(/^coherent: from 80 operations per second and 2 ms each with 8 clients to/);
  expect(first).toMatch(
    /Published: 4\s651 operations per second and 32\.4 ms each, .* 151 clients\.$/,
  );
  expect(last).toBe('not coherent: not run yet.');
  const rings = responseShapes(chart, 600, 300).flatMap((one) =>
    one.kind === 'circle' && one.r > 5 ? [[one.x, one.y]] : [],
  );
  expect(rings).toHaveLength(2);
  expect(rings[0]?.[0]).toBeGreaterThan(rings[1]?.[0] ?? Number.POSITIVE_INFINITY);
  expect(rings[0]?.[1]).toBeGreaterThan(rings[1]?.[1] ?? Number.POSITIVE_INFINITY);
});

test('what-ifs are lines over a quantity, of otherwise equal runs, next to the published figures', () => {
  const table = startTable(scenarioAt('scenarios/hp/what-if.json'));
  const rows = table.rows.map((row, i) => ({ ...row, values: row.values.map(() => 100 + i) }));
  const [overRows, overProcessors] = table.scenario?.experiment?.curves ?? [];
  if (!overRows || !overProcessors) throw new Error('There are no curves.');
  for (const [set, fixed] of [
    [overRows, ['allocator', 'disks', 'processors', 'mode', 'hints']],
    [overProcessors, ['allocator', 'disks', 'rows', 'mode', 'hints']],
  ] as const) {
    const chart = experimentChart({ ...table, rows }, set, set.metric, { change: 'rows16' });
    for (const { points } of chart?.curves ?? [])
      for (const name of fixed)
        expect(new Set(points.map(({ variables }) => variables[name])).size).toBe(1);
  }
  const chart = experimentChart({ ...table, rows }, overProcessors, 'throughput', {
    change: 'eight',
  });
  if (!chart) throw new Error('There is no chart.');
  expect(chart.curves.map(({ points }) => points.map(({ x }) => x))).toEqual(
    Array.from({ length: 3 }, () => [1, 2, 4, 8]),
  );
  expect(chart.curves.map(({ points }) => points.map(({ published }) => published))).toEqual([
    [null, null, 4651, null],
    [null, null, 4255, null],
    [null, null, null, null],
  ]);
  const opened = chart.curves.flatMap(({ points }) => points.filter(({ open }) => open));
  expect(opened.map(({ variables }) => variables.change)).toEqual(['eight']);
  const { runs, shapes } = experimentShapes(chart, 500, 240);
  expect(runs).toHaveLength(12);
  expect(runs.every(({ at }) => at.x > 40 && at.x < 490 && at.y > 30 && at.y < 220)).toBe(true);
  const names = shapes.flatMap((one) => (one.kind === 'text' ? [one.text] : []));
  expect(names).toEqual(expect.arrayContaining(['not coherent', 'published', '1', '2', '4', '8']));
  expect(experimentSentences(chart)[0]).toMatch(
    /^coherent, operations per second over processors: from .* at 1 to .* at 8\. Published: .* at 4\.$/,
  );
});

test('identical lines are drawn once, with one label', () => {
  const table = startTable(scenarioAt('scenarios/hp/tlb-sweep.json'));
  const rows = table.rows.map((row) => ({ ...row, values: row.values.map(() => 1) }));
  const [set] = table.scenario?.experiment?.curves ?? [];
  const chart = set && experimentChart({ ...table, rows }, set, 'misses', {});
  if (!chart) throw new Error('There is no chart.');
  const strokes = (one: typeof chart) =>
    experimentShapes(one, 500, 240).shapes.filter(
      ({ kind, cls }) => kind === 'path' && cls === 'flow',
    );
  expect(strokes(chart)).toHaveLength(3 + 1);
  expect(experimentSentences(chart)[2]).toMatch(/: as .*bit 15\.$/);
  const [first, ...others] = chart.curves;
  const apart = others.map((curve) => ({
    ...curve,
    points: curve.points.map((point) => ({ ...point, y: 2 })),
  }));
  const curves = first ? [first, ...apart] : [];
  expect(strokes({ ...chart, curves })).toHaveLength(1 + 1);
});

/** Stale data in a run of the server without a coherent adapter, with its buffers tracked. */
function staleInNfs(edits: Assignment): number {
  const tracked = { 'memory.tracked_from': '0x1000000', 'memory.tracked': '1 MiB' };
  const nfs = scenarioAt('scenarios/hp/nfs.json');
  const count = served({ mode: 'none', operations: 8 }, { ...tracked, ...edits }, nfs, 20e9);
  const loads = ['cache0', 'cache1', 'cache2', 'cache3'].map((cache) =>
    count(cache, 'stale_reads'),
  );
  const all = [...loads, count('adapter', 'stale_reads'), count('memory', 'lost_updates')];
  return all.reduce((sum, one) => sum + one, 0);
}

test('flushes and purges instead of a coherent adapter leave no stale data, and it would be noticed', () => {
  expect(staleInNfs({})).toBe(0);
  expect(staleInNfs({ 'services.fault': 'first_sync_omitted' })).toBeGreaterThan(0);
});
