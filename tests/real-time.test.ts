/** Threads, packets and deadlines as the page shows them, compared with the engine's counters. */

import { expect, test } from 'vitest';
import { variesWork } from '../src/controllers/machine-features';
import { comparisonShapes } from '../src/draw/realtime/comparison-machine';
import { cpuShares, shareSentences } from '../src/draw/realtime/cpu-shares';
import { gainsOf } from '../src/draw/realtime/gains';
import { loadChart, loadSentences } from '../src/draw/realtime/load-curves';
import { ownershipOf, ownerViews } from '../src/draw/realtime/owners';
import { journeyOf, journeySentences, journeyShapes } from '../src/draw/realtime/packet-journey';
import { judgedBy, responseRange, responseShapes } from '../src/draw/realtime/responses';
import { comparisonLanes, taskLanes } from '../src/draw/realtime/task-lanes';
import type { Frame } from '../src/engine/api';
import { createLocalEngine } from '../src/engine/inprocess';
import { startTable } from '../src/model/lab/run-table';
import { SHARES } from '../src/model/realtime/cpu-shares';
import { lateStory } from '../src/model/realtime/lateness';
import { stepOf } from '../src/model/realtime/packet-log';
import { RealTimeLog, type Response } from '../src/model/realtime/realtime-log';
import { realTimeRoles } from '../src/model/realtime/realtime-roles';
import { compile } from '../src/model/scenario/compile';
import type { CompiledMachine } from '../src/model/scenario/compiled';
import { variablesAt } from '../src/model/scenario/experiment';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { openScenario } from '../src/model/session/session-module';
import { createTrace, type Trace } from '../src/model/trace/trace';
import { scenarioAt } from './support/scenarios';

const MOST_RECORDS = 65_536;

interface Ended {
  readonly machine: CompiledMachine;
  readonly trace: Trace;
  readonly log: RealTimeLog;
  readonly frame: Frame;
  count(part: string, counter: string): number;
}

/** A scenario run to a time, with its whole record. */
async function ended(
  slug: string,
  at: Assignment,
  untilPs: number,
  edits: Assignment = {},
): Promise<Ended> {
  const scenario = scenarioAt(`scenarios/soc/${slug}.json`);
  const variables = variablesAt(scenario, at);
  if (!variables.ok) throw new Error(variables.problems[0]?.message);
  const compiled = compile(scenario, { variables: variables.value, edits });
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  const machine = compiled.value;
  const engine = await createLocalEngine();
  await engine.open({ config: machine.config, commands: [] });
  await engine.run({ untilPs });
  const roles = realTimeRoles(machine, scenario);
  if (!roles) throw new Error('There is no kernel.');
  const views = ownerViews(machine, roles);
  const frame = await engine.frame({ views, trace: { fromSeq: 1, max: MOST_RECORDS } });
  const trace = createTrace(machine);
  if (frame.trace) trace.append(frame.trace);
  const counters = frame.counters.map((one) => Float64Array.from(one));
  engine.dispose();
  const log = new RealTimeLog(trace, roles);
  while (!log.update());
  const count = (name: string, counter: string): number => {
    const part = machine.parts.find((one) => one.name === name);
    const index = part?.type.counters.findIndex((one) => one.name === counter) ?? -1;
    return counters[part?.index ?? -1]?.[index] ?? Number.NaN;
  };
  return { machine, trace, log, frame, count };
}

const lengthOf = (responses: readonly Response[]) =>
  responses.reduce((sum, { from, to }) => sum + to - from, 0);

test("the times of packets add up to the engine's sums", async () => {
  for (const design of ['uni', 'copy', 'pointer', 'shared']) {
    const { log, count } = await ended('copy-or-pointer', { design }, 60e9);
    const packets = log.responses.filter(({ kind }) => kind === 'packet');
    expect(packets.length, design).toBe(count('tcpip', 'processed'));
    expect(lengthOf(packets), design).toBe(count('tcpip', 'latency'));
    expect(packets.length, design).toBeGreaterThan(10);
    const copies = { uni: 1, copy: 2, pointer: 1, shared: 0 }[design];
    const way = journeyOf(log, 3, Number.POSITIVE_INFINITY);
    expect(way?.copies, design).toBe(copies);
    expect(way?.ended, design).toBe(true);
  }
});

