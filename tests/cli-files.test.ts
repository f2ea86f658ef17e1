/**
 * Anything that is not a file, or has no end, is refused before it is read; other files in the folder do not matter.
 */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { busyard, file, folder } from './support/command-line';
import { savedSession } from './support/sessions';

const INIT = '{"t":"init","num_entries":64,"table_shift":12,"npools":4}';
const lines = (...all: string[]) => `${all.join('\n')}\n`;
/** A scenario whose machine is in a file. */
const scenario = (base: string) =>
  file(
    'base.json',
    JSON.stringify({
      busyard: 1,
      title: 'Beside',
      summary: 'A machine from a file.',
      system: 'gt',
      machine: { extends: base },
      workload: { cpu: [{ do: 'spend', time: '1 us' }] },
      until: '1 us',
      view: { kind: 'machine' },
    }),
  );
const map = (address: string, size: string) =>
  `x-1 [000] d..1. 1.0: map: IOMMU: iova=${address} paddr=0x0 size=${size}`;

test.each([
  ['run', '/dev/zero', '/dev/zero is a device; a file or a pipe is expected.'],
  ['replay-maps', '/dev/zero', '/dev/zero is a device; a file or a pipe is expected.'],
  ['replay-refs', '/dev/zero', '/dev/zero is a device; a file or a pipe is expected.'],
  ['replay-maps', folder, `${folder} is a folder, not a file.`],
  ['run', join(folder, 'x'.repeat(300)), 'There is no file'],
  ['replay-maps', join(folder, 'x'.repeat(300)), 'cannot be read: its name is too long.'],
])('%s %s', async (command, path, sentence) => {
  const { code, err } = await busyard(command, path);
  expect(err).toContain(sentence);
  expect(code).toBe(2);
});

test('machines that no scenario extends may be folders, broken links, or too large', async () => {
  mkdirSync(join(folder, 'machines/x.json'), { recursive: true });
  symlinkSync('nowhere', join(folder, 'machines/y.json'));
  file('machines/z.json', 'z'.repeat(2e6));
  expect(await busyard('run', scenario('gt-system-a'))).toMatchObject({
    code: 0,
  });
  for (const [name, why] of [
    ['x', 'There is no machine "x"'],
    ['y', 'There is no file'],
    ['z', 'is larger than 256 KiB'],
  ] as const) {
    const { code, err } = await busyard('run', scenario(name));
    expect(err).toContain(why);
    expect(code).toBe(2);
  }
});

test('chains of machines that extend each other have a length limit', async () => {
  const head = { busyard: 1, title: 'One of many' };
  const chain = (name: string, base: string) =>
    file(`machines/${name}.json`, JSON.stringify({ ...head, extends: base }));
  for (let i = 0; i < 100; i++) chain(`m${i}`, `m${i + 1}`);
  chain('m100', 'gt-system-a');
  expect(await busyard('run', scenario('m90'))).toMatchObject({ code: 0 });
  const { code, err } = await busyard('run', scenario('m0'));
  expect(err).toMatch(
    /machines\/m15\.json:1:\d+: At most 16 machines may extend one another; "m16" would be one more. \(\/extends\)/,
  );
  expect(code).toBe(2);
});

