/** Shared address space I/O: what the paper says without a number, and what has to hold whatever the costs are. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inlineCode } from '../src/engine/code-inline';
import { Core } from '../src/engine/core';
import { compile, paramAt } from '../src/model/scenario/compile';
import { variablesAt } from '../src/model/scenario/experiment';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { compiled, scenarioAt } from './support/scenarios';

const code = await inlineCode();

/** Runs a scenario to its end; a counter by its part and name. */
function run(slug: string, at: Assignment, edits: Assignment = {}) {
  const scenario = scenarioAt(`scenarios/soc/${slug}.json`);
  const variables = variablesAt(scenario, at);
  if (!variables.ok) throw new Error(variables.problems[0]?.message);
  const machine = compile(scenario, { variables: variables.value, edits, traceLog2: 0 });
  if (!machine.ok) throw new Error(machine.problems[0]?.message);
  const core = new Core(code);
  core.open(machine.value.config);
  core.run(machine.value.untilPs, Number.POSITIVE_INFINITY);
  return (part: string, name: string): number => {
    const index = machine.value.parts.findIndex((one) => one.name === part);
    const counter = machine.value.parts[index]?.type.counters.findIndex((one) => one.name === name);
    return core.counters(index)[counter ?? -1] ?? Number.NaN;
  };
}

const packets = (load: string, design: string, edits?: Assignment) =>
  run('gains', { load, design }, edits)('tcpip', 'processed');

describe('what the second processor brings', () => {
  test.each(['crc', 'md5'])('under light load, %s once, one processor is better', (load) => {
    expect(packets(load, 'uni')).toBeGreaterThan(packets(load, 'shared'));
  });

  test('is decided by its own speed for CRC, and by the main processor for MD5 twice', () => {
    const faster = { 'tcpip.io_protocol_time': '1200 us' };
    expect(packets('crc_twice', 'shared', faster)).toBeGreaterThan(packets('crc_twice', 'shared'));
    expect(packets('md5_twice', 'shared', faster)).toBe(packets('md5_twice', 'shared'));
  });
});

test('what is read is what was sent, in each design', () => {
  for (const design of ['uni', 'copy', 'pointer', 'shared']) {
    const counter = run('copy-or-pointer', { design });
    expect(counter('tcpip', 'wrong'), design).toBe(0);
    expect(counter('tcpip', 'processed'), design).toBeGreaterThan(300);
    expect(counter('ethernet', 'lost'), design).toBe(0);
  }
});

test.each([1, 8])(
  'a buffer given back too early spoils sums, in time none, with a ring of %d',
  (ring) => {
    expect(run('early-release', { ring })('tcpip', 'wrong')).toBeGreaterThan(100);
    expect(run('early-release', { ring }, { 'tcpip.fault': 'none' })('tcpip', 'wrong')).toBe(0);
  },
);

test('a lock whose owner inherits is waited for no longer than it is held', () => {
  const waits = (inherit: boolean) => run('inversion', { inherit })('kernel', 'lock_wait_most');
  expect(waits(true)).toBeLessThan(420e6);
  expect(waits(false)).toBeGreaterThan(6000e6);
});

test('MODEL.md says how far each gain moves with each cost', () => {
  const model = readFileSync(new URL('../MODEL.md', import.meta.url), 'utf8');
  const numbers = (cell: string) => cell.split(', ').map((one) => Number(one.replace('−', '-')));
  const rows = [...model.matchAll(/^\| `(tcpip\.\w+)` \|[^|]*\|(.*)\|$/gm)];
  expect(rows).toHaveLength(6);
  const loads = ['crc_twice', 'crc_task', 'md5_twice', 'md5_task'];
  const stack = compiled(scenarioAt('scenarios/soc/gains.json'));
  rows.forEach(([, path = '', cells = ''], row) => {
    const value = Number(paramAt(stack, path)?.value);
    loads.forEach((load, i) => {
      if (i % 2 !== row % 2) return; // every other one: they are many runs
      const edit = (share: number) => ({ [path]: `${Math.round(value * share)} ps` });
      const gains = [0.8, 1.2].map((share) => {
        const [shared, uni] = ['shared', 'uni'].map((one) => packets(load, one, edit(share)));
        return ((shared ?? 0) / (uni ?? 1) - 1) * 100;
      });
      numbers(cells.split('|')[i]?.trim() ?? '').forEach((told, side) => {
        expect(told, `${path}, ${load}`).toBe(Number(gains[side]?.toFixed(1)));
      });
    });
  });
});
