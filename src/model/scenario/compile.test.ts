import { describe, expect, test } from 'vitest';
import { type CompileOptions, compile } from './compile';
import { paramAt, shownValue } from './compiled';
import { compiled, FIXTURE, loaded } from './scenario.fixture';
import type { Scenario } from './scenario-types';
import { readScenario } from './scenarios';

const words = (bytes: Uint8Array) => [...new Uint32Array(bytes.slice().buffer)];

describe('a compiled session', () => {
  test('has the layout that the engine reads', () => {
    const machine = compiled(loaded(), { traceLog2: 0, seed: 2n ** 32n + 5n });
    const program = [2, 0, 0x1000, 0, 0x80000000, 0, 512, 0, 4, 0];
    const end = [0, 0, 0, 0, 0, 0, 0, 0, 4, 0];
    expect(words(machine.config)).toEqual([
      ...[0x44525942, 2, 0xfeed, 5, 1, 0, 3, 2],
      ...[0, 130_000, 0, 0, 0, 2, ...program, ...end],
      ...[0, 128_500, 0, 0, 0, 0],
      ...[1, 66_666_667, 0],
      ...[0, 0, 2, 0, 1, 0, 2, 1],
    ]);
    expect(machine.untilPs).toBe(1e9);
  });

  test('applies variables and edits, and keeps the original values', () => {
    const machine = compiled(loaded(), {
      variables: { method: 'dma_write', size: 64 },
      edits: { 'cpu.call': '2.4 us' },
    });
    expect(machine.parts[0]?.tables[0]?.[0]?.values.slice(0, 4)).toEqual([
      3n,
      0x1000n,
      0x80000000n,
      64n,
    ]);
    expect(paramAt(machine, 'cpu.call')).toMatchObject({
      value: 2_400_000n,
      original: 130_000n,
      edited: true,
      basis: 'measured',
    });
    expect(paramAt(machine, 'peer.call')).toMatchObject({ edited: false, source: 'rows 4 and 8' });
  });

  test('shows a written value as its control does', async () => {
    const read = await readScenario('hp/at-work');
    if (!read.ok) throw new Error(read.problems[0]?.message);
    const machine = compiled(read.value);
    expect(shownValue(machine, 'services.flush_out', false)).toBe('off');
    expect(shownValue(machine, 'services.flush_out', true)).toBe('on');
    expect(shownValue(machine, 'cpu0.clock', '120 MHz')).toBe('120 MHz');
    expect(shownValue(machine, 'services.mode', 'none')).toBe('not coherent');
    expect(shownValue(machine, 'gone.clock', '120 MHz')).toBe('120 MHz');
  });

  test('does not depend on earlier compilations of the scenario', () => {
    const calls: CompileOptions[] = [
      {},
      { edits: { 'cpu.call': '2.4 us' } },
      { edits: { 'cpu.call': '2.4 us' }, variables: { size: 64 } },
      { edits: { 'peer.call': '5 us', 'bus.clock': '33 MHz' } },
      { variables: { method: 'dma_write', size: 64 } },
      { variables: { method: 'dma_write', size: 63 } },
      { edits: { 'cpu.call': '1 s' } },
      { edits: { 'cpu.call': '1 s' }, variables: { method: 'no' } },
      { variables: { method: 'dma_write' } },
      {},
    ];
    const outcome = (scenario: Scenario, options: CompileOptions) => {
      const machine = compile(scenario, { ...options, catalogue: FIXTURE });
      if (!machine.ok) return machine.problems.map(({ pointer, message }) => [pointer, message]);
      const { config, parts } = machine.value;
      const changed = parts.flatMap(({ params }) => params.filter(({ edited }) => edited));
      return [[...config], changed.map(({ path }) => path)];
    };
    const again = loaded();
    for (const options of [...calls, ...calls.toReversed()])
      expect(outcome(again, options)).toEqual(outcome(loaded(), options));
  });

  test('separates the programs of threads by a row', () => {
    const scenario = loaded((file) => {
      file.workload.cpu = ['pio_write', [{ do: 'end' }], [{ do: 'thread' }, { do: 'end' }]];
      file.programs = { pio_write: file.programs.pio_write };
    });
    const rows = compiled(scenario).parts[0]?.tables[0]?.map((row) => Number(row.values[0]));
    expect(rows).toEqual([2, 0, 1, 0, 1, 0]);
  });

  test('leaves a part idle if its program has no rows', () => {
    const scenario = loaded((file) => {
      file.workload.cpu = [];
      file.programs = {};
    });
    const rows = compiled(scenario).parts[0]?.tables[0]?.map((row) => Number(row.values[0]));
    expect(rows).toEqual([0]);
  });

  test.each([
    [
      { edits: { 'cpu.call': '1 s' } },
      '/edits/cpu.call',
      '"per call" is at most 10 us; 1 s is outside.',
    ],
    [
      { edits: { 'cpu.cal': '1 s' } },
      '/edits/cpu.cal',
      '"cpu" has no parameter "cal"; did you mean "call"?',
    ],
    [
      { edits: { constructor: 1 } },
      '/edits/constructor',
      '"constructor" should be "part.parameter".',
    ],
    [
      { variables: { sise: 4 } },
      '/variables/sise',
      'There is no variable "sise"; did you mean "size"?',
    ],
    [
      { variables: { size: -1 } },
      '/programs/pio_write/0/bytes',
      '$size: "-1" is not a size, with one of the units B, KiB, MiB, GiB.',
    ],
  ])('refuses %j', (options, pointer, message) => {
    const result = compile(loaded(), { catalogue: FIXTURE, ...options });
    expect(!result.ok && result.problems[0]).toMatchObject({ pointer, message });
  });
});
