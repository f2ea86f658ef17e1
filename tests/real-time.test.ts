/** Threads, packets and deadlines as the page tells them, beside what the engine has counted. */
import { expect, test } from 'vitest';
import { cpuShares, SHARES } from '../src/draw/real-time/cpu-shares';
import { journeyOf, journeySentences } from '../src/draw/real-time/packet-journey';
import { taskLanes } from '../src/draw/real-time/task-lanes';
import { createLocalEngine } from '../src/engine/inprocess';
import { lateStory } from '../src/model/real-time/lateness';
import { RealTimeLog, type Response } from '../src/model/real-time/log';
import { stepOf } from '../src/model/real-time/packet-log';
import { realTimeRoles } from '../src/model/real-time/roles';
import { createTrace, type Trace } from '../src/model/run/trace';
import { type CompiledMachine, compile } from '../src/model/scenario/compile';
import { variablesAt } from '../src/model/scenario/experiment';
import type { Assignment } from '../src/model/scenario/scenario-types';
import { scenarioAt } from './support/scenarios';

const MOST_RECORDS = 65_536;

interface Ended {
  readonly machine: CompiledMachine;
  readonly trace: Trace;
  readonly log: RealTimeLog;
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
  const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: MOST_RECORDS } });
  const trace = createTrace(machine);
  if (frame.trace) trace.append(frame.trace);
  const counters = frame.counters.map((one) => Float64Array.from(one));
  engine.dispose();
  const roles = realTimeRoles(machine, scenario);
  if (!roles) throw new Error('There is no kernel.');
  const log = new RealTimeLog(trace, roles);
  while (!log.update());
  const count = (name: string, counter: string): number => {
    const part = machine.parts.find((one) => one.name === name);
    const index = part?.type.counters.findIndex((one) => one.name === counter) ?? -1;
    return counters[part?.index ?? -1]?.[index] ?? Number.NaN;
  };
  return { machine, trace, log, count };
}

const lengthOf = (responses: readonly Response[]) =>
  responses.reduce((sum, { from, to }) => sum + to - from, 0);

test('the times of packets are those that the engine has summed up', async () => {
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
  const [application, network] = ['crc', 'deliver copy'].map((name) =>
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
    'main interrupts',
    'main deliver copy',
    'main extra',
    'extra due',
    'main crc',
  ]);
});

test('jobs and what they missed are the kernel’s, and the reason names who had the processor', async () => {
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
  const said = story?.sentences.map(({ text }) => text).join(' ') ?? '';
  expect(said).toMatch(/Thread local had the processor for/);
  expect(said).toMatch(/interrupted Main processor meanwhile for packet \d+/);
  expect(said).toMatch(/in time\.$/);
});

test('a packet that is late is told by what it waited for', async () => {
  const { log, trace, count } = await ended('gains', { load: 'md5_twice', design: 'uni' }, 60e9, {
    'tcpip.deadline': '6 ms',
  });
  const late = log.responses.filter(({ missed }) => missed);
  expect(late.length).toBe(count('tcpip', 'late'));
  const one = late.at(-1);
  const story = one && lateStory(log, trace, one, 6e9);
  const said = story?.sentences.map(({ text }) => text).join(' ') ?? '';
  expect(said).toMatch(/had come before it and were not done yet/);
  expect(said).toMatch(/Most of the time, .* its message waited for the application\./);
});

test('a journey ends where the record does, and says so', async () => {
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
