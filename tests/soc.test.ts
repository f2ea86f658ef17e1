/** Shared address space I/O: the paper's qualitative statements, and properties that hold for any costs. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applicationGains, gainSentences } from '../src/draw/realtime/application-gains';
import { pathSentence } from '../src/draw/realtime/design-path';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { designColumns } from '../src/model/lab/design-comparison';
import { type RunRow, startTable } from '../src/model/lab/run-table';
import { realTimeRoles } from '../src/model/realtime/realtime-roles';
import { strengths } from '../src/model/report/sensitivity-data';
import { sensitivityOf } from '../src/model/report/sensitivity-groups';
import { paramAt } from '../src/model/scenario/compiled';
import { variablesAt } from '../src/model/scenario/experiment';
import type { Assignment, Scenario } from '../src/model/scenario/scenario-types';
import { compiled, scenarioAt } from './support/scenarios';

const code = await inlineCode();

/** Runs a scenario to its end: its machine, and the counters of each part. */
function ended(scenario: Scenario, at: Assignment, edits: Assignment = {}) {
  const variables = variablesAt(scenario, at);
  if (!variables.ok) throw new Error(variables.problems[0]?.message);
  const machine = compiled(scenario, { variables: variables.value, edits, traceLog2: 0 });
  const core = new Core(code);
  core.open(machine.config);
  core.run(machine.untilPs, Number.POSITIVE_INFINITY);
  return {
    machine,
    counters: machine.parts.map((_, part) => Float64Array.from(core.counters(part))),
  };
}

/** A counter at the end of a run, by its part and name. */
function run(slug: string, at: Assignment, edits: Assignment = {}) {
  const { machine, counters } = ended(scenarioAt(`scenarios/soc/${slug}.json`), at, edits);
  return (part: string, name: string): number => {
    const index = machine.parts.findIndex((one) => one.name === part);
    const counter = machine.parts[index]?.type.counters.findIndex((one) => one.name === name);
    return counters[index]?.[counter ?? -1] ?? Number.NaN;
  };
}

const packets = (load: string, design: string, edits?: Assignment) =>
  run('gains', { load, design }, edits)('tcpip', 'processed');

describe('the gain of the second processor', () => {
  test.each(['crc', 'md5'])('under light load, %s once, one processor is better', (load) => {
    expect(packets(load, 'uni')).toBeGreaterThan(packets(load, 'shared'));
  });

  test.each(['des', 'huffman', 'des_twice', 'huffman_twice', 'des_task', 'huffman_task'])(
    'under heavy load, %s, both are equal within two packets',
    (load) => {
      expect(Math.abs(packets(load, 'shared') - packets(load, 'uni'))).toBeLessThanOrEqual(2);
    },
  );

  test('is decided by its own speed for CRC, and by the main processor for MD5 twice', () => {
    const faster = { 'tcpip.io_protocol_time': '1200 us' };
    expect(packets('crc_twice', 'shared', faster)).toBeGreaterThan(packets('crc_twice', 'shared'));
    expect(packets('md5_twice', 'shared', faster)).toBe(packets('md5_twice', 'shared'));
  });
});

test('readers get what was sent, in each design', () => {
  for (const design of ['uni', 'copy', 'pointer', 'shared']) {
    const counter = run('copy-or-pointer', { design });
    expect(counter('tcpip', 'wrong'), design).toBe(0);
    expect(counter('tcpip', 'processed'), design).toBeGreaterThan(300);
    expect(counter('ethernet', 'lost'), design).toBe(0);
  }
});

test.each([1, 8])(
  'a buffer returned too early spoils checksums, one returned in time none, with a ring of %d',
  (ring) => {
    expect(run('early-release', { ring })('tcpip', 'wrong')).toBeGreaterThan(100);
    expect(run('early-release', { ring }, { 'tcpip.fault': 'none' })('tcpip', 'wrong')).toBe(0);
  },
);

describe('packets that are cached', () => {
  const wrong = (memory: string, ring: number) => run('cached', { memory, ring })('tcpip', 'wrong');

  test('are stale the second time around without maintenance, and right with snooping', () => {
    expect(wrong('cached', 8)).toBeGreaterThan(100);
    expect(wrong('snooped', 8)).toBe(0);
    expect(wrong('uncached', 8)).toBe(0);
  });

  test('hide it in a ring that is larger than the cache', () => {
    expect(wrong('cached', 32)).toBe(0);
  });
});

test('with fixed priority the first waits less for the bus, and the others more', () => {
  const [turn, place] = ['round_robin', 'priority'].map((arbiter) => run('bus', { arbiter }));
  const waited = (counter: typeof turn, part: string) => counter?.(part, 'waited') ?? Number.NaN;
  expect(waited(place, 'main_cache')).toBeLessThan(waited(turn, 'main_cache'));
  expect(waited(place, 'io_cache')).toBeGreaterThan(waited(turn, 'io_cache'));
});

