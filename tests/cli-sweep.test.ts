/** `busyard sweep --over`: any parameter, any measure, in parts that merge. */
import { describe, expect, test } from 'vitest';
import { busyard, file } from './support/command-line';

const SCENARIO = {
  busyard: 1,
  title: 'Four words',
  summary: 'Stores words.',
  system: 'gt',
  machine: { extends: 'gt-system-a' },
  variables: { size: { value: 16, title: 'block', unit: 'B' }, way: 'out' },
  programs: {
    out: [
      { do: 'lap' },
      { do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: '$size' },
      { do: 'lap_end' },
    ],
    in: [
      { do: 'lap' },
      { do: 'pio_read', from: '0x80000000', to: '0x100000', bytes: '$size' },
      { do: 'lap_end' },
    ],
  },
  workload: { cpu: '$way' },
  until: '1 ms',
  metrics: { time: { title: 'time', unit: 'ns', product: ['cpu.lap_time', 0.001] } },
  experiment: { axes: { way: ['out', 'in'] }, metrics: ['time'] },
  view: { kind: 'machine' },
};
const scenario = file('words.json', JSON.stringify(SCENARIO));

interface Row {
  readonly point: number;
  readonly at: Record<string, string | number>;
  readonly values: Record<string, number | null>;
  readonly hash: string;
  readonly problem: string;
}

async function rowsOf(...args: string[]): Promise<Row[]> {
  const { code, out, err } = await busyard('sweep', scenario, ...args, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out).rows;
}

describe('one point', () => {
  test('is the run with the same settings', async () => {
    const [, second] = await rowsOf(
      ...['--over', 'bridge.posts=2,4', '--over', 'way=in', '--metric', 'time,cpu.loads'],
    );
    const { out } = await busyard(
      ...['run', scenario, '--set', 'bridge.posts=4', '--var', 'way=in', '--json'],
    );
    const run = JSON.parse(out);
    expect(second).toMatchObject({
      at: { 'bridge.posts': 4, way: 'in' },
      hash: run.hash,
      values: { 'time (ns)': run.metrics.time, 'cpu.loads (loads)': run.counters.cpu.loads },
    });
  });

  test('keeps its settings beside those of the axes', async () => {
    const [row] = await rowsOf('--over', 'size=8', '--set', 'cpu.store_time=1us');
    const [usual] = await rowsOf('--over', 'size=8');
    expect(row?.values['time (ns)']).toBeGreaterThan(usual?.values['time (ns)'] ?? 0);
  });
});

describe('values of an axis', () => {
  const values = async (axis: string) =>
    (await rowsOf('--over', axis, '--metric', 'cpu.stores')).map(({ at }) => Object.values(at)[0]);

  test.each<[string, (string | number)[]]>([
    ['size=4..12/4', [4, 8, 12]],
    ['size=4..40*3', [4, 12, 36]],
    ['bridge.posts=1..3', [1, 2, 3]],
    ['driver.setup_time=1us..3us', ['1 us', '2 us', '3 us']],
    ['cpu.store_time=0.5us..1us/250ns', ['500 ns', '750 ns', '1 us']],
    ['way=in,out', ['in', 'out']],
  ])('%s', async (axis, expected) => {
    expect(await values(axis)).toEqual(expected);
  });
});

test('two axes are combined, the last one fastest', async () => {
  const rows = await rowsOf('--over', 'size=4,8', '--over', 'way=in,out');
  expect(rows.map(({ at }) => `${at.size} ${at.way}`)).toEqual(['4 in', '4 out', '8 in', '8 out']);
});

describe('the time between two events', () => {
  /** The times from each store to the next, from the records of the run. */
  async function stores(): Promise<number[]> {
    const { out } = await busyard('trace', scenario, '--var', 'size=64');
    const records = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const times = records.filter(({ event }) => event === 'store').map((one) => one.time_ps);
    return times.slice(1).map((time, i) => time - times[i]);
  }

  test('is measured over all pairs', async () => {
    const kinds = ['mean', 'min', 'max', 'count', 'p50', 'p100'];
    const names = kinds.map((kind) => `${kind}:cpu.store..cpu.store`);
    const [row] = await rowsOf('--over', 'size=64', '--metric', names.join());
    const times = (await stores()).sort((a, b) => a - b);
    const mean = times.reduce((sum, one) => sum + one, 0) / times.length;
    const middle = times[Math.ceil(times.length / 2) - 1];
    expect(Object.values(row?.values ?? {})).toEqual([
      ...[mean, times[0], times.at(-1), times.length, middle, times.at(-1)],
    ]);
  });

  test('changes nothing in the run', async () => {
    const [traced] = await rowsOf('--over', 'size=64', '--metric', 'cpu.store..cpu.store');
    const [plain] = await rowsOf('--over', 'size=64', '--metric', 'time');
    expect(traced?.hash).toBe(plain?.hash);
  });
});

