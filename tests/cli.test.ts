import { describe, expect, test } from 'vitest';
import { busyard, file, folder } from './support/command-line';
import { savedSession } from './support/sessions';

const SCENARIO = {
  busyard: 1,
  title: 'Four words',
  summary: 'Stores four words.',
  system: 'gt',
  machine: { extends: 'gt-system-a' },
  variables: { size: 16 },
  programs: {
    store: [
      { do: 'lap' },
      { do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: '$size' },
      { do: 'lap_end' },
    ],
  },
  workload: { cpu: 'store' },
  until: '1 ms',
  metrics: { time: { title: 'time', unit: 'ns', product: ['cpu.lap_time', 0.001] } },
  experiment: { axes: { size: [4, 8] }, metrics: ['time'] },
  view: { kind: 'machine' },
};
const scenario = file('four.json', JSON.stringify(SCENARIO, null, 1));

describe('run', () => {
  test('gives hash, events, time and counters as JSON, the same each time', async () => {
    const { code, out } = await busyard('run', scenario, '--json');
    const result = JSON.parse(out);
    expect(code).toBe(0);
    expect(result).toMatchObject({ reason: 'idle', counters: { cpu: { laps: 1, stores: 4 } } });
    expect(result.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(result.events).toBeGreaterThan(0);
    const again = JSON.parse((await busyard('run', scenario, '--json')).out);
    expect({ ...again, wall_ms: 0 }).toEqual({ ...result, wall_ms: 0 });
  });

  test('names the threads that still wait when no event is pending', async () => {
    const programs = { store: [{ do: 'wait', tag: 3 }] };
    const { metrics: _, ...rest } = { ...SCENARIO, programs, experiment: undefined };
    const waits = file('waits.json', JSON.stringify(rest));
    const { out, err } = await busyard('run', waits);
    expect(err).toContain('warning: row 1 of "cpu" (wait) waits forever: no "signal" adds to');
    expect(out).toContain('cpu: deadlock: 1 thread is blocked and no event is pending');
    expect(JSON.parse((await busyard('run', waits, '--json')).out).waiting).toEqual({ cpu: 1 });
    expect(JSON.parse((await busyard('run', scenario, '--json')).out).waiting).toEqual({});
  });

  test('takes other parameters, variables and ends', async () => {
    const { out } = await busyard('run', scenario, '--json', '--var', 'size=64');
    expect(JSON.parse(out).counters.cpu.stores).toBe(16);
    const slow = await busyard('run', scenario, '--json', '--set', 'cpu.store_time=1us');
    expect(JSON.parse(slow.out).metrics.time).toBeGreaterThan(4000);
    const short = await busyard('run', scenario, '--json', '--until', '100 ns');
    expect(JSON.parse(short.out)).toMatchObject({
      reason: 'until',
      counters: { cpu: { laps: 0 } },
    });
  });
});

describe('bad input is rejected with an error, a place and exit code 2:', () => {
  const unaligned = structuredClone(SCENARIO);
  unaligned.programs.store = [{ do: 'dma_write', from: '0x2', to: '0x80000000', bytes: '8' }];
  const loop = structuredClone(SCENARIO);
  loop.programs.store = [{ do: 'repeat' }];
  test.each([
    ['no command', [], ''],
    ['an unknown command', ['rnu'], 'There is no command "rnu"; did you mean "run"?'],
    [
      'an unknown option',
      ['run', scenario, '--jason'],
      `"run": unknown option '--jason'. Did you mean --json?`,
    ],
    [
      'an option without value',
      ['run', scenario, '--until'],
      `"run": option '--until <time>' argument missing.`,
    ],
    ['no file', ['sweep'], `"sweep": missing required argument 'FILE'.`],
    [
      'a file that is not there',
      ['run', 'nowhere.json'],
      'There is no file and no scenario "nowhere.json"',
    ],
    ['a folder', ['run', folder], 'is a folder, not a file.'],
    [
      'a broken file',
      ['run', file('broken.json', '{\n "busyard": 1,,\n}')],
      'broken.json:2:15: A name in double quotes is expected here.',
    ],
    [
      'a wrong key',
      ['check', file('key.json', '{\n "busyard": 1,\n "titel": ""\n}')],
      'key.json:3:2: There is no key "titel" here; did you mean "title"? (/titel)',
    ],
    [
      'DMA that is not aligned',
      ['run', file('unaligned.json', JSON.stringify(unaligned))],
      '"from" of "dma_write" is a multiple of 0x4; 0x2 is not: the nearest are 0x0 and 0x4.',
    ],
    [
      'a loop that is not closed',
      ['run', file('loop.json', JSON.stringify(loop, null, 1))],
      'loop.json:14:4: This "repeat" has no "again" in its thread. (/programs/store/0)',
    ],
    [
      'an unknown parameter',
      ['run', scenario, '--set', 'cpu.store_tim=1ns'],
      '--set cpu.store_tim: "cpu" has no parameter "store_tim"; did you mean "store_time"?',
    ],
    [
      'a value without unit',
      ['run', scenario, '--set', 'cpu.store_time=1'],
      '--set cpu.store_time: "1" is not a time',
    ],
    [
      'half a setting',
      ['run', scenario, '--set', 'cpu.store_time'],
      '--set "cpu.store_time" should be name=value.',
    ],
    [
      'an unknown variable',
      ['run', scenario, '--var', 'siz=1'],
      '--var siz: There is no variable "siz"; did you mean "size"?',
    ],
    [
      'an end that is no time',
      ['run', scenario, '--until', 'soon'],
      '--until: "soon" is not a time',
    ],
    [
      'an unknown format',
      ['trace', scenario, '--format', 'pdf'],
      '--format is one of jsonl, vcd, perfetto; this is "pdf".',
    ],
  ])('%s', async (_, args, sentence) => {
    const { code, out, err } = await busyard(...args);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err).not.toMatch(/\n\s+at /);
    if (args.length > 0) expect(out).toBe('');
  });
});

