import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadScenario } from './load';
import { FIXTURE, type File, load, loaded, MACHINE, scenarioFile } from './scenario.fixture';

/**
 * Loads the fixture with one change.
 * @returns its problems, as "pointer: message"
 */
function refused(change: (file: File) => void): string[] {
  const file = scenarioFile();
  change(file);
  const result = load(file);
  return result.ok ? [] : result.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
}

const row = (fields: object) => (file: File) => {
  file.programs.pio_write = [{ do: 'pio_write', ...fields }];
};

describe('a scenario', () => {
  test('extends a machine and changes the parts that it names', () => {
    const scenario = loaded((file) => {
      file.machine.parts = { cpu: { params: { call: '200 ns' } }, peer: null };
    });
    expect(scenario.machine.parts.map((part) => part.name)).toEqual(['cpu', 'bus']);
    expect(scenario.machine.parts[0]?.params.get('call')).toMatchObject({
      value: '200 ns',
      basis: 'calibrated',
    });
    expect(scenario.machine.wires).toHaveLength(1);
  });

  test('keeps the basis and source of a value in the machine', () => {
    const [cpu] = loaded().machine.parts;
    expect(cpu?.params.get('call')).toMatchObject({ basis: 'measured', source: 'row 4' });
  });

  test('assigns wires without an index to the first free place of a port', () => {
    const slots = (wires: string[][]) =>
      loaded((file) => {
        file.machine = { ...JSON.parse(MACHINE), wires };
        for (const key of ['busyard', 'title']) delete file.machine[key];
      }).machine.wires.map((wire) => wire.ends[1].slot);
    expect(
      slots([
        ['cpu.bus', 'bus.slot'],
        ['peer.bus', 'bus.slot'],
      ]),
    ).toEqual([0, 1]);
    expect(
      slots([
        ['cpu.bus', 'bus.slot'],
        ['peer.bus', 'bus.slot[0]'],
      ]).sort(),
    ).toEqual([0, 1]);
  });

  test('rewires a port of the machine it extends', () => {
    const scenario = loaded((file) => {
      file.machine.wires = [['cpu.bus', 'bus.slot[2]']];
    });
    const slots = scenario.machine.wires.map((wire) => wire.ends.map((end) => end.slot));
    expect(slots).toEqual([
      [0, 1],
      [0, 2],
    ]);
  });

  test('lets variables follow an axis', () => {
    const scenario = loaded((file) => {
      file.variables.laps = 3;
      file.experiment.axes = { size: { values: [4, 8], also: { laps: [100, 50] } } };
      file.programs = { pio_write: file.programs.pio_write };
    });
    expect(scenario.experiment?.axes[0]?.also).toEqual({ laps: [100, 50] });
  });

  test('expands a column of figures over an axis', () => {
    const scenario = loaded((file) => {
      file.expect = [
        {
          figures: 'gt.pio_write.{size}',
          at: { method: 'pio_write' },
          metric: 'throughput',
          tolerance: 1,
          role: 'held-out',
          calibrated: [4],
          context: [16],
        },
      ];
    });
    expect(scenario.expect.map(({ figure, role, tolerance }) => [figure, role, tolerance])).toEqual(
      [
        ['gt.pio_write.4', 'calibrated', 1],
        ['gt.pio_write.8', 'held-out', 1],
        ['gt.pio_write.16', 'context', null],
      ],
    );
  });
});