test('each moment of a processor is one thread’s: their shares are what it counts by state', async () => {
  const { log, trace, count } = await ended('gains', { load: 'md5_task', design: 'uni' }, 60e9);
  const last = trace.record(trace.last)?.timePs ?? 0;
  const [main] = cpuShares(log, trace, last);
  const names = SHARES.map(({ states }) => states.map((state) => `in_${state}`));
  names.forEach((counters, i) => {
    const counted = counters.reduce((sum, name) => sum + count('main', name), 0);
    expect((main?.shares[i] ?? 0) * last).toBeCloseTo(counted, -7);
  });
  const threads = main?.threads.reduce((sum, { share }) => sum + share, 0);
  expect(threads).toBeCloseTo(main?.shares.reduce((sum, share) => sum + share, 0) ?? 0, 9);
});

test('a thread that is ready while another runs is drawn so, and only then', async () => {
  const { log, machine } = await ended('gains', { load: 'crc_task', design: 'uni' }, 30e9);
  const [application, network] = ['application', 'network'].map((name) =>
    log.tasks.tasks.find((task) => task.name === name),
  );
  const ready = application?.lane.between(0, 30e9).filter(({ state }) => state.name === 'ready');
  expect(ready?.length).toBeGreaterThan(10);
  for (const { from, to } of ready ?? []) {
    const others = log.tasks.tasks.filter((one) => one !== application);
    const middle = (from + Math.min(to, 30e9)) / 2;
    const running = others.filter(
      ({ lane }) => !['ready', undefined].includes(lane.at(middle)?.state.name),
    );
    expect(running).toHaveLength(1);
  }
  expect(network?.lane.timeByState(0, 30e9).get('decode')).toBeUndefined();
  const titles = taskLanes(log, machine, { from: 0, to: 30e9 }).map(({ title }) => title);
  expect(titles).toEqual([
    'Ethernet',
    'Main: interrupts',
    'Main: network',
    'Main: extra',
    'extra due',
    'Main: application',
  ]);
});

test('two runs share one time axis, with a lane per processor: running threads and late packets', async () => {
  const untilPs = 30e9;
  const edits = { 'tcpip.deadline': '6 ms' };
  const designs = ['uni', 'shared'];
  const all = await Promise.all(
    designs.map((design) => ended('gains', { load: 'md5_twice', design }, untilPs, edits)),
  );
  const runs = all.map((run, i) => ({ ...run, letter: 'AB'[i] ?? '', deadline: 6e9 }));
  const lanes = comparisonLanes(runs, { from: 0, to: untilPs });
  expect(lanes.map(({ title }) => title)).toEqual([
    'Ethernet',
    'A main',
    'A late',
    'B main',
    'B io',
    'B late',
  ]);
  for (const { letter, log, machine, count } of runs) {
    const own = lanes.filter(({ id }) => id.startsWith(`${letter} `));
    for (const { part, spans } of own.filter(({ actor }) => actor === 'cpu')) {
      expect(machine.parts[part]?.type.name).toBe('processor');
      const busy = spans.reduce((sum, { from, to }) => sum + Math.min(to, untilPs) - from, 0);
      const tasks = log.tasks.tasks.filter((task) => task.cpu.part === part);
      const ran = tasks.flatMap(({ lane }) =>
        lane.between(0, untilPs).filter(({ state }) => state.name !== 'ready'),
      );
      expect(busy).toBe(ran.reduce((sum, { from, to }) => sum + Math.min(to, untilPs) - from, 0));
      spans.slice(1).forEach(({ from }, i) => {
        expect(from).toBeGreaterThanOrEqual(spans[i]?.to ?? 0);
      });
    }
    const late = own.find(({ actor }) => actor === 'os')?.spans ?? [];
    expect(late.length > 0).toBe(count('tcpip', 'late') > 0);
  }
  expect(runs[0]?.count('tcpip', 'late')).toBeGreaterThan(0);
  const [, second] = runs;
  if (!second) return expect.unreachable();
  const box = { x: 0, y: 0, width: 230, height: 66 };
  const drawn = { parts: second.log.roles.cpus.map(({ part }) => ({ index: part, box })) };
  const midway = lanes.find(({ title }) => title === 'B io')?.spans.find(({ label }) => label);
  if (!midway) return expect.unreachable();
  const sentences = comparisonShapes(drawn as never, second, (midway.from + midway.to) / 2).flatMap(
    (shape) => (shape.kind === 'text' ? [shape.text] : []),
  );
  expect(sentences).toHaveLength(2);
  expect(sentences).toContain(`B ${midway.title}`);
});

