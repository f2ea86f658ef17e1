/** Whatever numbers a recording holds, reading it ends: with a report, or with an error that names the line and the reason. */
import { describe, expect, test } from 'vitest';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { ReferenceTraceError, replayReferences } from '../src/model/coherence/reference-trace';
import { checkRecorded } from '../src/model/pools/map-contract';
import { readPattern } from '../src/model/pools/map-pattern';
import { MAP_POLICIES } from '../src/model/pools/map-policies';
import { replayMaps } from '../src/model/pools/map-replay';
import { runPattern } from '../src/model/pools/map-run';
import { sourceOf, TraceError } from '../src/model/pools/map-trace';

const module = await inlineChecks();
const source = (...lines: readonly string[]) =>
  sourceOf(new TextEncoder().encode(`${lines.join('\n')}\n`));

const INIT =
  '{"t":"init","num_entries":1024,"table_shift":12,"table_map_base":0,"npools":4,"large_pool":0,"lazy_flush":0,"seg_boundary":4294967295}';
const OPERATIONS = [
  '{"t":"a","c":0,"n":2,"o":0,"m":4294967295,"h":0,"r":0}',
  '{"t":"f","e":0,"n":2}',
  '{"t":"fa","d":4096,"n":2}',
];
const EVENTS = [
  'a-1 [000] 1.0: map: IOMMU: iova=0x1000 - 0x2000 paddr=0x1000 size=4096',
  'a-1 [000] 1.1: unmap: IOMMU: iova=0x1000 - 0x2000 size=4096 unmapped_size=4096',
];
const REFERENCES = ['0 1000 0', ' S 1000,4', ' M 1000,4'];

/** Some are whole pages, some not; some are exact as doubles, some are not; some are beyond 64 bits. */
const NUMBERS = [
  0n,
  1n << 20n,
  1n << 31n,
  (1n << 32n) - 1n,
  99_999_999_999_999n,
  1_000_000_000_000_000n,
  (1n << 53n) - 1n,
  1n << 62n,
  (1n << 64n) - 8192n,
  (1n << 64n) - 1n,
  1n << 70n,
];

/** The line with each of its numbers replaced in turn. */
function withNumbers(line: string): string[] {
  const places = [...line.matchAll(/(?<=[:=,] ?|0x|^\d )(?:[0-9a-f]+|\d+)\b(?![\d:\]])/g)];
  return places.flatMap(({ 0: old, index }) =>
    NUMBERS.map((number) => {
      const text = line.slice(index - 2, index) === '0x' ? number.toString(16) : String(number);
      return line.slice(0, index) + text + line.slice(index + old.length);
    }),
  );
}

function ends(work: () => unknown): 'ended' | 'refused' {
  try {
    work();
    return 'ended';
  } catch (error) {
    if (!(error instanceof TraceError || error instanceof ReferenceTraceError)) throw error;
    expect(error.line).toBeGreaterThan(0);
    expect(error.sentence).toMatch(/\.$/);
    return 'refused';
  }
}

const GEOMETRY = {
  entries: 1024,
  shift: 12,
  base: 0n,
  boundary: 0xffffffffn,
  pools: 4,
  multiplier: 0x9e370001,
};

function throughPolicies(lines: readonly string[], trace: boolean): void {
  const { steps } = readPattern(source(...lines), trace, 4096, 'pattern');
  runPattern(module, steps, MAP_POLICIES, GEOMETRY);
}

describe.each([
  ...OPERATIONS.map((line) => [line, true] as const),
  ...EVENTS.map((line) => [line, false] as const),
])('%s', (line, trace) => {
  const all = trace ? OPERATIONS : EVENTS;
  const at = all.indexOf(line);
  const files = withNumbers(line).map((changed) => [
    ...(trace ? [INIT] : []),
    ...all.slice(0, at),
    changed,
    ...all.slice(at),
  ]);

  test('is checked', () => {
    for (const lines of files) ends(() => checkRecorded(source(...lines), trace));
  });

  test('runs under every policy', () => {
    for (const lines of files) ends(() => throughPolicies(lines, trace));
  });

  test.runIf(trace)('is replayed', () => {
    for (const lines of files) ends(() => replayMaps(module, source(...lines)));
  });
});

test.each(REFERENCES)('%s plays through caches', (line) => {
  for (const changed of withNumbers(line))
    ends(() => replayReferences(module, { cpus: 1, params: {} }, source(line, changed)));
});

test('an allocation too large for its table is rejected with its line', () => {
  const pastDecision = '{"t":"a","c":0,"n":99999999999999,"r":0}';
  expect(() => checkRecorded(source(INIT, pastDecision), true)).toThrow(
    'Line 2: Allocations must be in the table: the sum of "r" and "n" is at most 1024, its "num_entries".',
  );
});

test('a mapping of a petabyte is tracked like any other', () => {
  const event =
    'a-1 [000] 1.0: map: IOMMU: iova=0x1000 - 0x2000 paddr=0x1000 size=1000000000000000';
  expect(checkRecorded(source(event), false)).toMatchObject({
    calls: 1,
    not_followed: 0,
    still_mapped: 1,
    findings: 0,
  });
});
