/** The engine's allocator gives the same answers as the published code and as an independent implementation. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesUnder } from '../scripts/lib.mjs';
import { inlineChecks } from '../src/engine/engine-code-inline';
import type { PatternStep } from '../src/model/pools/map-owners';
import { readPattern } from '../src/model/pools/map-pattern';
import { MAP_POLICIES } from '../src/model/pools/map-policies';
import { replayMaps } from '../src/model/pools/map-replay';
import { longestFree, type MapRunReport, runPattern } from '../src/model/pools/map-run';
import { type ByteSource, sourceOf } from '../src/model/pools/map-trace';
import { asFile, Dice, randomShape, randomTrace } from './support/map-traces';

const module = await inlineChecks();
const replayBytes = (bytes: Uint8Array) => replayMaps(module, sourceOf(bytes));
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url));
const TRACES = filesUnder('tests/data/maps').filter((path) => path.endsWith('.jsonl'));
const spill = read('tests/data/maps/t03_np4_spill.jsonl');

/** The file with one line changed. */
function changed(bytes: Uint8Array, line: number, change: (text: string) => string): Uint8Array {
  const lines = new TextDecoder().decode(bytes).split('\n');
  lines[line - 1] = change(lines[line - 1] ?? '');
  return new TextEncoder().encode(lines.join('\n'));
}