test('jobs and missed deadlines match the kernel’s, and the reason names the thread that had the processor', async () => {
  const { log, trace, count } = await ended('deadline', { design: 'uni' }, 100e9);
  const jobs = log.responses.filter(({ kind }) => kind === 'job');
  const missed = jobs.filter((one) => one.missed);
  expect(jobs.length).toBe(count('kernel', 'jobs'));
  expect(missed.length).toBe(count('kernel', 'missed'));
  expect(lengthOf(jobs)).toBe(count('kernel', 'response'));
  expect(missed.length).toBeGreaterThan(0);
  const [first] = missed;
  const story = first && lateStory(log, trace, first, 0);
  expect(story?.question).toMatch(/^Why did control, job \d+ miss its deadline\?$/);
  const sentences = story?.sentences.map(({ text }) => text).join(' ') ?? '';
  expect(sentences).toMatch(/Thread network had the processor for/);
  expect(sentences).toMatch(/interrupted Main processor meanwhile for packet \d+/);
  expect(sentences).toMatch(/in time\.$/);
});

test('responses of two runs share one scale: those of the open run upwards, those of the other downwards', async () => {
  const jobsOf = async (design: string) =>
    (await ended('deadline', { design }, 100e9)).log.responses.filter(({ kind }) => kind === 'job');
  const [alone, inPlace] = [await jobsOf('uni'), await jobsOf('shared')];
  const reach = responseRange([...alone, ...inPlace], 2e9);
  const sheet = { width: 400, height: 200, deadline: 2e9, reach, playheadPs: 100e9 };
  const bars = responseShapes(alone, { ...sheet, comparison: inPlace }).flatMap((shape) =>
    shape.kind === 'rect' && shape.opacity === undefined ? [shape] : [],
  );
  const foot = 100;
  const [up, down] = [bars.filter(({ y }) => y < foot), bars.filter(({ y }) => y >= foot)];
  expect(up.some(({ cls }) => cls === 'badf')).toBe(true);
  expect(down.length).toBeGreaterThan(0);
  expect(down.some(({ cls }) => cls === 'badf')).toBe(false);
  expect(up.every(({ y, height }) => Math.abs(y + height - foot) < 1e-9)).toBe(true);
  const tallest = (all: typeof bars) => Math.max(...all.map(({ height }) => height));
  expect(tallest(down)).toBeGreaterThan(tallest(up));
});

test('a late packet is explained by what it waited for', async () => {
  const { log, trace, count } = await ended('gains', { load: 'md5_twice', design: 'uni' }, 60e9, {
    'tcpip.deadline': '6 ms',
  });
  const late = log.responses.filter(({ missed }) => missed);
  expect(late.length).toBe(count('tcpip', 'late'));
  const one = late.at(-1);
  const story = one && lateStory(log, trace, one, 6e9);
  const sentences = story?.sentences.map(({ text }) => text).join(' ') ?? '';
  expect(sentences).toMatch(/had come before it and were not done yet/);
  expect(sentences).toMatch(/Most of the time, .* its message waited for the application\./);
});

test('packets late for a hypothetical deadline equal the count of a run with it', async () => {
  const load = { load: 'md5_twice', design: 'uni' };
  const { log } = await ended('gains', load, 60e9);
  const packets = log.responses.filter(({ kind }) => kind === 'packet');
  for (const [deadline, edit] of [
    [4e9, '4 ms'],
    [9e9, '9 ms'],
  ] as const) {
    const run = await ended('gains', load, 60e9, { 'tcpip.deadline': edit });
    const late = judgedBy(packets, deadline).filter(({ missed }) => missed).length;
    expect(late).toBeGreaterThan(0);
    expect(late).toBe(run.count('tcpip', 'late'));
  }
});

