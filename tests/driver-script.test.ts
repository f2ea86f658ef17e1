/** The calls of drivers, read from whole runs: what they cost and what comes of them is what the machine counts. */
import { describe, expect, test } from 'vitest';
import { spreadOf } from '../src/draw/run/call-spread';
import { byKind, callName, callSentence, summaryOf, totalsOf } from '../src/draw/run/driver-calls';
import { Core } from '../src/engine/core';
import { shapesOf } from '../src/engine/engine-code';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { PART_TYPES } from '../src/engine/gen/layout';
import { driverRoles } from '../src/model/drivers/driver-roles';
import { type DriverCall, DriverCalls } from '../src/model/drivers/mapping-calls';
import { createTrace } from '../src/model/trace/trace';
import { compiled, scenarioAt } from './support/scenarios';

const code = { module: await inlineChecks(), parts: shapesOf(PART_TYPES) };

function run(id: string) {
  const machine = compiled(scenarioAt(`scenarios/${id}.json`));
  const core = new Core(code);
  core.open(machine.config);
  core.run(machine.untilPs, 2_000_000);
  const trace = createTrace(machine);
  const records = core.trace(1, 1 << 17);
  trace.append(records);
  const roles = driverRoles(machine);
  if (!roles) throw new Error(`${id} has no driver.`);
  const log = new DriverCalls(trace, machine, roles);
  while (!log.update());
  const counter = (part: string, name: string): number => {
    const { index, type } = machine.parts.find((one) => one.name === part) ?? {};
    const at = type?.counters.findIndex((one) => one.name === name) ?? -1;
    return core.counters(index ?? -1)[at] ?? Number.NaN;
  };
  return { trace, records, roles, log, calls: log.calls, counter };
}

const sum = (calls: readonly DriverCall[], of: (call: DriverCall) => number): number =>
  calls.reduce((all, call) => all + of(call), 0);

const added = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

const begun = (title: string) => (call: DriverCall) => call.transactions.get(title) ?? 0;

describe.each(['hp/two-streams', 'hp/lan-buffers', 'hp/scatter-gather'])('in %s', (id) => {
  const { calls, counter } = run(id);

  test('entries of the page directory are those of the services', () => {
    expect(sum(calls, ({ entries }) => entries)).toBe(counter('services', 'entries'));
    expect(sum(calls, ({ cleared }) => cleared)).toBeGreaterThan(0);
  });

  test('every call returns, and its thread is somewhere all the time', () => {
    for (const call of calls) {
      const { from, to, states } = call;
      expect(to, callName(call)).not.toBeNull();
      const there = [...states.values()].reduce((all, ps) => all + ps, 0);
      expect(there, callName(call)).toBeLessThanOrEqual((to ?? 0) - from);
    }
  });

  test('stores to registers of devices go over the bus, each for the call that stored', () => {
    for (const call of calls) expect(begun('WRITE4')(call), callName(call)).toBe(call.registers);
  });
});

describe('two drivers that map at the same time', () => {
  const { calls, counter } = run('hp/two-streams');
  const maps = calls.filter(({ row }) => row !== null);

  test('have separate lines, entries and purges, although each waits for the other on the bus', () => {
    expect(maps).toHaveLength(6);
    for (const call of maps) {
      const { entries, cleared, purges, registers } = call;
      expect([entries, cleared, purges, registers]).toEqual([2, 2, 1, 4]);
      expect(begun('READ private')(call)).toBe(2);
    }
    expect(sum(calls, begun('READ private'))).toBe(counter('runway', 'read_private'));
  });

  test('are off the processor while their devices move data, and another handles the interrupt', () => {
    const [first] = maps;
    const own = first ? byKind(first).reduce((all, ps) => all + ps, 0) : 0;
    expect(own).toBeLessThan(0.1 * ((first?.to ?? 0) - (first?.from ?? 0)));
    const handlers = calls.filter(({ row }) => row === null);
    expect(new Set(handlers.map(({ cpu }) => cpu.title))).toEqual(new Set(['CPU 0']));
  });
});

