/** Rows of the I/O TLB that several streams share, from whole runs: their evictions, the cost and the fixes. */
import { describe, expect, test } from 'vitest';
import { evictionSentence, namedStreams, thrashSummary } from '../src/draw/coherence/thrash-text';
import { requestersAt } from '../src/draw/coherence/tlb-requesters';
import { lookUpPhrases } from '../src/draw/coherence/tlb-slots';
import { textOf } from '../src/draw/phrase';
import { Core } from '../src/engine/core';
import { shapesOf } from '../src/engine/engine-code';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { PART_TYPES } from '../src/engine/gen/layout';
import { CoherenceLog } from '../src/model/coherence/coherence-log';
import { coherentMachine } from '../src/model/coherence/coherence-roles';
import { tlbMoment } from '../src/model/coherence/tlb-moment';
import { PURGE, tlbThrashUntil } from '../src/model/coherence/tlb-thrash';
import { placeBuffers } from '../src/model/diagnosis/buffer-placement';
import type { Fix } from '../src/model/diagnosis/fixes';
import { thrashFixes } from '../src/model/diagnosis/thrash-fixes';
import { withPrograms } from '../src/model/scenario/program-overrides';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { createTrace } from '../src/model/trace/trace';
import { compiled, scenarioAt } from './support/scenarios';

const code = { module: await inlineChecks(), parts: shapesOf(PART_TYPES) };
const ALL = Number.POSITIVE_INFINITY;

function run(id: string, variables: Assignment = {}, fix: Fix | null = null) {
  const data = withPrograms(scenarioAt(`scenarios/${id}.json`), fix?.programs);
  if (!data.ok) throw new Error(data.problems[0]?.message);
  const machine = compiled(data.value, { variables, edits: fix?.edits });
  const core = new Core(code);
  core.open(machine.config);
  core.run(machine.untilPs, 2_000_000);
  const trace = createTrace(machine);
  trace.append(core.trace(1, 1 << 17));
  const coherent = coherentMachine(machine);
  const { tlb } = coherent;
  if (!tlb) throw new Error(`${id} has no I/O TLB.`);
  const log = new CoherenceLog(trace, coherent).update();
  const { type } = machine.parts[tlb.part] ?? {};
  const counter = (name: string): number =>
    core.counters(tlb.part)[type?.counters.findIndex((one) => one.name === name) ?? -1] ?? -1;
  return { coherent, machine, data: data.value, tlb, log, counter, trace };
}