test('one more processor helps where that kind is the limit, and packets stay in order', () => {
  const packetsOf = (load: string, design: string) => {
    const counter = run('designs', { load, design });
    expect(counter('tcpip', 'wrong'), design).toBe(0);
    expect(counter('tcpip', 'gaps'), design).toBe(0);
    return counter('tcpip', 'processed');
  };
  expect(packetsOf('crc_twice', 'two_io')).toBeGreaterThan(1.1 * packetsOf('crc_twice', 'shared'));
  expect(packetsOf('crc_twice', 'two_main')).toBe(packetsOf('crc_twice', 'shared'));
  expect(packetsOf('md5_twice', 'two_main')).toBeGreaterThan(
    1.1 * packetsOf('md5_twice', 'shared'),
  );
  expect(packetsOf('md5_twice', 'two_io')).toBe(packetsOf('md5_twice', 'shared'));
});

test('the gain of an engine behind a link is limited by the link', () => {
  const sent = (link: string) => run('offload-engine', { link, load: 'crc' })('tcpip', 'processed');
  for (const [link, bytes] of [
    ['500 kB/s', 500e3],
    ['1 MB/s', 1e6],
  ] as const) {
    expect(Math.abs(sent(link) - bytes / 1578), link).toBeLessThan(10);
  }
  expect(sent('5 MB/s')).toBeGreaterThan(780);
});

test('with inheritance a lock is waited for no longer than it is held', () => {
  const waits = (inherit: boolean) => run('inversion', { inherit })('kernel', 'lock_wait_most');
  expect(waits(true)).toBeLessThan(420e6);
  expect(waits(false)).toBeGreaterThan(6000e6);
});

test('gains of four applications are those of the published loads, and follow the clocks', () => {
  const scenario = scenarioAt('scenarios/soc/applications.json');
  const table = startTable(scenario);
  const shown = new Map([
    ['crc', 'crc_twice'],
    ['md5', 'md5_twice'],
  ]);
  const rows = table.rows.map((row): RunRow => {
    const { passes, application, beside, design } = row.point.at;
    const load = shown.get(String(application));
    if (passes !== 2 || beside !== 'alone' || !load) return row;
    const counted = run('applications', row.point.at)('tcpip', 'processed');
    expect(counted, load).toBe(packets(load, String(design)));
    return { ...row, state: 'final', values: [counted] };
  });
  const sheets = applicationGains({ ...table, rows }) ?? [];
  expect(sheets.map(({ title }) => title)).toEqual(['alone', 'beside a task of a quarter']);
  const sentences = gainSentences(sheets).map((sentence) => sentence.replaceAll(/\s/g, ' '));
  expect(sentences[0]).toBe(
    'CRC, alone: once not run yet; twice +20.5 %, published +19.5 %; 3 times not run yet.',
  );
  expect(sentences[4]).toContain('published +8.8 %');
  const [before, faster] = ['50 MHz', '100 MHz'].map((clock) =>
    run(
      'applications',
      { passes: 2, application: 'crc' },
      { 'io.clock': clock },
    )('tcpip', 'processed'),
  );
  expect(faster).toBeGreaterThan(Number(before) * 1.15);
});

test('without snooping a copy needs a flush and a purge, and data read in place a purge', () => {
  const wrong = (upkeep: string, design: string) =>
    run('flush-and-purge', { upkeep, design })('tcpip', 'wrong');
  expect(['nothing', 'purge', 'flush'].map((one) => wrong(one, 'copy') > 100)).not.toContain(false);
  expect(wrong('both', 'copy')).toBe(0);
  expect(wrong('purge', 'in_place')).toBe(0);
});