describe('recorded runs', () => {
  test.each(TRACES)('%s', (path) => {
    const bytes = read(path);
    const report = replayBytes(bytes);
    expect(report.first_mismatch).toBeNull();
    expect(report.mismatches).toBe(0);
    expect(report.complete).toBe(true);
    const text = new TextDecoder().decode(bytes);
    expect(report.operations).toBe(text.match(/^\{"t":"(a|f|fa)"/gm)?.length);
    expect(report.checkpoints).toBe(text.match(/^\{"t":"s"/gm)?.length ?? 0);
  });
});

describe('random runs, answered by the reference', () => {
  test.each(Array.from({ length: 400 }, (_, seed) => seed))('number %i', (seed) => {
    const dice = new Dice(seed);
    const shape = randomShape(dice, 500);
    const report = replayBytes(asFile(randomTrace(shape, dice, `random ${seed}`)));
    expect(report.first_mismatch).toBeNull();
    expect(report).toMatchObject({ operations: 500, complete: true });
  });

  test('of 256K entries', () => {
    const setup = {
      ...{ entries: 262144, shift: 13, base: 0x80000000, pools: 16 },
      ...{ large: false, lazy: true, skipSpan: false, segment: null },
    };
    const dice = new Dice(2015);
    const shape = {
      ...{ setup, cpus: 10, operations: 2500, pages: 700 },
      ...{ orders: true, masks: false, handles: false, checkpoints: 500, freeing: 13 },
    };
    const report = replayBytes(asFile(randomTrace(shape, dice)));
    expect(report.first_mismatch).toBeNull();
    expect(report.failures).toBeGreaterThan(0);
  });
});

describe('a mismatch', () => {
  const line = 5;
  test.each([
    ['r', (text: string) => text.replace('"r":3', '"r":4'), 3],
    ['p', (text: string) => text.replace('"p":0', '"p":2'), 1],
    ['l', (text: string) => text.replace('"l":1', '"l":2'), 1],
    ['f', (text: string) => text.replace('"f":0', '"f":7'), 1],
  ])('of "%s" is reported in full', (field, change) => {
    const report = replayBytes(changed(spill, line, change));
    expect(report.mismatches).toBe(1);
    expect(report.first_mismatch).toMatchObject({ line, operation: 3, field });
    expect(report.first_mismatch?.answer).toEqual({ r: 3, p: 0, l: 1, f: 0 });
    expect(JSON.parse(report.first_mismatch?.text ?? '')).toHaveProperty('t', 'a');
  });

  test.each([
    'nr_pools',
    'poolsize',
    'pools',
    'ops',
    'fails',
    'pop',
    'crc',
    'fl',
    'nf',
    'hints',
    'acq',
  ])('of "%s" is found', (field) => {
    const lines = new TextDecoder().decode(spill).trimEnd().split('\n');
    const at = lines.findLastIndex((text) => text.includes(`"${field}"`));
    const bytes = changed(spill, at + 1, (text) =>
      JSON.stringify({ ...JSON.parse(text), [field]: 'other' }),
    );
    const { mismatches, first_mismatch } = replayBytes(bytes);
    expect(mismatches).toBe(1);
    expect(first_mismatch).toMatchObject({ line: at + 1, field, expected: 'other' });
  });

  test('in a changed input shows up later', () => {
    const bytes = changed(spill, line, (text) => text.replace('"n":3', '"n":4'));
    expect(replayBytes(bytes).mismatches).toBeGreaterThan(10);
  });
});

describe('files', () => {
  const init = new TextDecoder().decode(spill).split('\n')[0];
  const replay = (...lines: string[]) => replayBytes(new TextEncoder().encode(lines.join('\n')));

  test('operations can have spaces, any field order, and carriage returns', () => {
    const report = replay(
      `${init}\r`,
      '{ "n": 2, "t": "a", "c": 0, "r": 0, "p": 0, "l": 1, "f": 0 }\r',
      '{"t":"a","c":0,"n":2,"r":2,"p":0,"l":1,"f":0}\r',
      '',
      '{"t": "f", "e": 0, "n": 2, "p": 0}',
    );
    expect(report).toMatchObject({ operations: 3, mismatches: 0, compared: 9, complete: false });
  });

  test('a mask of all ones is exact', () => {
    const report = replay(init ?? '', '{"t":"a","c":0,"n":1,"m":18446744073709551615,"r":0,"l":1}');
    expect(report.mismatches).toBe(0);
  });

  test('a mask too large for a double is that of its line only', () => {
    const all = '{"t":"a","c":0,"n":1,"m":18446744073709551615,"r":0,"l":1}';
    const low = '{"t":"a","c":1,"n":1,"m":20,"r":1,"p":3,"l":1}';
    const report = replay(
      (init ?? '').replace(/"cpu_hash":\[[^\]]*\]/, '"cpu_hash":[0,3]'),
      all,
      low,
    );
    expect(report.first_mismatch).toBeNull();
  });

  test('a file in small pieces is read like one in a single piece', () => {
    let at = 0;
    const piecewise: ByteSource = {
      read(into) {
        const piece = spill.subarray(at, at + Math.min(into.length, 1 + (at % 97)));
        into.set(piece);
        at += piece.length;
        return piece.length;
      },
    };
    expect(replayMaps(module, piecewise)).toEqual(replayBytes(spill));
  });

  test('a line longer than the buffer is read whole', () => {
    const long = `{"t":"init","desc":"${'x'.repeat(3 << 20)}","num_entries":64,"table_shift":13,"npools":1}`;
    const report = replay(long, '{"t":"a","c":0,"n":1,"r":0}');
    expect(report).toMatchObject({ operations: 1, compared: 1, mismatches: 0 });
  });

  test('an invalid table is reported with its line', () => {
    const bad = '{"t":"init","num_entries":64,"table_shift":13,"npools":17}';
    expect(() => replay(bad)).toThrow(/^Line 1: "npools" should be a whole number from 0 to 16/);
  });

  test.each([
    ['no init', '{"t":"a","c":0,"n":1}'],
    ['not JSON', 'map me'],
  ])('%s is refused', (_, text) => {
    expect(() => replay(text)).toThrow(/^Line 1: /);
  });

  test.each([
    ['"n" is missing', '{"t":"a","c":0}'],
    ['no line of the kind "x"', '{"t":"x"}'],
    ['"n" should be a whole number', '{"t":"a","c":0,"n":"two"}'],
    ['The kernel itself would stop here', '{"t":"f","e":256,"n":1}'],
    ['not JSON', '{"t":"a",'],
  ])('%s', (sentence, text) => {
    expect(() => replay(init ?? '', text)).toThrow(`Line 2: `);
    expect(() => replay(init ?? '', text)).toThrow(sentence);
  });

  test('seventeen pools are rejected', () => {
    expect(() => replay((init ?? '').replace('"npools":4', '"npools":17'))).toThrow(/from 0 to 16/);
  });
});

describe('policies', () => {
  const geometry = {
    entries: 1024,
    shift: 12,
    base: 0n,
    boundary: 0xffffffffn,
    pools: 4,
    multiplier: 0x9e370001,
  };
  const LARGE = 'tests/data/maps/t06_np4_large_threshold.jsonl';
  const pattern = readPattern(sourceOf(read(LARGE)), true, 4096, 't06');
  const ran = new Map<string, MapRunReport>(
    runPattern(module, pattern.steps, MAP_POLICIES, geometry).map((one) => [one.policy, one]),
  );
  const report = (name: string) => ran.get(name) as MapRunReport;

  test.each(MAP_POLICIES.map(({ name }) => name))(
    '%s frees everything that it allocated',
    (name) => {
      const { in_use, failures, serves, longest_free } = report(name);
      expect(in_use).toBeGreaterThan(0);
      expect(failures).toBeLessThan(report('large-pool').failures + 20);
      expect(serves.at(0)?.pools).toBe(longest_free.filter((run) => run > 0).length);
    },
  );

  test('behind long-lived mappings next fit reads two words where first fit reads them all', () => {
    const step = (kind: PatternStep['kind'], id: number) => ({
      kind,
      id,
      cpu: 0,
      pages: 1,
      from: 0,
    });
    const steps = Array.from({ length: 512 }, (_, id) => step('take', id));
    for (let id = 512; id < 1100; id++) steps.push(step('take', id), step('give', id));
    const [first, next] = runPattern(module, steps, MAP_POLICIES, geometry);
    expect(first?.acquisitions).toEqual([1688]);
    expect(first?.words.p99).toBe(10);
    expect(next?.words).toMatchObject({ p99: 2, most: 10 });
  });

  test('lazy flushing reuses entries without a flush until it is fixed', () => {
    expect(report('lazy-flush').reused_without_flush).toBeGreaterThan(0);
    expect(report('lazy-flush-mended').reused_without_flush).toBe(0);
    expect(report('lazy-flush-mended').flushes).toBeGreaterThan(report('lazy-flush').flushes);
  });

  test('its own policy reproduces the recorded run', () => {
    const { operations, failures } = replayBytes(read(LARGE));
    expect(report('large-pool')).toMatchObject({ operations, failures, skipped: 0, in_use: 17 });
  });
});

describe('a pattern from ftrace text', () => {
  const pattern = readPattern(sourceOf(read('tests/data/maps/nic.ftrace')), false, 4096, 'nic');
  const nic = [...pattern.steps];

  test('joins the pieces of a scattered list, and unmaps them as one', () => {
    expect(pattern.source).toBe('ftrace');
    expect(nic.slice(0, 3)).toEqual([
      { kind: 'take', id: 0, cpu: 3, pages: 1, from: 0 },
      { kind: 'take', id: 1, cpu: 3, pages: 3, from: 0 },
      { kind: 'give', id: 0, cpu: 3, pages: 1, from: 0 },
    ]);
    expect(pattern.leftOut()).toBe(1);
  });

  test('two devices at the same address each unmap their own mappings', () => {
    const event = (kind: string) =>
      `x-1 [000] d..1. 1.0: ${kind}: IOMMU: iova=0x1000 - 0x2000 paddr=0x0 size=4096 unmapped_size=4096\n`;
    const other = 'x-1 [001] d..1. 1.0: sched_wakeup: comm=x\n';
    const text = [event('map'), other, event('map'), event('unmap'), event('unmap')].join('');
    const source = sourceOf(new TextEncoder().encode(text));
    const steps = [...readPattern(source, false, 4096, 'two').steps];
    expect(steps.map(({ kind, id }) => [kind, id])).toEqual([
      ['take', 0],
      ['take', 1],
      ['give', 1],
      ['give', 0],
    ]);
  });

  test('runs through every policy and leaves nothing mapped that was unmapped', () => {
    const geometry = {
      entries: 4096,
      shift: 12,
      base: 0n,
      boundary: 0xffffffffn,
      pools: 16,
      multiplier: 0x61c88647,
    };
    for (const report of runPattern(module, nic, MAP_POLICIES, geometry)) {
      const { in_use, failures, most_in_use } = report;
      expect({ in_use, failures, most_in_use }).toEqual({ in_use: 2, failures: 0, most_in_use: 8 });
    }
  });
});

test('the longest run of clear bits', () => {
  const bits = Uint32Array.of(0xf000_000f, 0, 0x8000_0000);
  expect(longestFree(bits, 0, 96)).toBe(63);
  expect(longestFree(bits, 0, 60)).toBe(28);
  expect(longestFree(bits, 33, 40)).toBe(7);
  expect(longestFree(bits, 0, 4)).toBe(0);
});