describe('the look-up in play', () => {
  const { coherent, tlb, log, machine, data } = run('hp/two-streams');
  const devices = { disk: 0, lan: 0 };
  for (const { index, title } of machine.parts)
    if (title === 'Disk') devices.disk = index;
    else if (title === 'LAN') devices.lan = index;
  const missAt = (place: number) => {
    const lookUps = log.lookUpsTo(2, ALL).filter(({ evicted }) => evicted?.byRival);
    const lookUp = lookUps[place];
    if (!lookUp) throw new Error('There are fewer evictions.');
    return lookUp;
  };

  test('waits for the directory, pushes the old translation out, and lays it down before the next', () => {
    const { seq, timePs, refill } = missAt(20);
    const progressAt = (share: number) =>
      tlbMoment(log, { seq, timePs: timePs + share * (refill ?? 0) })?.progress;
    expect(progressAt(0)).toEqual({ approach: 0, read: 0, push: 0, fall: 0 });
    expect(progressAt(0.5)).toMatchObject({ approach: 1, push: 0, fall: 0 });
    expect(progressAt(0.5)?.read).toBeGreaterThan(0);
    expect(progressAt(1)).toMatchObject({ read: 1, push: 1, fall: 0 });
    expect(progressAt(3)?.fall).toBe(1);
  });

  test('shows each moment by itself, and the end of each look-up where motion is reduced', () => {
    const { seq, timePs } = missAt(7);
    const late = tlbMoment(log, { seq: missAt(90).seq, timePs: missAt(90).timePs });
    expect(late?.count).toBeGreaterThan(90);
    expect(tlbMoment(log, { seq, timePs })).toEqual(tlbMoment(log, { seq, timePs }));
    expect(tlbMoment(log, { seq, timePs }, true)?.progress).toMatchObject({ push: 1, fall: 0 });
  });

  test('says what it evicted: whose it was, how many look-ups it answered, how old it was', () => {
    const lookUp = missAt(20);
    expect(lookUp.evicted?.device).not.toBe(lookUp.device);
    expect(lookUp.evicted?.lookUps).toBe(1);
    expect(lookUp.evicted?.agePs).toBeGreaterThan(0);
    const moment = tlbMoment(log, lookUp);
    if (!moment) throw new Error('There is no look-up.');
    expect(moment.contended).toBe(true);
    expect(moment.slots).toHaveLength(1);
    const requesters = requestersAt(coherent, log, moment);
    expect(requesters.map(({ title }) => title)).toEqual(['Disk', 'LAN']);
    expect(requesters.reduce((sum, { lost }) => sum + lost, 0)).toBeGreaterThanOrEqual(20);
    const sentence = textOf(
      lookUpPhrases({ moment, requesters, dragged: null, movable: [], address: 0 }),
    );
    expect(sentence).toMatch(
      /^(Disk|LAN) block \d+ evicts (Disk|LAN) block \d+ after 1\slook-up, /,
    );
  });

  test('finds two rows and hits only, once the buffers of one device lie in another chain', () => {
    const fix = placeBuffers(machine, tlb, { device: devices.lan, chain: 5 }, data);
    const apart = run('hp/two-streams', {}, fix);
    expect(apart.log.chains()).toEqual([2, 5]);
    expect([devices.disk, devices.lan].map((device) => apart.log.lossesTo(device, ALL))).toEqual([
      0, 0,
    ]);
    const midway = apart.log.lookUpsTo(5, ALL)[50];
    const moment = midway && tlbMoment(apart.log, midway);
    expect(moment?.slots.map(({ chain }) => chain)).toEqual([2, 5]);
    expect(moment?.contended).toBe(false);
    const again = placeBuffers(
      apart.machine,
      apart.tlb,
      { device: devices.lan, chain: 9 },
      apart.data,
    );
    expect(run('hp/two-streams', {}, again).log.chains()).toEqual([2, 9]);
  });

  test.each(['hpux', 'hpux_next', 'sequential'])(
    'has its row by the allocator %s too',
    (allocator) => {
      const asked = run('hp/two-streams', { allocator });
      const fix = placeBuffers(
        asked.machine,
        asked.tlb,
        { device: devices.disk, chain: 7 },
        asked.data,
      );
      expect(run('hp/two-streams', { allocator }, fix).log.chains()).toContain(7);
    },
  );
});

