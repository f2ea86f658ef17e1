/** A file with many errors is refused with the first of them; only those are formatted. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as suggest from '../../base/suggest';
import { JsonText } from './json-text';
import { type File, load, scenarioFile } from './scenario.fixture';

afterEach(() => vi.restoreAllMocks());

const numbered = (count: number, make: (i: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, make(i)]));

const changed = (change: (file: File) => void) => {
  const file = scenarioFile();
  change(file);
  return JSON.stringify(file);
};

describe.each<[string, string]>([
  [
    'unknown keys',
    changed((file) =>
      Object.assign(
        file,
        numbered(20_000, () => 0),
      ),
    ),
  ],
  [
    'values of the wrong type',
    changed((file) => Object.assign(file, { variables: numbered(20_000, () => []) })),
  ],
  ['keys written twice', `{${'"a":1,'.repeat(40_000)}"a":1}`],
  [
    'parts of unknown types',
    changed((file) =>
      Object.assign(file.machine, { parts: numbered(8_000, () => ({ type: 'wrker' })) }),
    ),
  ],
  [
    'work for unknown parts',
    changed((file) => Object.assign(file, { workload: numbered(8_000, (i) => `p${i}`) })),
  ],
  [
    'rows with unknown fields',
    changed((file) =>
      Object.assign(file.programs, { pio_write: Array(9_000).fill({ do: 'pio_write', sice: 1 }) }),
    ),
  ],
  [
    'unknown parameters',
    changed((file) =>
      Object.assign(file.machine, { parts: { cpu: { params: numbered(9_000, () => 1) } } }),
    ),
  ],
])('%s', (_, text) => {
  test('are reported up to a limit of twenty, and only those are formatted', () => {
    const places = vi.spyOn(JsonText.prototype, 'problem');
    const hints = vi.spyOn(suggest, 'hint');
    const result = load(text);
    expect(result.ok ? [] : result.problems).toHaveLength(20);
    expect(places.mock.calls.length).toBeLessThanOrEqual(20);
    expect(hints.mock.calls.length).toBeLessThanOrEqual(20);
  });
});

test('programs count once per thread, before they are joined', () => {
  const result = load(
    changed((file) => {
      file.programs = { long: Array(9_000).fill({ do: 'end' }) };
      file.workload = { cpu: Array(60).fill('long') };
    }),
  );
  expect(result.ok ? [] : result.problems.map(({ message }) => message)).toContain(
    'The programs of all threads together have at most 50000 rows.',
  );
});

test('the rows compiled for an experiment are limited', () => {
  const result = load(
    changed((file) => {
      file.programs.pio_write = Array(3_000).fill({ do: 'end' });
      const sizes = Array.from({ length: 100 }, (_, i) => 4 * i + 4);
      file.experiment.axes = { size: sizes, method: ['pio_write', 'dma_write'] };
    }),
  );
  expect(result.ok ? [] : result.problems).toMatchObject([
    {
      pointer: '/experiment',
      message:
        'Points times rows are at most 200000; the 200 points of this experiment run 3000 rows each.',
    },
  ]);
});
