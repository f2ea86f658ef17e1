/** The holders of a line: the trace agrees with the caches' contents and with the adapter's counters. */
import { describe, expect, test } from 'vitest';
import {
  contests,
  holdAt,
  holdSentence,
  ownershipModel,
  ownershipSentence,
  ownershipShapes,
  ownershipTotals,
} from '../src/draw/run/ownership';
import { Core } from '../src/engine/core';
import { shapesOf } from '../src/engine/engine-code';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { PART_TYPES } from '../src/engine/gen/layout';
import { lineOwners, OwnershipLog } from '../src/model/coherence/line-ownership';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { createTrace } from '../src/model/trace/trace';
import { compiled, scenarioAt } from './support/scenarios';

const code = { module: await inlineChecks(), parts: shapesOf(PART_TYPES) };
const ALL = Number.POSITIVE_INFINITY;
const PATH = 'scenarios/zx1/read-current.json';

function run(variables: Assignment, until: number = ALL) {
  const machine = compiled(scenarioAt(PATH), { variables });
  const owners = lineOwners(machine);
  if (!owners) throw new Error('Nobody takes a line.');
  const core = new Core(code);
  core.open(machine.config);
  const trace = createTrace(machine);
  const end = Math.min(machine.untilPs, until);
  for (let ps = 1e8; ps < end + 1e8; ps += 1e8) {
    core.run(Math.min(ps, end), 100_000);
    trace.append(core.trace(trace.last + 1, 1 << 17));
  }
  expect(trace.first, 'the record is whole').toBe(1);
  const log = new OwnershipLog(trace, owners);
  while (!log.update());
  const counter = (name: string): number => {
    const { index, type } = owners.adapter;
    return core.counters(index)[type.counters.findIndex((one) => one.name === name)] ?? -1;
  };
  const rows = (part: number, column: string): number[] => {
    const { views } = machine.parts[part]?.type ?? { views: [] };
    const view = views.findIndex(({ name }) => name === 'lines');
    const at = views[view]?.fields.findIndex(({ name }) => name === column) ?? -1;
    return [...(core.view({ part, view }).columns[at] ?? [])];
  };
  const [cache] = owners.caches;
  if (!cache) throw new Error('No cache.');
  return { owners, cache, holds: log.holds, longest: log.longest, counter, rows };
}

const DIRTY = 1;
const SHARED = 2;

describe.each([
  ['with ownership', { owns: 'private' }],
  ['beside the processors', { owns: 'shared' }],
])('lines that a storage adapter reads %s', (_, variables: Assignment) => {
  test.each([300e6, ALL])("match the caches' contents, until %d ps", (until) => {
    const { owners, cache, holds, rows } = run(variables, until);
    const [tags, uses] = [rows(cache.index, 'tag'), rows(cache.index, 'use')];
    const caches = tags.flatMap((tag, row) => {
      const use = uses[row] ?? 0;
      const state = use & SHARED ? 'shared' : use & DIRTY ? 'dirty' : 'clean';
      return tag === 0 ? [] : [`${(tag - 1) * owners.line} ${state}`];
    });
    const states = rows(owners.adapter.index, 'state');
    const kept = rows(owners.adapter.index, 'addr').flatMap((address, row) =>
      states[row] ? [`${address} ${states[row] === 2 ? 'clean' : 'shared'}`] : [],
    );
    const open = (part: number) =>
      holds
        .filter(({ holder, to }) => holder === part && to === null)
        .map(({ address, state }) => `${address} ${state}`);
    expect(caches.length).toBeGreaterThan(100);
    expect(open(cache.index).sort()).toEqual(caches.sort());
    expect(open(owners.adapter.index).sort()).toEqual(kept.sort());
  });

  test("add up to the adapter's counters", () => {
    const { owners, holds, counter } = run(variables);
    const totals = ownershipTotals(holds, owners.adapter.index, ALL);
    expect(totals.kept).toBe(counter('kept'));
    expect(totals.recalled).toBe(counter('recalled'));
    expect(totals.taken).toBe(counter('taken'));
    const shared = holds.filter(
      ({ holder, state }) => holder !== owners.adapter.index && state === 'shared',
    );
    // A line that is read again while shared is counted again, but does not change.
    expect(counter('shared')).toBeGreaterThanOrEqual(shared.length);
    expect(shared.length > 0).toBe(counter('shared') > 0);
  });
});

describe('the drawing of a block that is filled and read', () => {
  const { owners, cache, holds, longest } = run({ owns: 'private' });
  const holders = [
    { part: cache.index, title: 'CPU' },
    { part: owners.adapter.index, title: 'I/O cache' },
  ];
  const recalled = holds.find(({ end }) => end === 'recalled');
  const window = { from: 0, to: 8 * longest };
  const model = ownershipModel({ holds, holders, window, left: 150, width: 700, room: 240 });

  test('has a band for each of the lines that go back and forth most, as many as fit', () => {
    expect(model.bands.length).toBeGreaterThan(4);
    expect(model.height).toBeLessThanOrEqual(240);
    const shown = model.bands.map(({ address }) => address);
    expect(shown).toEqual([...shown].sort((a, b) => a - b));
    const often = (line: number) =>
      holds.filter(({ address, from }) => address === line && from <= window.to).length;
    const least = Math.min(...shown.map(often));
    const others = new Set(
      holds.map(({ address }) => address).filter((one) => !shown.includes(one)),
    );
    expect(Math.max(...[...others].map(often))).toBeLessThanOrEqual(least);
  });

  test('has an arrow where a processor recalls a line, and shows nothing after the playhead', () => {
    const arrows = (until: number) =>
      ownershipShapes(model, until).filter(({ cls }) => cls.includes('recall')).length;
    const within = model.placed.filter(({ hold }) => hold.end === 'recalled').length;
    expect(within).toBeGreaterThan(0);
    expect(arrows(ALL)).toBe(within);
    expect(arrows(0)).toBe(0);
  });

  test('finds a hold under a point', () => {
    const [first] = model.placed;
    expect(first && holdAt(model, first.x + 1, first.y + 1)).toBe(0);
    expect(holdAt(model, 1, 1)).toBeNull();
  });

  test('is described in sentences, up to the playhead', () => {
    if (!recalled) throw new Error('Nothing was recalled.');
    expect(holdSentence(recalled, ALL, 'I/O cache')).toMatch(
      /^Line 0x[0-9A-F]+, private clean in I\/O cache from .*, for .*, then a processor recalls it\.$/,
    );
    expect(holdSentence(recalled, recalled.from, 'I/O cache')).toMatch(/still held\.$/);
    const totals = ownershipTotals(holds, owners.adapter.index, ALL);
    expect(ownershipSentence(totals)).toMatch(
      /^Devices took 2\s556\slines from processors; the I\/O cache kept 4\s096: 215 recalled, /,
    );
    const [most, next] = contests(holds, holders, ALL);
    const sum = ({ taken = 0, recalled: back = 0 } = {}) => taken + back;
    expect(sum(most)).toBeGreaterThanOrEqual(sum(next));
    expect(sum(next)).toBeGreaterThan(0);
    const early = contests(holds, holders, recalled.from);
    expect(early.some(({ line, recalled: back }) => line === recalled.address && back > 0)).toBe(
      false,
    );
  });
});

test('with Read Current no line changes its owner, and there is nothing to show', () => {
  for (const path of ['scenarios/zx1/ordering.json', 'scenarios/gt/crossover.json'])
    expect(lineOwners(compiled(scenarioAt(path)))).toBeNull();
});