describe('disk and LAN in one chain', () => {
  const { coherent, tlb, log, counter } = run('hp/two-streams');
  const thrash = tlbThrashUntil(log, tlb, ALL);
  const streams = namedStreams(coherent, thrash);
  const lost = (row: number, who: string) =>
    thrash.rows[row]?.losses.get(streams.find(({ title }) => title === who)?.key ?? '');

  test('lose their translations to each other, and each pays for the other', () => {
    expect(streams.map(({ title }) => title).sort()).toEqual(['Disk', 'LAN']);
    expect(thrash.misses).toBe(counter('misses'));
    expect(thrash.lookUps).toBe(counter('lookups'));
    const [disk, lan] = [lost(0, 'Disk'), lost(0, 'LAN')];
    expect(disk?.returns).toBeGreaterThan(100);
    const [disks = '', lans = ''] = ['Disk', 'LAN'].map(
      (who) => streams.find(({ title }) => title === who)?.key,
    );
    expect(disk?.blame.get(lans)).toBeGreaterThan(100);
    expect(lan?.blame.get(disks)).toBeGreaterThan(100);
    expect([disk?.blame.has(disks), lan?.blame.has(lans)]).toEqual([false, false]);
  });

  test('lose a few more as unmap empties the row, whatever it holds', () => {
    const purged = (who: string) => lost(0, who)?.blame.get(PURGE) ?? 0;
    expect(purged('Disk') + purged('LAN')).toBe(5);
  });

  // Of all misses, those are not losses that are the first for a page that has just been mapped: twelve pages.
  test('lose translations that stayed valid: the first look-up of each new mapping is no loss', () => {
    expect(thrash.misses - thrash.returns).toBe(12);
  });

  test('wait for the page directory, which the cost adds up', () => {
    const first = log.lookUpsTo(2, ALL).find(({ missed, returns }) => missed && returns > 0);
    expect(first?.refill).toBeGreaterThan(100_000);
    const total = thrash.rows.reduce((all, { time }) => all + time, 0);
    expect(thrash.time).toBe(total);
    expect(thrash.time / thrash.returns).toBeGreaterThan(200_000);
  });

  test('are told apart up to any record', () => {
    const half = log.lookUpsTo(2, ALL)[200]?.seq ?? 0;
    expect(tlbThrashUntil(log, tlb, half).lookUps).toBe(201);
    expect(tlbThrashUntil(log, tlb, 0)).toMatchObject({ lookUps: 0, rows: [] });
  });

  test('are described in words', () => {
    const [row] = thrash.rows;
    const [first] = streams;
    expect(row && first && evictionSentence(row, first, row.losses.get(first.key), streams)).toBe(
      'Row 2: LAN was evicted by Disk 877 times and a purge of the row 3 times, and reread its translation in 294\u00a0µs; 1\u202f024\u00a0look-ups, 884\u00a0misses.',
    );
    expect(thrashSummary(thrash, 1e9)).toContain('of the time so far');
    expect(thrashSummary(tlbThrashUntil(log, tlb, 0), 0)).toMatch(/No device has requested/);
  });
});

test('where each stream has its own row there is no loss', () => {
  const { tlb, log } = run('hp/two-streams', { allocator: 'hpux' });
  const thrash = tlbThrashUntil(log, tlb, ALL);
  expect([thrash.returns, thrash.time, thrash.rows]).toEqual([0, 0, []]);
  expect(thrashSummary(thrash, 1e9)).toContain('each the first of its page');
});

test('of one device that takes its buffers in any order the blocks are the streams', () => {
  const { coherent, tlb, log, counter } = run('hp/any-order');
  const thrash = tlbThrashUntil(log, tlb, ALL);
  const streams = namedStreams(coherent, thrash);
  expect(streams.length).toBeGreaterThan(4);
  for (const { title } of streams) expect(title).toMatch(/^Disk, block \d+$/);
  expect(thrash.misses).toBe(counter('misses'));
  expect(thrash.misses - thrash.returns).toBe(8);
});

describe('fixes', () => {
  const before = run('hp/two-streams');
  const fixes = thrashFixes(before.machine, before.tlb, before.data);
  const thrown = (title: RegExp) => {
    const fix = fixes.find((one) => title.test(one.title));
    if (!fix) throw new Error(`There is no ${title}.`);
    return run('hp/two-streams', {}, fix).counter('thrashes');
  };

  test('are other allocators, more rows and hints by drivers; none equals the present settings', () => {
    expect(fixes.map(({ title }) => title)).toEqual([
      'HP-UX default: ranges in order',
      'HP-UX ranges, next fit',
      'HP-UX sequential: pages of reserved ranges',
      'a chain for each device',
      '512 rows',
      '2048 rows, one for each range',
      'Drivers say that their devices take buffers in sequence',
    ]);
  });

  test('that separate the streams help, and rows that still share a chain help in part', () => {
    const none = before.counter('thrashes');
    expect(thrown(/^HP-UX default/)).toBeLessThan(20);
    expect(thrown(/^2048 rows/)).toBeLessThan(20);
    expect(thrown(/^512 rows/)).toBeLessThan(none);
    expect(thrown(/^512 rows/)).toBeGreaterThan(100);
  });

  test('that do not fit the buffers do not help: two pages are no page of an own range', () => {
    expect(thrown(/^Drivers say/)).toBe(before.counter('thrashes'));
  });
});
