/** A reader's own recordings: recognized by what is in them, replayed, and refused with line and reason. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { filesUnder } from '../scripts/lib.mjs';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { MAP_POLICIES } from '../src/model/pools/map-policies';
import { sourceOf } from '../src/model/pools/map-trace';
import { recordingKind } from '../src/model/report/recording-kind';
import { type ReplayJob, replayRecording } from '../src/model/report/recording-replay';

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