describe('one map after another', () => {
  const { calls, roles, trace, records, log } = run('hp/lan-buffers');
  const maps = calls.filter((call) => callName(call) === 'map');

  // 101 instructions, three more for each range passed, and a store: 8.333 ns where the line of four entries is here, some 44 cycles of 120 MHz where it is not.
  test('costs a line of the page directory for each four entries', () => {
    const took = maps.map(({ from, to }) => Math.round(((to ?? 0) - from) / 100) / 10);
    expect(took).toEqual([1208.3, 875, 900, 925, 1308.4, 975, 1000, 1025]);
    expect(maps.map(begun('READ private'))).toEqual([1, 0, 0, 0, 1, 0, 0, 0]);
    expect(maps.slice(0, 2).map((call) => Math.round((byKind(call)[1] ?? 0) / 8333))).toEqual([
      44, 0,
    ]);
  });

  test('is reported with its row, its time by state, and its result', () => {
    expect(maps[1] && callSentence(maps[1], roles.clock)).toBe(
      'map 0x101000, 1\u202f536\u00a0B, tag 1, row 2 of CPU 1, at 1.208\u00a0µs: 875\u00a0ns (105 cycles of Runway): driver 875\u00a0ns; 1\u00a0entry of the directory written.',
    );
    expect(summaryOf(totalsOf(calls))).toBe(
      '32\u00a0calls: 8 map, 8 start dma, 8 interrupt, 8 unmap.',
    );
  });

  test('has the duration shown in the histogram, bin by bin', () => {
    const { names, bins, most } = spreadOf(maps);
    expect(names).toEqual(['map']);
    expect(bins).toEqual([
      { title: '500\u00a0ns to 1\u00a0µs', counts: [5] },
      { title: '1\u00a0µs to 2\u00a0µs', counts: [3] },
    ]);
    expect(most).toBe(5);
    const all = spreadOf(calls);
    const each = all.names.map((_, i) => added(all.bins.map(({ counts }) => counts[i] ?? 0)));
    expect(each).toEqual(totalsOf(calls).map((total) => total.calls));
    const [first, last] = [all.bins[0], all.bins.at(-1)];
    expect(added(first?.counts ?? [])).toBeGreaterThan(0);
    expect(added(last?.counts ?? [])).toBeGreaterThan(0);
  });

  test('adds up by operation', () => {
    const [total] = totalsOf(maps);
    expect(total).toMatchObject({ name: 'map', calls: 8, transactions: 2, stores: 8, purges: 0 });
    expect(total?.took).toBeCloseTo(sum(maps, ({ from, to }) => (to ?? 0) - from) / 8, 6);
  });

  test('is found from any record that belongs to it', () => {
    const [first] = maps;
    const entry = trace.matching((event) => event.name === 'entry').next().value ?? 0;
    expect(log.callOf(entry)).toBe(first);
    expect(log.countTo((maps[2]?.seq ?? 0) - 1)).toBe(2);
  });

  test('is read again when the trace was regenerated', () => {
    const all = calls.map(({ seq, to }) => [seq, to]);
    trace.dropAfter(500);
    log.update();
    expect(log.calls.length).toBeLessThan(all.length);
    trace.append(records);
    while (!log.update());
    expect(log.calls.map(({ seq, to }) => [seq, to])).toEqual(all);
  });
});

test('a table in memory is written, flushed and purged by the calls that change it', () => {
  const { calls } = run('one/walk');
  const find = (name: string) => calls.find((call) => callName(call) === name);
  const [map, unmap] = [find('map'), find('unmap')];
  expect([map?.entries, map?.purges, unmap?.cleared, unmap?.purges]).toEqual([2, 0, 2, 2]);
  expect(map && [...map.transactions.keys()]).toContain('FLUSH');
});

test('a machine without mapping services lists no drivers', () => {
  expect(driverRoles(compiled(scenarioAt('scenarios/gt/gfixit.json')))).toBeNull();
});
