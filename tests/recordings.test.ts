/** A reader's own recordings: recognized by what is in them, replayed, and refused with line and reason. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { filesUnder } from '../scripts/lib.mjs';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { createLocalEngine } from '../src/engine/inprocess';
import { MAP_POLICIES } from '../src/model/pools/map-policies';
import { sourceOf } from '../src/model/pools/map-trace';
import { recordingKind } from '../src/model/report/recording-kind';
import { type ReplayJob, replayRecording } from '../src/model/report/recording-replay';
import {
  changeAt,
  countHits,
  matching,
  nextHit,
  signalQuery,
  signalValue,
  spansIn,
  valueText,
} from '../src/model/report/signals';
import { metricValue, pointsOf } from '../src/model/scenario/experiment';
import { MAX_FILE_BYTES } from '../src/model/scenario/json-text';
import { compiled, scenarioFrom } from './support/scenarios';

const module = await inlineChecks();
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const dataOf = (path: string): Uint8Array => readFileSync(new URL(`data/${path}`, import.meta.url));

const DIN = '# two processors\n0 1000 0\n1 1000 1\n0 1004 0\n2 400 0\n';
const LACKEY =
  '==7== Lackey, an example Valgrind tool\nI  04000000,3\n L 1ffefffe18,8\n S 1ffefffe20,4\n';

describe('a file is recognized by its contents', () => {
  const traces = filesUnder('tests/data/maps').filter((path) => path.endsWith('.jsonl'));
  const recorded = filesUnder('tests/data/field').filter(
    (path) => /\.(txt|gz)$/.test(path) && !/r2_din_size|t19_utf16/.test(path),
  );
  test.each([
    ...traces.map((path) => [path, 'allocator']),
    ...recorded.map((path) => [path, 'mappings']),
    ['tests/data/maps/nic.ftrace', 'mappings'],
    ['tests/data/field/r2_din_size.txt', 'references'],
  ])('%s: %s', (path = '', kind = '') => {
    const bytes = dataOf(path.replace('tests/data/', ''));
    expect(recordingKind(bytes)).toBe(kind);
    if (!path.endsWith('.gz')) expect(recordingKind(gzipSync(bytes))).toBe(kind);
  });

  test.each([
    ['din', DIN, 'references'],
    ['lackey', LACKEY, 'references'],
    ['VCD', '$date today $end\n$timescale 1ps $end\n', 'waves'],
    ['a scenario', '{ "busyard": 1 }', null],
    ['a table of gttp', 'SIZE pio_read\n4 1.2\n8 2.3\n', null],
    ['a lesson', '# Title\n\n## One\n\nA map: it shows the way.\n', null],
    ['a letter', 'Dear map: unmapped, I remain.\n', null],
    ['a picture', '\x89PNG\r\n\x1a\n\0\0\0', null],
    ['nothing', '', null],
  ])('%s', (_, text, kind) => {
    expect(recordingKind(bytesOf(text))).toBe(kind);
  });

  test('a binary form says how to make a text of it', () => {
    expect(() => recordingKind(bytesOf('PERFILE2...'))).toThrow(/perf script/);
  });
});

const replay = (bytes: Uint8Array, job: ReplayJob) => {
  const result = replayRecording(module, job, () => sourceOf(bytes));
  if (!result.ok) return result.problems.map(({ line, message }) => `${line}: ${message}`);
  return result.value;
};

const TABLE = { pools: null, entries: null };

describe('a recording is replayed', () => {
  test('an allocator trace answers as recorded, and its pattern runs with every policy', () => {
    const bytes = dataOf('maps/t03_np4_spill.jsonl');
    const found = replay(bytes, { kind: 'allocator', name: 'x', ...TABLE });
    expect(found).toMatchObject({
      compared: { mismatches: 0, complete: true },
      contract: { findings: 0 },
    });
    const policies = 'policies' in found ? found.policies : [];
    expect(policies.map(({ policy }) => policy)).toEqual(MAP_POLICIES.map(({ name }) => name));
    const small = replay(bytes, { kind: 'allocator', name: 'x', pools: 1, entries: 1024 });
    expect('policies' in small && small.policies[2]).toMatchObject({ pools: 1 });
  });

  test('mappings of Linux are checked against the contract, by line', () => {
    const found = replay(dataOf('field/t1_fault_after_unmap.txt'), {
      kind: 'mappings',
      name: 'x',
      ...TABLE,
    });
    expect(found).toMatchObject({ compared: null, contract: { after_unmaps: 1 } });
  });

  test('references go through caches of each size', () => {
    const caches = ['64 B', '16 KiB'].map((size) => ({ size, line: '32 B' }));
    const found = replay(bytesOf(DIN), { kind: 'references', name: 'x', cpus: 2, caches });
    expect(found).toMatchObject({
      reports: [
        { loads: 2, stores: 1, instructions: 1 },
        { loads: 2, stores: 1, misses: 3, copies: expect.any(Number) },
      ],
    });
  });

  test.each<[string, string, ReplayJob, RegExp]>([
    [
      'din',
      `${DIN}0 xyz\n`,
      { kind: 'references', name: 'x', cpus: 2, caches: [{}] },
      /^6: a hexadecimal address/,
    ],
    [
      'more processors',
      DIN,
      { kind: 'references', name: 'x', cpus: 1, caches: [{}] },
      /^3: there is no processor 1/,
    ],
    [
      'a trace',
      '{"t":"init"}\n',
      { kind: 'allocator', name: 'x', ...TABLE },
      /^1: "\w+" should be/,
    ],
    ['mappings', '# tracer: nop\n', { kind: 'mappings', name: 'x', ...TABLE }, /^\d+: \S/],
  ])('%s that cannot be read is refused with line and reason', (_, text, job, reason) => {
    expect(replay(bytesOf(text), job)).toEqual([expect.stringMatching(reason)]);
  });
});

/** The metrics of the first run of a recording that is opened as a scenario, and its title and text. */
async function openedRun(bytes: Uint8Array, run: ReplayJob) {
  const found = replay(bytes, run);
  if (!('text' in found)) throw new Error(JSON.stringify(found));
  const scenario = scenarioFrom(found.text, 'recording');
  const machine = compiled(scenario);
  const engine = await createLocalEngine();
  let counters: readonly ArrayLike<number>[] = [];
  const job = {
    sessions: [{ config: machine.config, commands: [] }],
    limit: { untilPs: machine.untilPs },
  };
  await engine.sweep(job, (point) => {
    counters = point.counters;
  });
  engine.dispose();
  const metrics = [...scenario.metrics.values()].map((metric) => [
    metric.name,
    metricValue(metric, machine.variables, counters),
  ]);
  const points = pointsOf(scenario).length;
  return { ...found, points, metrics: Object.fromEntries(metrics) };
}