test("designs are shown side by side with their runs' counters", () => {
  const scenario = scenarioAt('scenarios/soc/deadline.json');
  const table = startTable(scenario);
  const rows = table.rows.map((row): RunRow => {
    const { counters } = ended(scenario, row.point.at);
    return { ...row, state: 'final', counters };
  });
  const machine = compiled(scenario);
  const roles = realTimeRoles(machine, scenario);
  if (!roles) return expect.unreachable();
  const columns = designColumns({ ...table, rows }, machine, roles);
  expect(columns.map(({ title, current, made }) => [title, current, made?.copies])).toEqual([
    ['one processor', true, 1],
    ['copied twice', false, 2],
    ['an address, then a copy', false, 1],
    ['in place', false, 0],
  ]);
  for (const { made, variables, title } of columns) {
    const counter = run('deadline', variables);
    expect(made?.missed, title).toBe(counter('kernel', 'missed'));
    expect(made?.latency?.most, title).toBe(counter('tcpip', 'latency_most'));
    for (const shares of made?.cpus ?? []) {
      const busy = shares.reduce((sum, share) => sum + share, 0);
      expect(busy, title).toBeLessThanOrEqual(1 + 1e-9);
    }
  }
  expect(columns.map(({ made }) => made && pathSentence(made.way))).toEqual([
    'The main processor does TCP/IP and copies each packet for the application.',
    'The I/O processor does TCP/IP and copies each packet into a message; the application’s processor copies it.',
    'The I/O processor does TCP/IP and passes its address on; the application’s processor copies it.',
    'The I/O processor does TCP/IP and passes its address on; the application reads it where it lies.',
  ]);
  const [alone, , , inPlace] = columns.map(({ made }) => made);
  expect(alone?.missed).toBeGreaterThan(40);
  expect(inPlace?.missed).toBe(0);
  expect(alone?.cpus[1]?.every((share) => share === 0)).toBe(true);
});

test('the sensitivity of the gains is the same in the panel as in docs/model/soc.md', () => {
  const model = readFileSync(new URL('../docs/model/soc.md', import.meta.url), 'utf8');
  const firm = sensitivityOf(
    strengths.flatMap(({ groups }) => groups),
    'soc/gains',
  );
  const rows = [...model.matchAll(/^\| `(tcpip\.\w+)` \|[^|]*\|(.*)\|$/gm)];
  const documented = rows.map(([, path, cells = '']) => [
    path,
    cells.split('|').map((cell) => cell.trim().replaceAll('−', '-')),
  ]);
  const signed = (gain: number | null) => `${(gain ?? 0) < 0 ? '' : '+'}${gain?.toFixed(1)}`;
  const order = [
    'CRC, every packet twice',
    'CRC beside a task',
    'MD5, every packet twice',
    'MD5 beside a task',
  ];
  const shown = (firm?.costs ?? []).map(({ name, gains }): [string, string[]] => [
    name,
    order.map((title) => {
      const [less, more] = gains[firm?.gains.findIndex((one) => one.title === title) ?? -1] ?? [];
      return `${signed(less ?? null)}, ${signed(more ?? null)}`;
    }),
  ]);
  const kept = new Map(shown);
  for (const [path, cells] of documented)
    if (kept.has(String(path))) expect(kept.get(String(path)), String(path)).toEqual(cells);
  expect(kept.size).toBeGreaterThanOrEqual(5);
});

test('costs are listed by their effect on a gain, including all that were chosen from the gains', () => {
  const groups = strengths.flatMap((one) => one.groups);
  const { gains = [], costs = [] } = sensitivityOf(groups, 'soc/gains') ?? {};
  const reach = costs.map((cost) =>
    Math.max(
      ...cost.gains.flatMap((pair, i) =>
        pair.map((gain) => (gain === null ? 0 : Math.abs(gain - (gains[i]?.simulated ?? 0)))),
      ),
    ),
  );
  expect(reach).toEqual(reach.toSorted((a, b) => b - a));
  const chosen = costs.filter(({ basis }) => basis === 'calibrated').map(({ name }) => name);
  expect(chosen.toSorted()).toEqual(
    ['crc_time', 'io_protocol_time', 'md5_time', 'message_time'].map((one) => `tcpip.${one}`),
  );
});

test('docs/model/soc.md says how far each gain moves with each cost', { tags: ['pin'] }, () => {
  const model = readFileSync(new URL('../docs/model/soc.md', import.meta.url), 'utf8');
  const numbers = (cell: string) => cell.split(', ').map((one) => Number(one.replace('−', '-')));
  const rows = [...model.matchAll(/^\| `((?:tcpip|memory)\.\w+)` \|[^|]*\|(.*)\|$/gm)];
  expect(rows).toHaveLength(7);
  const loads = ['crc_twice', 'crc_task', 'md5_twice', 'md5_task'];
  const stack = compiled(scenarioAt('scenarios/soc/gains.json'));
  rows.forEach(([, path = '', cells = ''], row) => {
    const value = Number(paramAt(stack, path)?.value);
    loads.forEach((load, i) => {
      if (i !== row % 4) return; // one of each: they are many runs
      const edit = (share: number) => ({ [path]: `${Math.round(value * share)} ps` });
      const gains = [0.8, 1.2].map((share) => {
        const [shared, uni] = ['shared', 'uni'].map((one) => packets(load, one, edit(share)));
        return ((shared ?? 0) / (uni ?? 1) - 1) * 100;
      });
      numbers(cells.split('|')[i]?.trim() ?? '').forEach((stated, side) => {
        expect(stated, `${path}, ${load}`).toBe(Number(gains[side]?.toFixed(1)));
      });
    });
  });
});