test('a journey ends where the trace ends, and says so', async () => {
  const { log } = await ended('one-packet', {}, 5e9);
  const story = log.packets.story(1);
  const taken = (story && stepOf(story, 'taken')?.timePs) ?? 0;
  const whole = journeyOf(log, 1, Number.POSITIVE_INFINITY);
  expect(whole?.rows.map(({ title }) => title)).toEqual([
    'application',
    'message',
    'TCP/IP',
    'buffer 0',
    'wire',
  ]);
  expect(journeySentences(whole as NonNullable<typeof whole>)[0]).toMatch(
    /is not copied and done 3\.5\d\sms after/,
  );
  const part = journeyOf(log, 1, taken + 1e6);
  expect(part?.ended).toBe(false);
  expect(part?.rows.map(({ title }) => title)).toEqual(['TCP/IP', 'buffer 0', 'wire']);
});

test.each([
  ['taken', ['application', 'buffer 0', 'wire']],
  ['delivered', ['application', 'TCP/IP', 'buffer 0', 'wire']],
] as const)(
  'a journey is sealed from where it is %s, whatever is under the seal',
  async (step, rows) => {
    const { log } = await ended('one-packet', {}, 5e9);
    const sheet = { width: 400, height: 160, playheadPs: 5e9 };
    const drawn = [5e9, Number.POSITIVE_INFINITY].map((until) => {
      const journey = journeyOf(log, 1, until, step);
      if (!journey) throw new Error('There is no packet.');
      expect(journey.rows.map(({ title }) => title)).toEqual(rows);
      expect(journeySentences(journey).join(' ')).not.toMatch(/done|copied|application/);
      return journeyShapes(journey, sheet);
    });
    expect(drawn[0]).toEqual(drawn[1]);
    expect(drawn[0]).toContainEqual(expect.objectContaining({ cls: 'seal' }));
  },
);

test('time of a processor that is asked about is sealed, with all that adds up to it', async () => {
  const { log, trace } = await ended('gains', { load: 'md5_task', design: 'uni' }, 60e9);
  const last = trace.record(trace.last)?.timePs ?? 0;
  const asks = (part: number, states: readonly string[]) =>
    part === log.roles.cpus[0]?.part && states.includes('protocol');
  const [main, ...others] = cpuShares(log, trace, last, asks);
  expect(main).toMatchObject({ isSealed: true, threads: [] });
  expect(main?.shares[SHARES.findIndex(({ kind }) => kind === 'network')]).toBe(0);
  expect(main?.shares[SHARES.findIndex(({ kind }) => kind === 'work')]).toBeGreaterThan(0.1);
  expect(others.filter(({ isSealed }) => isSealed)).toEqual([]);
  expect(shareSentences(main ? [main] : [])[0]).toMatch(/the rest is sealed until you answer\.$/);
});

test('sealed response times are drawn alike, whatever they are', () => {
  const of = (length: number): Response[] => [
    { kind: 'packet', from: 0, to: length, missed: length > 4e9, seq: 1 } as Response,
  ];
  const sheet = {
    width: 400,
    height: 160,
    playheadPs: 9e9,
    deadline: 4e9,
    reach: 5e9,
    isSealed: true,
  };
  expect(responseShapes(of(1e9), sheet)).toEqual(responseShapes(of(8e9), sheet));
});

