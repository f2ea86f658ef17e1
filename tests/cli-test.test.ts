/** `busyard test`: other people's scenarios, with rows of their own. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { busyard, file, folder } from './support/command-line';

const scenario = (rows: readonly object[]) =>
  JSON.stringify(
    {
      busyard: 1,
      title: 'Four words',
      summary: 'Stores words.',
      system: 'gt',
      machine: { extends: 'gt-system-a' },
      variables: { size: 16 },
      programs: {
        out: [
          { do: 'lap' },
          { do: 'pio_write', from: '0x100000', to: '0x80000000', bytes: '$size' },
          { do: 'lap_end' },
        ],
      },
      workload: { cpu: 'out' },
      until: '1 ms',
      metrics: { time: { title: 'time', unit: 'ns', product: ['cpu.lap_time', 0.001] } },
      expect: rows,
      view: { kind: 'machine' },
    },
    null,
    1,
  );

const GOOD = [
  { metric: 'cpu.stores', value: 4 },
  { metric: 'cpu.stores', at: { size: 64 }, value: 16, title: 'sixteen words' },
  { metric: 'cpu.lap_time', min: '1 ps', max: '1 ms' },
  { metric: 'time', min: 0.001 },
  { metric: 'count:cpu.store..cpu.store', value: 3 },
];

test('a folder passes, whatever else is in it', async () => {
  mkdirSync(join(folder, 'good/machines'), { recursive: true });
  file('good/words.json', scenario(GOOD));
  file('good/package.json', '{ "name": "other" }');
  file('good/machines/mine.json', '{ "busyard": 1 }');
  const { code, out, err } = await busyard('test', join(folder, 'good'));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toContain('words.json: sixteen words (size=64)');
  expect(out).toMatch(/\n5 passed, 0 failed\n$/);
});

test('a failure names its place, the value and the settings', async () => {
  const rows = [...GOOD, { metric: 'cpu.stores', at: { size: 8 }, value: 3, tolerance: 10 }];
  const path = file('bad.json', scenario(rows));
  const report = join(folder, 'reports/report.xml');
  const { code, out } = await busyard('test', path, '--junit', report);
  const line =
    scenario(rows)
      .split('\n')
      .findIndex((text) => text.includes('"size": 8')) - 2;
  expect(code).toBe(1);
  expect(out).toContain(
    `${path}:${line}:3: cpu.stores is 2 stores, 3 stores within 0.3 stores is expected (at size=8).`,
  );
  const xml = readFileSync(report, 'utf8');
  expect(xml).toContain('tests="6" failures="1"');
  expect(xml).toContain(`line="${line}">\n   <failure message="${path}:${line}:3: cpu.stores is 2`);
});

test('a file that does not open fails, and the others run', async () => {
  const broken = file('broken-test.json', '{ "busyard": 1,, }');
  const { code, out } = await busyard('test', broken, file('whole.json', scenario(GOOD)));
  expect(code).toBe(1);
  expect(out).toContain(`FAILED  ${broken}:1:`);
  expect(out).toContain('5 passed, 1 failed');
});

test('golden hashes are written, kept and compared', async () => {
  const path = file('golden-words.json', scenario(GOOD));
  const golden = join(folder, 'golden.json');
  const first = await busyard('test', path, '--golden', golden);
  expect(first.code).toBe(1);
  expect(first.out).toContain('There is no hash of it yet; --update writes');
  expect((await busyard('test', path, '--golden', golden, '--update')).code).toBe(0);
  expect((await busyard('test', path, '--golden', golden)).out).toContain('6 passed, 0 failed');
  expect(Object.keys(JSON.parse(readFileSync(golden, 'utf8')))).toEqual(['golden-words.json']);
  file('golden-words.json', scenario(GOOD).replace('"size": 16', '"size": 20'));
  const { code, out } = await busyard('test', path, '--golden', golden);
  expect(code).toBe(1);
  expect(out).toMatch(/The hash was [0-9a-f]{16} and is [0-9a-f]{16}\./);
});

test('a folder named in two ways is run once, and one without expectations is no success', async () => {
  const twice = await busyard('test', join(folder, 'good'), `${folder}/good/.`);
  expect(twice.out).toMatch(/\n5 passed, 0 failed\n$/);
  const { code, out, err } = await busyard('test', file('no-rows.json', scenario([])));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('There is nothing to test: no file has a row of "expect"');
});

test.each<[string, object, string]>([
  ['a counter', { metric: 'cpu.stors', value: 4 }, 'did you mean "stores"?'],
  ['no metric', { value: 4 }, 'This row does not name the "metric"'],
  ['a value and a bound', { metric: 'time', value: 4, min: 2 }, 'or bounds "min" and "max"'],
  ['bounds', { metric: 'time', min: 4, max: 2 }, 'It is less than "min".'],
  ['a unit', { metric: 'cpu.lap_time', max: '4 B' }, '"4 B" is not a time'],
  ['a tolerance', { metric: 'time', min: 4, tolerance: 2 }, 'in per cent of a "value"'],
  [
    'a role',
    { metric: 'time', value: 4, role: 'held-out' },
    "does not go with a value of the row's own",
  ],
])('a row with a wrong %s is refused with its place', async (_, row, sentence) => {
  const path = file('row.json', scenario([row]));
  const { code, out } = await busyard('test', path);
  expect(code).toBe(1);
  expect(out).toMatch(new RegExp(`FAILED  ${path}:\\d+:\\d+: `));
  expect(out).toContain(sentence);
});