describe('a scenario is refused, with a sentence at the right place, for', () => {
  test.each<[string, (file: File) => void, string]>([
    [
      'a key that does not exist',
      (f) => Object.assign(f, { machin: {} }),
      '/machin: There is no key "machin" here; did you mean "machine"?',
    ],
    [
      'a missing title',
      (f) => Object.assign(f, { title: undefined }),
      '/title: "title" is missing.',
    ],
    [
      'a newer format',
      (f) => Object.assign(f, { busyard: 2 }),
      '/busyard: This file has format version 2; this program reads up to 1.',
    ],
    [
      'no format',
      (f) => Object.assign(f, { busyard: undefined }),
      ': The file has no format version, such as "busyard": 1.',
    ],
    [
      'the wrong kind of value',
      (f) => Object.assign(f, { summary: 3 }),
      '/summary: This should be a string.',
    ],
    [
      'an unknown machine',
      (f) => Object.assign(f.machine, { extends: 'par' }),
      '/machine/extends: There is no machine "par"; did you mean "pair"?',
    ],
    [
      'an unknown part type',
      (f) => Object.assign(f.machine, { parts: { x: { type: 'buss' } } }),
      '/machine/parts/x/type: There is no part type "buss"; did you mean "bus"?',
    ],
    [
      'an unknown parameter',
      (f) => Object.assign(f.machine, { parts: { cpu: { params: { cal: 1 } } } }),
      '/machine/parts/cpu/params/cal: "worker" has no parameter "cal"; did you mean "call"?',
    ],
    [
      'a wrong unit',
      (f) => Object.assign(f.machine, { parts: { cpu: { params: { call: '5 MHz' } } } }),
      '/machine/parts/cpu/params/call: "5 MHz" is not a time, with one of the units ps, ns, us, ms, s.',
    ],
    [
      'a value out of range',
      (f) => Object.assign(f.machine, { parts: { cpu: { params: { call: '1 s' } } } }),
      '/machine/parts/cpu/params/call: "per call" is at most 10 us; 1 s is outside.',
    ],
    [
      'a wrong choice',
      (f) => Object.assign(f.machine, { parts: { cpu: { params: { mode: 'wrok' } } } }),
      '/machine/parts/cpu/params/mode: "wrok" is not one of the choices; did you mean "work"?',
    ],
    [
      'a wire to nowhere',
      (f) => Object.assign(f.machine, { wires: [['cpu.bus', 'bud.slot']] }),
      '/machine/wires/0/1: There is no part "bud"; did you mean "bus"?',
    ],
    [
      'an unknown port',
      (f) => Object.assign(f.machine, { wires: [['cpu.bus', 'bus.slots']] }),
      '/machine/wires/0/1: "bus" has no port "slots"; did you mean "slot"?',
    ],
    [
      'a place beyond the end of a port',
      (f) => Object.assign(f.machine, { wires: [['cpu.bus', 'bus.slot[3]']] }),
      '/machine/wires/0/1: "bus.slot[3]": this port has 3 places, counted from 0.',
    ],
    [
      'two wires at one place',
      (f) =>
        Object.assign(f.machine, {
          wires: [
            ['cpu.bus', 'bus.slot[2]'],
            ['peer.bus', 'bus.slot[2]'],
          ],
        }),
      '/machine/wires/1: Another wire already ends at "bus.slot".',
    ],
    [
      'a wire between two clients',
      (f) => Object.assign(f.machine, { wires: [['cpu.bus', 'peer.bus']] }),
      '/machine/wires/0: A wire joins a client and a server of one protocol; "cpu.bus" is a client of bus, "peer.bus" is a client of bus.',
    ],
    [
      'a required port without a wire',
      (f) => Object.assign(f.machine, { parts: { third: { type: 'worker' } } }),
      '/machine/parts/third: The port "third.bus" must be wired. To the bus.',
    ],
    [
      'an unknown operation',
      row({ do: 'pio_wirte', bytes: 4 }),
      '/programs/pio_write/0/do: "pio_wirte" is not one of the choices; did you mean "pio_write"?',
    ],
    [
      'an operation like no other',
      row({ do: 'sing', bytes: 4 }),
      '/programs/pio_write/0/do: "sing" is not one of the choices. Known: end, thread, pio_write, dma_write.',
    ],
    [
      'an unknown field',
      row({ byte: 4 }),
      '/programs/pio_write/0/byte: "pio_write" has no field "byte"; did you mean "bytes"?',
    ],
    [
      'an undefined variable',
      row({ bytes: '$siz' }),
      '/programs/pio_write/0/bytes: There is no variable "siz"; did you mean "size"?',
    ],
    [
      'an unknown program',
      (f) => Object.assign(f.workload, { cpu: 'pio_writ' }),
      '/programs/pio_write: The program "pio_write" is never run.',
    ],
    [
      'work for a part that runs no programs',
      (f) => Object.assign(f.workload, { bus: 'pio_write' }),
      '/workload/bus: "bus" runs no programs.',
    ],
    [
      'an end without a unit',
      (f) => Object.assign(f, { until: 5 }),
      '/until: "5" is not a time, with one of the units ps, ns, us, ms, s.',
    ],
    [
      'an unknown counter',
      (f) => Object.assign(f.metrics.throughput as object, { over: ['cpu.lap_tim'] }),
      '/metrics/throughput/over/0: "cpu" has no counter "lap_tim"; did you mean "lap_time"?',
    ],
    [
      'an axis over nothing',
      (f) => Object.assign(f.experiment, { axes: { sizes: [1] } }),
      '/experiment/axes/sizes: There is no variable "sizes" to run over; did you mean "size"?',
    ],
    [
      'an axis value written twice',
      (f) => Object.assign(f.experiment, { axes: { size: [4, 4] } }),
      '/experiment/axes/size: The axis has "4" twice.',
    ],
    [
      'followers of a different length',
      (f) => Object.assign(f.experiment, { axes: { size: { values: [4], also: { method: [] } } } }),
      '/experiment/axes/size/also/method: There are 0 values of "method" for 1 of the axis.',
    ],
    [
      'too many points',
      (f) =>
        Object.assign(f.experiment, {
          axes: {
            size: Array.from({ length: 100 }, (_, i) => i * 4),
            method: Array.from({ length: 100 }, (_, i) => `m${i}`),
          },
        }),
      '/experiment/axes: The experiment has 10000 points; 4096 are allowed.',
    ],
    [
      'an unknown figure',
      (f) =>
        f.expect.push({
          figure: 'gt.pio_write.5',
          at: {},
          metric: 'throughput',
          tolerance: 1,
          role: 'held-out',
        }),
      '/expect/0/figure: There is no published figure "gt.pio_write.5"; did you mean "gt.pio_write.4"?',
    ],
    [
      'a figure in another unit',
      (f) =>
        f.expect.push({
          figure: 'gt.gfixit.pio',
          at: {},
          metric: 'throughput',
          tolerance: 1,
          role: 'held-out',
        }),
      '/expect/0/figure: "gt.gfixit.pio" is in us, but the metric "throughput" is in MB/s.',
    ],
    [
      'a row without tolerance',
      (f) =>
        f.expect.push({ figure: 'gt.pio_write.4', at: {}, metric: 'throughput', role: 'held-out' }),
      '/expect/0: This row needs a "tolerance" in percent.',
    ],
    [
      'a value that is not on the axis',
      (f) =>
        f.expect.push({
          figure: 'gt.pio_write.4',
          at: { size: 5 },
          metric: 'throughput',
          tolerance: 1,
          role: 'held-out',
        }),
      '/expect/0/at/size: "5" is not a value of the axis "size". Known: 4, 8, 16.',
    ],
    [
      'keys that cannot be combined',
      (f) =>
        f.expect.push({
          group: 'gt.pio_write.*',
          statistic: 'mean-abs-error',
          tolerance: 3,
          metric: 'throughput',
        }),
      '/expect/0/metric: "metric" does not go with "group" in one row.',
    ],
    [
      'an unknown parameter in the view',
      (f) => Object.assign(f.view, { parameters: [{ title: 'x', rows: [{ param: 'cpu.cal' }] }] }),
      '/view/parameters/0/rows/0/param: "cpu" has no parameter "cal"; did you mean "call"?',
    ],
    [
      'an invalid opening time',
      (f) => Object.assign(f.view, { from: '12 kB' }),
      '/view/from: "12 kB" is not a time, with one of the units ps, ns, us, ms, s.',
    ],
    [
      'a name on the prototype of every object',
      (f) => Object.assign(f.variables, { constructor: 3 }),
      '/variables/constructor: "constructor" cannot be used as a name.',
    ],
  ])('%s', (_, change, expected) => {
    expect(refused(change)).toContain(expected);
  });

  test.each([
    [
      'a size',
      { bytes: 6 },
      'bytes',
      'is a multiple of 4 B; 6 B is not: the nearest are 4 B and 8 B.',
    ],
    [
      'a source address',
      { bytes: 4, from: '0x1002' },
      'from',
      'is a multiple of 0x4; 0x1002 is not: the nearest are 0x1000 and 0x1004.',
    ],
    [
      'a destination address',
      { bytes: 4, to: 2 },
      'to',
      'is a multiple of 0x4; 0x2 is not: the nearest are 0x0 and 0x4.',
    ],
  ])('DMA not in whole words: %s', (_, fields, key, sentence) => {
    const found = refused((file) => {
      file.programs.dma_write = [{ do: 'dma_write', ...fields }];
    });
    expect(found[0]).toContain(`/programs/dma_write/0/${key}: "${key}" of "dma_write" ${sentence}`);
  });

  test('DMA with a size from an axis', () => {
    const found = refused((file) => {
      file.experiment.axes = { size: [4, 6], method: ['pio_write', 'dma_write'] };
    });
    expect(found).toEqual([
      '/programs/dma_write/0/bytes: $size: "bytes" of "dma_write" is a multiple of 4 B; 6 B is not: the nearest are 4 B and 8 B. The card transfers whole, aligned 32-bit words (at method dma_write, size 6).',
    ]);
  });

  test('a machine that extends itself', () => {
    const machines = new Map([['loop', '{"busyard": 1, "title": "x", "extends": "loop"}']]);
    const text = JSON.stringify({ ...scenarioFile(), machine: { extends: 'loop' } });
    const result = loadScenario(text, { machines, catalogue: FIXTURE });
    expect(!result.ok && result.problems[0]).toMatchObject({
      file: 'machines/loop.json',
      message: 'The machine "loop" extends itself.',
    });
  });
});