describe('a trace of mappings is rejected at its line:', () => {
  const maps = (name: string, text: string) => file(name, text);
  test.each<[string, string, string[], string]>([
    [
      'a kind of line that objects have by nature',
      lines(INIT, '{"t":"constructor","c":0,"n":1}'),
      [],
      ':2: There is no line of the kind "constructor". Known: a, f, fa, init, layout, s, end.',
    ],
    [
      'the same, for policies',
      lines(INIT, '{"t":"valueOf","c":0,"n":1}'),
      ['--policy', 'pools'],
      ':2: There is no line of the kind "valueOf".',
    ],
    [
      'an unknown kind, for policies',
      lines(INIT, '{"t":"allocate","c":0,"n":1,"r":0}'),
      ['--policy=pools'],
      ':2: There is no line of the kind "allocate".',
    ],
    [
      'a kind that is no text',
      lines(INIT, '{"t":[[[]]]}'),
      [],
      ':2: "t" is the kind of a line: a, f,',
    ],
    [
      'lists in lists',
      lines(INIT, `{"t":"s","pop":${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
      [],
      ':2: "pop" should be a number, a string, or a list of numbers or of pairs.',
    ],
    ['a second table', lines(INIT, INIT), [], ':2: A trace has one line of the kind "init".'],
    [
      'more pages than the table has, recorded as given',
      lines(INIT, '{"t":"a","c":0,"n":1000000000000000,"r":0}'),
      ['--policy', 'all'],
      ':2: Allocations must be in the table: the sum of "r" and "n" is at most 64, its "num_entries".',
    ],
    [
      'a table larger than any',
      lines('{"t":"init","num_entries":1e15,"table_shift":12}'),
      [],
      ':1: "num_entries" should be a whole number from 1 to 67108864.',
    ],
    [
      'pools without entries',
      lines('{"t":"init","num_entries":3,"table_shift":12}'),
      [],
      ':1: A table has at least one entry for each of its 16 pools',
    ],
    [
      'a boundary at which the kernel stops',
      lines('{"t":"init","num_entries":64,"table_shift":12,"seg_boundary":12287}'),
      ['--policy=pools'],
      ':1: The segment boundary is a power of two of pages',
    ],
    [
      'an operation below zero',
      lines(INIT, '{"t":"f","e":-1,"n":1}'),
      [],
      ':2: "e", the entry, is',
    ],
    ['a mapping without end', map('0x1000', '0xffffffffffffffff'), [], ':1: I/O addresses have 64'],
    ['a mapping of everything', map('0x1000', '0xfffffffffff'), [], ':1: A mapping has at most 67'],
    ['a line without end', `${'x'.repeat(3e6)}\n`, [], ':1: A line of ftrace has at most 8192'],
  ])('%s', async (name, text, options, sentence) => {
    const path = maps(`${name.replaceAll(/\W/g, '-')}.trace`, text);
    const { code, out, err } = await busyard('replay-maps', path, ...options);
    expect(err).toContain(`${path}${sentence}`);
    expect(code).toBe(2);
    expect(out).toBe('');
  });

  test.each([
    [['--entries', '0'], '--entries: "0" is out of range; it is 1 to 67108864.'],
    [['--pools', '17'], '--pools: "17" is out of range; it is 1 to 16.'],
    [['--page', '3 KiB'], '--page: "3 KiB" is out of range; it is 4 KiB to 64 MiB.'],
    [['--page', '5000'], '--page: A page is a power of two of bytes; "5000" is not.'],
    [
      ['--entries', '3'],
      '--entries, --pools: A table has at least one entry for each of its 4 pools',
    ],
    [['--entries', '67108864'], '--entries can be at most 25165824.'],
    [['--policy', 'first_fit'], 'There is no policy "first_fit"; did you mean "first-fit"?'],
  ])('options %j', async (options, sentence) => {
    const path = maps('options.trace', lines(INIT));
    const { code, err } = await busyard('replay-maps', path, '--policy', 'all', ...options);
    expect(err).toContain(sentence);
    expect(code).toBe(2);
  });
});

describe('an unknown name is answered with the known ones', () => {
  test.each([
    [['explore', 'nope'], 'There is no configuration "nope". Known: processors-2x1,'],
    [['faults', 'nope'], 'There is no defect "nope". Known: ok_while_dirty,'],
    [
      ['strength', 'gt/crossover', '--constant', 'cpu.x'],
      '--constant: There is no constant "cpu.x"',
    ],
  ])('%j', async (args, sentence) => {
    const { code, err } = await busyard(...args);
    expect(err).toContain(sentence);
    expect(code).toBe(2);
  });
});

describe('an error in a saved session gives its place and the correct form', () => {
  const whole = savedSession();
  const { edits: _, ...cut } = whole;

  test.each([
    [cut, ':1:1: "edits" is missing. (/edits)'],
    [
      { ...whole, scenario: 'gt/one-word' },
      'The scenario is an object: the "id" of an included one',
    ],
    [
      { ...whole, scenario: { id: 'constructor' } },
      'There is no scenario "constructor". (/scenario/id)',
    ],
    [{ ...whole, seed: 1.5 }, 'This should be a whole number. (/seed)'],
    [{ ...whole, hash: 'zz' }, 'These are 16 digits of 0 to 9 and a to f. (/hash)'],
    [{ ...whole, busyard_session: 9 }, 'this program reads version 1. (/busyard_session)'],
    [
      { ...whole, commands: [{ at_events: 3, param: 'ring.rate', value: '1 MB/s' }] },
      'There is no key "at_events" here. Known: at, param, value. (/commands/0/at_events)',
    ],
  ])('%j', async (session, sentence) => {
    const { code, err } = await busyard('run', file('session.json', JSON.stringify(session)));
    expect(err).toContain(sentence);
    expect(code).toBe(2);
  });
});

test('the size limit of a saved session exceeds that of a scenario, which it contains', async () => {
  const shipped = readFileSync('scenarios/gt/one-word.json', 'utf8');
  const text = `${shipped}${'// and more "words"\n'.repeat(13_000)}`.slice(0, 256 * 1024);
  const session = JSON.stringify(savedSession({ scenario: { text, name: 'mine.json' } }));
  expect(session.length).toBeGreaterThan(256 * 1024);
  const { code, out } = await busyard('run', file('session.json', session));
  expect(code).toBe(0);
  expect(out).toContain('hash');
});