const RUN = { kind: 'run', from: 1, of: 'mappings', name: 'x', isTrace: false, ...TABLE } as const;

describe('a recording is followed as a run', () => {
  test('an allocator trace ends as recorded: failures, entries, locks and flushes', async () => {
    const bytes = dataOf('maps/t13a_np16_nondivisible.jsonl');
    const last = JSON.parse(new TextDecoder().decode(bytes).trim().split('\n').at(-1) ?? '');
    const run = await openedRun(bytes, { ...RUN, isTrace: true });
    const locks = last.acq.reduce((sum: number, one: number) => sum + one, 0);
    expect(run).toMatchObject({ steps: last.ops, cut: false, points: 1 + MAP_POLICIES.length });
    expect(run.metrics).toMatchObject({
      ...{ failed: last.fails, used: last.pop, locks, flushes: last.fl },
    });
  });

  test('of a long recording its beginning', () => {
    const events = Array.from(
      { length: 9000 },
      (_, i) =>
        `  nic-7 [00${i % 2}] .... ${i}.0: ${i % 4 < 2 ? '' : 'un'}map: IOMMU: iova=0x${(i % 2) + 1}000 - 0x${(i % 2) + 2}000${i % 4 < 2 ? ' paddr=0x5000' : ''} size=4096${i % 4 < 2 ? '' : ' unmapped_size=4096'}`,
    );
    const found = replay(bytesOf(events.join('\n')), RUN);
    expect(found).toMatchObject({
      cut: true,
      text: expect.stringMatching(/The first \d.\d+ operations of x/),
    });
    expect('text' in found && found.text.length).toBeLessThan(MAX_FILE_BYTES);
  });

  test('from a later operation on, with what was mapped then, and its notes', () => {
    const line = (cpu: number, at: number, page: number) =>
      `  nic-7 [${String(cpu).padStart(3, '0')}] .... ${at}.0: map: IOMMU: iova=0x${page}000 - 0x${page + 1}000 paddr=0x5000 size=4096`;
    const text = Array.from({ length: 20 }, (_, i) => line(i, i, i + 1)).join('\n');
    const found = replay(bytesOf(text), { ...RUN, from: 19 });
    expect(found).toMatchObject({
      steps: 2,
      notes: [
        expect.stringMatching(/^Left out before that: 18.operations; .*: 18.mappings$/),
        expect.stringMatching(/^20.processors recorded; the run has 16, so 4.do the work/),
      ],
      text: expect.stringContaining('From number 19 on, 2 operations of x'),
    });
    expect(replay(bytesOf(text), { ...RUN, from: 40 })).toEqual([
      '1: The recording has 20 operations, so none is number 40.',
    ]);
    const two = [line(3, 0, 1), line(19, 1, 2)].join('\n');
    expect(replay(bytesOf(two), RUN)).toMatchObject({
      notes: ['Processors have other numbers here: 19 is 0'],
    });
  });

  test('without masks and alignments, which is said', () => {
    const text =
      '{"t":"init","name":"m","num_entries":256,"table_shift":13,"table_map_base":0,"npools":4,"large_pool":0,"lazy_flush":0,"skip_span":0,"seg_boundary":null,"hash_mult":"0x9e370001","cpu_hash":[0]}\n{"t":"layout","nr_pools":4,"poolsize":64,"pools":[[0,63],[64,127],[128,191],[192,255]],"large":null}\n{"t":"a","c":0,"n":2,"o":2,"r":0,"p":0,"l":1,"f":0}\n{"t":"a","c":0,"n":1,"r":2,"p":0,"l":1,"f":0}\n';
    const note = expect.stringMatching(/^1.request had a mask or an alignment; here/);
    expect(replay(bytesOf(text), { ...RUN, isTrace: true })).toMatchObject({
      steps: 2,
      notes: [note],
    });
    const all = replay(bytesOf(text), { kind: 'allocator', name: 'x', ...TABLE });
    expect(all).toMatchObject({ lacks: [note] });
  });

  test('references find their lines in the caches', async () => {
    const job = { kind: 'run', from: 1, of: 'references', name: 'x', cpus: 2 } as const;
    const caches = { sizes: ['16 KiB', '64 KiB'], ways: '1', line: '32 B' };
    const text = `${DIN}0 1008 0\n1 7fff00001008 1\n0 7fff0000100c 1\n`;
    const run = await openedRun(bytesOf(text), { ...job, ...caches });
    expect(run).toMatchObject({ steps: 6, points: 2 });
    // A dirty line comes from the other cache; the line beyond the machine's memory is one, too.
    expect(run.metrics).toMatchObject({ copies: 1 });
    expect(run.metrics.misses).toBeCloseTo(100 * (4 / 6));
  });
});