describe('parts', () => {
  const OVER = ['--over', 'size=4..40/4', '--over', 'way=in,out', '--metric', 'time,cpu.loads'];
  const part = async (shard: string, ...more: string[]) =>
    (await busyard('sweep', scenario, ...OVER, '--shard', shard, ...more)).out;

  test('merge to the whole, in any order and format', async () => {
    const { out: whole } = await busyard('sweep', scenario, ...OVER);
    const [one, two, three] = [await part('1/3'), await part('2/3', '--json'), await part('3/3')];
    const files = [file('c.csv', three), file('a.csv', one), file('b.json', two)];
    const merged = await busyard('sweep', '--merge', ...files);
    expect(merged).toEqual({ code: 0, out: whole, err: '' });
  });

  test('merge from one file with one after another', async () => {
    const { out: whole } = await busyard('sweep', scenario, ...OVER);
    const all = file('all.csv', (await part('2/2')) + (await part('1/2')));
    expect((await busyard('sweep', '--merge', all)).out).toBe(whole);
  });

  test('that are missing are named, and so is the file of a part that broke off', async () => {
    const files = [file('half.csv', await part('1/2')), file('broken.csv', '')];
    const { code, err } = await busyard('sweep', '--merge', ...files);
    expect(code).toBe(1);
    expect(err).toContain('broken.csv is empty: its part did not run to the end.');
    expect(err).toContain('10 of 20 points are missing: 1, 3, 5,');
  });

  test('may be more than there are points', async () => {
    const few = ['--over', 'size=4,8'];
    const files: string[] = [];
    for (const part of [1, 2, 3]) {
      const { out } = await busyard('sweep', scenario, ...few, '--shard', `${part}/3`);
      files.push(file(`few-${part}.csv`, out));
    }
    const { out: whole } = await busyard('sweep', scenario, ...few);
    const merged = await busyard('sweep', '--merge', ...files);
    expect(merged).toEqual({ code: 0, out: whole, err: '' });
  });

  test('of another sweep are refused', async () => {
    const other = await busyard('sweep', scenario, ...OVER, '--set', 'bridge.posts=2');
    const files = [file('one.csv', await part('1/2')), file('other.csv', other.out)];
    const { code, out, err } = await busyard('sweep', '--merge', ...files);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/other\.csv holds another sweep than .*one\.csv/);
  });

  test('with other results for the same point are refused', async () => {
    const whole = await part('1/1');
    const changed = whole.replace(/^(\w+,[^,]*,0,20,4,in,)[\d.]+/m, '$11');
    const { code, err } = await busyard(
      ...['sweep', '--merge', file('whole.csv', whole), file('changed.csv', changed)],
    );
    expect(code).toBe(2);
    expect(err).toContain('changed.csv: point 0 has other results than before');
  });

  test.each([
    ['no results', 'a,b\n1,2\n', 'Line 1: these are no results of a sweep.'],
    ['JSON of another kind', '{ "busyard": 1 }', 'It is no JSON that a sweep has written.'],
    ['broken JSON', '{ "sweep": ', 'It is no JSON'],
  ])('refuse a file with %s', async (_, text, sentence) => {
    const { code, err } = await busyard('sweep', '--merge', file('wrong.csv', text));
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });
});

describe('points without a machine', () => {
  test('are named, and the others have results', async () => {
    const args = ['sweep', scenario, '--over', 'cache.size=16KiB,17KiB', '--json'];
    const { code, out, err } = await busyard(...args);
    expect(code).toBe(1);
    expect(err).toMatch(/^cache\.size=17KiB: .*power of two/);
    const [good, bad] = JSON.parse(out).rows;
    expect(good.values['time (ns)']).toBeGreaterThan(0);
    expect(bad).toMatchObject({ values: { 'time (ns)': null }, problem: expect.any(String) });
  });

  test('are an error if there are no others', async () => {
    const { code, out } = await busyard('sweep', scenario, '--over', 'cache.size=17KiB');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('refused:', () => {
  test.each<[string, string[], string | RegExp]>([
    ['a part', ['--over', 'cqu.store_time=1us'], 'There is no part "cqu"; did you mean "cpu"?'],
    ['a parameter', ['--over', 'cpu.stor_time=1us'], 'did you mean "store_time"?'],
    ['a variable', ['--over', 'sise=4'], 'There is no variable "sise"; did you mean "size"?'],
    ['no values', ['--over', 'size='], 'size has no values'],
    ['no equals sign', ['--over', 'size'], 'should be part.param=FROM..TO'],
    [
      'a unit',
      ['--over', 'cpu.store_time=1..3'],
      /--over cpu\.store_time=1\.\.3: "1" is not a time/,
    ],
    ['a range backwards', ['--over', 'size=8..4'], 'The range ends before it begins.'],
    ['no step', ['--over', 'size=1..9/0'], 'The range does not grow.'],
    ['too many values', ['--over', 'size=1..1000000'], 'more than 1024 values'],
    [
      'four axes',
      ['size=4', 'way=in', 'bridge.posts=2', 'cpu.store_time=1us'].flatMap((one) => [
        '--over',
        one,
      ]),
      'one to three axes',
    ],
    ['one axis twice', ['--over', 'size=4', '--over', 'size=8'], 'Two axes are size.'],
    [
      'a metric',
      ['--over', 'size=4', '--metric', 'tine'],
      'There is no metric "tine"; did you mean "time"?',
    ],
    ['a counter', ['--over', 'size=4', '--metric', 'cpu.store'], '"cpu" has no counter "store"'],
    [
      'an event',
      ['--over', 'size=4', '--metric', 'cpu.stor..cpu.store'],
      '"cpu" has no event "stor"',
    ],
    [
      'a statistic',
      ['--over', 'size=4', '--metric', 'most:cpu.store..cpu.store'],
      '"most" is no statistic',
    ],
    ['a shard', ['--over', 'size=4', '--shard', '3/2'], '--shard is i/n, from 1/n to n/n'],
    ['jobs', ['--over', 'size=4', '--jobs', '0'], '--jobs is a whole number'],
    ['a metric without an axis', ['--metric', 'time'], '--metric needs --over.'],
  ])('%s', async (_, args, sentence) => {
    const { code, out, err } = await busyard('sweep', scenario, ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(sentence);
  });
});