describe('a message names the cause and nothing else', () => {
  const param = (call: unknown) => (file: File) =>
    Object.assign(file.machine, { parts: { cpu: { params: { call } } } });
  const at = (place: unknown) => (file: File) =>
    Object.assign(file.machine, { parts: { cpu: { at: place } } });
  const CALL = '/machine/parts/cpu/params/call';

  test.each<[string, (file: File) => void, string]>([
    [
      'an invalid basis',
      param({ value: '2 ns', basis: 'guess' }),
      `${CALL}/basis: This should be "measured" or "documented" or "derived" or "assumed" or "calibrated" or "scenario"; this is "guess".`,
    ],
    [
      'a source that is not text',
      param({ value: '2 ns', source: 12 }),
      `${CALL}/source: This should be a string.`,
    ],
    [
      'a parameter of the wrong type',
      param(['2 ns']),
      `${CALL}: A parameter is a value, or an object with "value", "basis", "source" and "figures".`,
    ],
    [
      'an invalid value',
      param({ value: ['2 ns'] }),
      `${CALL}/value: A value is a string, a number, true or false.`,
    ],
    [
      'an unknown figure',
      param({ value: '2 ns', figures: ['gt.pio_write.4', 'nope'] }),
      `${CALL}/figures/1: There is no published figure "nope".`,
    ],
    [
      'a position of two numbers',
      at([1, 2]),
      '/machine/parts/cpu/at: A place in the drawing is four numbers: x, y, width and height.',
    ],
    [
      'a position of five numbers',
      at([1, 2, 3, 4, 5]),
      '/machine/parts/cpu/at: A place in the drawing is four numbers: x, y, width and height.',
    ],
    [
      'a position with a word in it',
      at([1, 2, 'wide', 4]),
      '/machine/parts/cpu/at/2: This should be a number.',
    ],
    [
      'half a ratio',
      (file) => file.expect.push({ figure: 'gt.pio_write.4', ratio: [{}], metric: 'throughput' }),
      '/expect/0/ratio: This list should have at least 2\u00a0entries.',
    ],
    [
      'a change by text',
      (file) =>
        Object.assign(file.experiment, {
          whatif: [{ title: 'x', set: { 'cpu.call': { times: '2' } } }],
        }),
      '/experiment/whatif/0/set/cpu.call/times: This should be a number.',
    ],
    [
      'an unknown machine, and parts of it',
      (file) =>
        Object.assign(file.machine, {
          extends: 'elsewhere',
          parts: { cpu: { params: {} }, peer: null },
        }),
      '/machine/extends: There is no machine "elsewhere". Known: pair.',
    ],
  ])('%s', (_, change, expected) => {
    expect(refused(change)).toEqual([expected]);
  });

  test('all machines are listed, even if there are many', () => {
    const machines = new Map(Array.from({ length: 40 }, (_, i) => [`machine${40 - i}`, '']));
    const text = JSON.stringify({ ...scenarioFile(), machine: { extends: 'elsewhere' } });
    const result = loadScenario(text, { machines, catalogue: FIXTURE });
    expect(!result.ok && result.problems[0]?.message).toBe(
      `There is no machine "elsewhere". Known: ${[...machines.keys()].sort().join(', ')}.`,
    );
  });
});

describe('loading arbitrary files', () => {
  const paths: [object, string][] = [];
  const collect = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      paths.push([value, key]);
      collect(child);
    }
  };

  test('never throws, and problems have a position in the text', () => {
    fc.assert(
      fc.property(fc.nat(), fc.jsonValue(), fc.boolean(), (which, value, rename) => {
        const file = scenarioFile();
        paths.length = 0;
        collect(file);
        const [object, key] = paths[which % paths.length] ?? [file, 'title'];
        const target = object as Record<string, unknown>;
        if (rename) {
          const old = target[key];
          delete target[key];
          target[JSON.stringify(value)] = old;
        } else target[key] = value;
        const text = JSON.stringify(file, null, 1);
        const result = load(text);
        for (const problem of result.ok ? [] : result.problems) {
          expect(problem.message).toMatch(/[.?]$/);
          expect(problem.line).toBeGreaterThan(0);
          expect(problem.line).toBeLessThanOrEqual(text.split('\n').length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('never throws on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(load(text).ok).toBe(false);
        expect(load(`{"busyard": 1, ${text}`).ok).toBe(false);
      }),
    );
  });
});