describe('signals are read', () => {
  const waves = (text: string) => replay(bytesOf(text), { kind: 'waves', name: 'x' });
  const HEAD = '$timescale 1 ns $end $scope module bus $end $var wire 1 ! irq $end\n';
  const BODY = '$var wire 8 " AD [7:0] $end $upscope $end\n$enddefinitions $end\n';

  test('with their scopes, values and times, whatever the lines', () => {
    const found = waves(
      `${HEAD}${BODY}#0 $dumpvars 0! bx " $end\n#5\n1!\nb1010 "\n#7 1! b10 "\n#9\n`,
    );
    if (!('signals' in found)) throw new Error(JSON.stringify(found));
    expect(found).toMatchObject({ endPs: 9000, changes: 5, cut: false });
    const [irq, data] = found.signals;
    if (!irq || !data) throw new Error('There are two signals.');
    expect([irq.name, data.name, data.bits]).toEqual(['bus.irq', 'bus.AD[7:0]', 8]);
    expect([...irq.times]).toEqual([0, 5000]);
    expect(valueText(data, signalValue(data, changeAt(data, 6000)))).toBe('0xa');
    const query = signalQuery('ad=0x2');
    expect(countHits(found.signals, query)).toBe(1);
    expect(nextHit(matching(found.signals, query), query, 0, 1)).toBe(7000);
    expect(nextHit([irq], signalQuery('irq'), 5000, -1)).toBe(0);
    const shown = spansIn(data, { from: 0, to: 9000 }, found.endPs, 100);
    expect(shown.map(({ value }) => value)).toEqual(['x', '1010', '10']);
    // What lies closer than can be drawn is one bar.
    expect(spansIn(data, { from: 0, to: 9000 }, 9000, 3)).toMatchObject([
      { to: 5000 },
      { value: null },
    ]);
  });

  test.each([
    [`${HEAD}${BODY}#5 1?`, '4: No signal has the code "?".'],
    [`${HEAD}${BODY}#5\n#4`, '5: Time goes back here, to #4.'],
    ['$timescale 1 h $end', /^1: A time scale is/],
    [HEAD, /^2: The file ends before/],
  ])('%s is refused with line and reason', (text, reason) => {
    expect(waves(text)).toEqual([
      typeof reason === 'string' ? reason : expect.stringMatching(reason),
    ]);
  });
});