describe('check', () => {
  test('warns like run of settings that cannot work, and keeps its output clean', async () => {
    const programs = { store: [{ do: 'wait', tag: 3 }] };
    const { metrics: _, ...rest } = { ...SCENARIO, programs, experiment: undefined };
    const { code, out, err } = await busyard(
      'check',
      file('waits-checked.json', JSON.stringify(rest)),
      '--json',
    );
    expect(err).toContain('warning: row 1 of "cpu" (wait) waits forever: no "signal" adds to');
    expect([code, JSON.parse(out).failed]).toEqual([0, 0]);
  });

  const rows = (tolerance: number) => ({
    ...SCENARIO,
    metrics: {
      throughput: {
        title: 'throughput',
        unit: 'MB/s',
        product: ['$size', 1e6],
        over: ['cpu.lap_time'],
      },
    },
    experiment: { axes: { size: [4, 8] }, metrics: ['throughput'] },
    expect: [
      {
        figure: 'gt.pio_write.4',
        at: { size: 4 },
        metric: 'throughput',
        tolerance,
        role: 'held-out',
      },
    ],
  });

  test('passes within tolerance', async () => {
    const path = file('pass.json', JSON.stringify(rows(100)));
    const { code, out } = await busyard('check', path, '--json');
    expect(code).toBe(0);
    const { passed, failed, rows: found } = JSON.parse(out);
    expect([passed, failed]).toEqual([1, 0]);
    expect(found[0]).toMatchObject({
      figure: 'gt.pio_write.4',
      published: 27.72,
      tolerance_percent: 100,
    });
  });

  test('fails outside of it, with exit code 1 and the same in JUnit', async () => {
    const path = file('fail.json', JSON.stringify(rows(0)));
    const { code, out, err } = await busyard('check', path, '--junit');
    expect(code).toBe(1);
    expect(out).toContain('failures="1"');
    expect(err).toContain('figures compared, from 1 runs');
  });
});

describe('sweep', () => {
  test('writes a table', async () => {
    const { code, out } = await busyard('sweep', scenario, '--csv');
    expect(code).toBe(0);
    expect(out).toMatch(/^size,time \(ns\),published\n4,[\d.]+,\n8,[\d.]+,\n$/);
  });

  test('writes JSON with a hash for each run', async () => {
    const { out } = await busyard('sweep', scenario, '--json');
    const { points } = JSON.parse(out);
    expect(points).toHaveLength(2);
    expect(points[0]).toMatchObject({
      at: { size: 4 },
      hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });
});

describe('trace', () => {
  test('writes each record as JSON, with causes that come before it', async () => {
    const { out } = await busyard('trace', scenario, '--format', 'jsonl');
    const records = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.filter((record) => record.event === 'store')).toHaveLength(4);
    records.forEach((record, i) => {
      expect(record.seq).toBe(i + 1);
      expect(record.cause).toBeLessThan(record.seq);
      expect(record.text).toMatch(/\.$/);
      expect(record.text).not.toMatch(/[{}]/);
    });
  });

  test('writes only what a query finds, and run stops at its first event', async () => {
    const query = 'kind=store write>=3 OR cpu.stores>=4';
    const { out } = await busyard('trace', scenario, '--where', query);
    const found = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found.map(({ event, write }) => [event, write])).toEqual([
      ['store', 3],
      ['store', 4],
    ]);
    const run = JSON.parse((await busyard('run', scenario, '--stop', query, '--json')).out);
    const { seq, time_ps, text } = found[0];
    expect(run.stopped).toEqual({ seq, time_ps, text });
    expect(run.counters.cpu.stores).toBe(3);
    expect(run.time_ps).toBe(time_ps);
    const bad = await busyard('run', scenario, '--stop', 'part:cpu kind:stroe');
    expect([bad.code, bad.err]).toEqual([
      2,
      expect.stringContaining('--stop: at character 10: No kind of event is called "stroe"'),
    ]);
  });

  test.each(['vcd', 'perfetto'])('writes %s', async (format) => {
    const { code, out } = await busyard('trace', scenario, '--format', format);
    expect(code).toBe(0);
    if (format === 'perfetto') expect(JSON.parse(out).traceEvents.length).toBeGreaterThan(10);
    else expect(out).toContain('$enddefinitions $end');
  });
});

