/**
 * Every option of every command is refused if it is given twice, empty, missing, or combined with one that excludes
 * it.
 */
import { describe, expect, test } from 'vitest';
import { busyard, file } from './support/command-line';

const refs = file('refs.din', '0 1000\n');
const maps = file('maps.trace', '{"t":"init","num_entries":64,"table_shift":12,"npools":4}\n');
const ID = 'gt/one-word';

/** Arguments of each command, and its options that take one value. */
const COMMANDS: Record<string, { args: string[]; single?: string[]; many?: string[] }> = {
  run: { args: [ID], single: ['until'], many: ['set', 'var'] },
  check: { args: [] },
  lesson: { args: [ID] },
  strength: { args: [ID], many: ['constant'] },
  sweep: { args: [ID], single: ['metric', 'jobs', 'shard'], many: ['set', 'var', 'over'] },
  test: { args: [ID], single: ['jobs', 'junit', 'golden'] },
  trace: { args: [ID], single: ['until', 'format'], many: ['set', 'var'] },
  explore: { args: [] },
  faults: { args: [] },
  'replay-refs': { args: [refs], single: ['cpus'], many: ['set'] },
  'replay-maps': { args: [maps], single: ['pools', 'entries', 'page'], many: ['policy'] },
  'explore-maps': { args: [], single: ['threads', 'entries', 'pages'] },
  schema: { args: [] },
  reference: { args: [] },
};

async function refused(args: readonly string[], sentence: string | RegExp) {
  const { code, out, err } = await busyard(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(sentence);
  expect(err).not.toMatch(/defect|undefined|\n\s+at /);
}

describe.each(Object.entries(COMMANDS))('%s', (name, { args, single = [], many = [] }) => {
  test('has its own help', async () => {
    const { code, out, err } = await busyard(name, '--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Usage: busyard ${name} `);
    for (const option of [...single, ...many]) expect(out).toContain(`--${option} <`);
    for (const other of Object.keys(COMMANDS))
      if (other !== name) expect(out).not.toContain(`busyard ${other} `);
    expect((await busyard('help', name)).out).toBe(out);
  });

  test('refuses an unknown option', () => refused([name, ...args, '--nope'], '--nope'));

  test.each([...single, ...many])('--%s needs a value', async (option) => {
    await refused([name, ...args, `--${option}`], `--${option}`);
    await refused([name, ...args, `--${option}=`], `--${option}`);
    await refused([name, ...args, `--${option}`, '--help'], `--${option}`);
  });

  test.each(single)('--%s takes one value', (option) =>
    refused([name, ...args, `--${option}=1`, `--${option}=2`], `--${option} is given twice`),
  );
});

test.each([
  [['run', ID, '--set', 'gt.accept=64KiB=2'], 'should be name=value'],
  [['run', ID, '--set', 'gt.accept=1ns', '--set', 'gt.accept=2ns'], 'gt.accept is given twice'],
  [['sweep', 'gt/gfixit', '--var', 'a=1', '--var', 'a=2'], '--var a is given twice'],
  [['replay-refs', refs, '--set', 'cache.size=64KiB=2'], 'should be name=value'],
  [['replay-refs', refs, '--set', 'size=1KiB', '--set', 'cache.size=2KiB'], 'size is given twice'],
  [['replay-maps', maps, '--pools', '4'], '--pools needs --policy'],
  [['replay-maps', maps, '--entries', '4'], '--entries needs --policy'],
  [['replay-maps', maps, '--page', '4KiB'], '--page needs --policy'],
  [['replay-maps', maps, '--check', '--page', '4KiB'], 'cannot be combined with --policy'],
  [['explore', 'coherent-2x1', '--long'], '--long adds to the standard configurations'],
  [['explore', '--json', '--way'], 'either --json or --way'],
  [['faults', '--json', '--way'], 'either --json or --way'],
  [['check', ID, ID], 'is given twice'],
  [['check', ID, '--json', '--junit'], 'Choose one of'],
  [['run', ID, '--until', '1e9 s'], '"1e9 s" has an exponent; write the digits out'],
  [['run', file('brace.json', '}')], /brace\.json:1:1: This is not JSON/],
  [['run', file('blank.json', ' // nothing\n')], 'The file is empty'],
])('%j', (args, sentence) => refused(args, sentence));

test('results of explore and faults go to standard output', async () => {
  const explored = await busyard('explore', 'processors-2x1');
  expect(explored).toMatchObject({ code: 0, err: '' });
  expect(explored.out).toMatch(/^processors-2x1: \d+ states.*: all hold\n$/);
  const broken = await busyard('faults', 'purged_first');
  expect(broken).toMatchObject({ code: 0, err: '' });
  expect(broken.out.trim().split('\n')).toHaveLength(2);
});

test('a trace prints entries beyond 2^53 with all their bits', async () => {
  const { out } = await busyard('trace', 'hp/at-work', '--until', '30 us');
  expect(out).toContain(`"entry":${0x14d000000108001n},`);
});