test('a curve of gains is put together from pairs of runs, and each published gain stands at its work', () => {
  const scenario = scenarioAt('scenarios/soc/load.json');
  const compiled = compile(scenario);
  if (!compiled.ok) throw new Error(compiled.problems[0]?.message);
  const start = startTable(scenario);
  const rows = start.rows.map((row) => {
    const { at } = row.point;
    const isShared = at.design === 'shared';
    const [uni, shared] = at.byte === '100 ns' ? [800, 600] : [400, 500];
    return { ...row, values: [at.beside === 'task' ? undefined : isShared ? shared : uni] };
  });
  const chart = loadChart({ ...start, rows }, compiled.value);
  const [alone, beside] = chart?.curves ?? [];
  expect(alone?.points.map(({ gain }) => gain)).toEqual([-25, ...Array(11).fill(25)]);
  expect(beside?.points.every(({ gain }) => gain === null)).toBe(true);
  expect(chart?.marks.map(({ work, curve }) => [work, curve])).toEqual([
    [422e3, 1],
    [844e3, 0],
    [607e3, 1],
    [1214e3, 0],
  ]);
  const sentences = loadSentences(chart as NonNullable<typeof chart>);
  expect(sentences[0]).toMatch(
    /better from 141\sns per byte on, most at 200\sns per byte, by \+25\.0\s%/,
  );
  expect(sentences[1]).toMatch(/never better in the runs so far/);
});

test('compared gains are next to the published ones, and signs next to words', () => {
  const scenario = scenarioAt('scenarios/soc/gains.json');
  const start = startTable(scenario);
  const rows = start.rows.map((row) => ({
    ...row,
    values: [row.point.at.design === 'shared' ? 120 : 100, 0],
  }));
  const gains = gainsOf({ ...start, rows }, scenario, { load: 'crc_twice', design: 'shared' });
  expect(gains.find(({ current }) => current)).toMatchObject({
    title: 'CRC, twice',
    statement: '+19.5\u00a0%',
  });
  expect(gains.every(({ simulated }) => Math.abs((simulated ?? 0) - 20) < 1e-9)).toBe(true);
  expect(
    gains.filter(({ statement }) => statement === 'one better').map(({ title }) => title),
  ).toEqual(['CRC', 'MD5']);
  expect(gains.filter(({ statement }) => statement === 'alike')).toHaveLength(6);
});

test('at each moment a packet is in one place, unless a defect has it in two', async () => {
  const owned = async (edits: Assignment) => {
    const { machine, log, frame } = await ended('given-twice', {}, 31.5e9, edits);
    return ownershipOf(machine, log, frame);
  };
  const whole = await owned({ 'tcpip.fault': 'none' });
  const packets = whole?.ring.flatMap(({ packet }) => (packet > 0 ? packet : [])) ?? [];
  expect(packets.length).toBeGreaterThan(2);
  expect(new Set(packets).size).toBe(packets.length);
  const queued = (all: typeof whole) => all?.queues.flatMap((queue) => queue.packets) ?? [];
  for (const packet of queued(whole)) expect(packets).toContain(packet);
  const broken = await owned({});
  const held = broken?.ring.map(({ packet }) => packet);
  expect(queued(broken).some((packet) => !held?.includes(packet))).toBe(true);
});

test('lanes do not mark late jobs while a question asks for them', async () => {
  const { log, machine } = await ended('inversion', {}, 20e9);
  const words = (hidesLate: boolean) =>
    taskLanes(log, machine, { from: 0, to: 20e9 }, { hidesLate }).flatMap(({ spans }) =>
      spans.map(({ title, label, style }) => `${title} ${label} ${style}`),
    );
  expect(words(false).join()).toMatch(/, late late blocked/);
  expect(words(true).join()).not.toMatch(/late|in time/);
});

test('a job that waits for a lock is late because of the thread that delays the owner', async () => {
  const { log, trace } = await ended('inversion', { inherit: false }, 20e9);
  const late = log.responses.find(({ missed }) => missed);
  const story = late && lateStory(log, trace, late, 0);
  expect(story?.question).toBe('Why did high, job 1 miss its deadline?');
  const sentences =
    story?.sentences
      .slice(-2)
      .map(({ text }) => text)
      .join(' ') ?? '';
  expect(sentences).toMatch(
    /waited for lock 0, which low had\. Thread low ran for .* could not give it back: middle had the processor for 6/,
  );
});

test.each([
  ['soc/load', true],
  ['soc/applications', false],
  ['soc/designs', false],
])(
  'gains over the work per byte are drawn where an experiment goes along it: %s %s',
  async (id, drawn) => {
    expect((await openScenario(id)).ok).toBe(true);
    expect(variesWork.getState()).toBe(drawn);
  },
);