describe('a saved session', () => {
  const saved = (name: string, changes: object) =>
    file(
      name,
      JSON.stringify(
        savedSession({
          scenario: { text: JSON.stringify(SCENARIO), name: 'four.json' },
          ...changes,
        }),
        null,
        1,
      ),
    );

  test('runs with its edits', async () => {
    const path = saved('saved.json', { edits: { 'cpu.store_time': '1 us' } });
    const { out } = await busyard('run', path, '--json');
    expect(JSON.parse(out).metrics.time).toBeGreaterThan(4000);
  });

  test('is swept with its seed', async () => {
    const hashes = async (seed: number) => {
      const { out } = await busyard('sweep', saved(`seed-${seed}.json`, { seed }), '--json');
      return JSON.parse(out).points.map(({ hash }: { hash: string }) => hash);
    };
    const [one, other] = [await hashes(7), await hashes(8)];
    expect(one).toHaveLength(2);
    expect(other).not.toEqual(one);
  });

  test('is rejected with all invalid changes, each at its place', async () => {
    const change = (param: string, value: string) => ({ at: 5, param, value });
    const path = saved('changes.json', {
      commands: [
        change('cpu.store_tim', '1 us'),
        change('cpu.store_time', '1 us'),
        change('cpu.line', '64 B'),
        change('cpu.store_time', '5 s'),
      ],
    });
    for (const command of ['run', 'trace']) {
      const { code, err } = await busyard(command, path);
      expect(code).toBe(2);
      expect(err.trim().split('\n')).toEqual([
        expect.stringMatching(
          /changes\.json:9:3: .* did you mean "store_time"\? \(\/commands\/0\)$/,
        ),
        expect.stringMatching(/changes\.json:19:3: .* cannot change while the machine runs\. /),
        expect.stringMatching(/changes\.json:24:3: .* is at most 1 us; 5 s is outside\. /),
      ]);
    }
  });

  test('is rejected at its own place, not at an option that was not given', async () => {
    const path = saved('edits.json', {
      edits: { 'cpu.store_time': '5 s' },
      variables: { size: 8 },
    });
    const own = await busyard('run', path);
    expect(own.err).toMatch(/edits\.json:8:21: "PIO write, per store" is at most 1 us/);
    const given = await busyard('run', path, '--set', 'cpu.store_time=6 s');
    expect(given.err).toMatch(/^--set cpu\.store_time: .* 6 s is outside/);
    const odd = await busyard('run', saved('odd.json', { variables: { sise: 8 } }));
    expect(odd.err).toMatch(
      /odd\.json:\d+:\d+: There is no variable "sise"; did you mean "size"\?/,
    );
    for (const { code } of [own, given, odd]) expect(code).toBe(2);
  });
});

test('help and version are printed', async () => {
  expect((await busyard('--help')).out).toContain('busyard check\n');
  expect((await busyard('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the schema names part types, parameters and operations', async () => {
  const { out } = await busyard('schema');
  const schema = JSON.parse(out);
  expect(Object.keys(schema.$defs)).toContain('processor');
  expect(schema.$defs.processor.properties.params.properties.store_time.description).toContain(
    'Units: ps',
  );
  const item = '#/$defs/program_item';
  expect(schema.properties.programs.additionalProperties.items).toEqual({ $ref: item });
  expect(JSON.stringify(schema.properties.workload.additionalProperties)).toContain(item);
  expect(JSON.stringify(schema.$defs.program_item)).toContain('pio_write');
});

describe('replay-refs', () => {
  const trace = file('refs.din', '0 1000\n1 1004\n0 9000 1\n');

  test('prints counts, and the same as JSON', async () => {
    const { code, out } = await busyard('replay-refs', trace, '--cpus', '2');
    expect(code).toBe(0);
    expect(out).toContain('3 references (2 loads, 1 store)');
    expect(out).toContain('1 hit (33.33 %), 2 misses, 0 write-backs');
    const json = await busyard(
      'replay-refs',
      trace,
      '--cpus=2',
      '--set',
      'cache.size=4KiB',
      '--json',
    );
    expect(JSON.parse(json.out)).toMatchObject({
      references: 3,
      hits: 1,
      misses: 2,
      states: { invalid: 254, private_clean: 1, private_dirty: 1 },
    });
  });

  test('references that cannot be played are rejected with their place', async () => {
    const one = await busyard('replay-refs', trace);
    expect(one).toMatchObject({ code: 2, out: '' });
    expect(one.err).toContain('refs.din:3:8: there is no processor 1; choose more processors');
    const wrong = await busyard('replay-refs', trace, '--set', 'cache.sice=1KiB');
    expect(wrong.err).toContain('size');
    expect((await busyard('replay-refs', 'no.din')).err).toContain('There is no file "no.din"');
  });
});
