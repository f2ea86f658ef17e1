import { expect, test } from 'vitest';
import { createTrace, type Trace } from '../trace/trace';
import { chunkOf } from '../trace/trace.fixture';
import { LockLog } from './lock-log';
import { EVENTS, mapType } from './pool.fixture';

const { contend, granted, acquire, release } = EVENTS;
type Told = readonly [at: number, kind: number, pool: number, cpu: number];

const rows = (told: readonly Told[]) =>
  told.map(([at, kind, b, c]) => ({ at, part: 0, kind, a: 0, b, c }));

function traceOf(told: readonly Told[]): Trace {
  const trace = createTrace({ parts: [{ title: 'DMA mapping', type: mapType }], wires: [] });
  trace.append(chunkOf(rows(told)));
  return trace;
}

const held = (log: LockLog, pool: number) =>
  log
    .lane(pool)
    ?.between(0, 1000)
    .map(({ from, to, by }) => [by, from, to]);

const RUN: readonly Told[] = [
  [10, acquire, 0, 4],
  [12, acquire, 3, 1],
  [14, contend, 0, 7],
  [20, release, 0, 4],
  [22, granted, 0, 7],
  [30, release, 0, 7],
];

test('a lock is held from the event that takes it to its release, by whoever took it', () => {
  const log = new LockLog(traceOf(RUN), 0);
  expect(log.update()).toBe(true);
  expect(log.pools).toEqual([0, 3]);
  expect(held(log, 0)).toEqual([
    [4, 10, 20],
    [7, 22, 30],
  ]);
  expect(held(log, 3)).toEqual([[1, 12, Number.POSITIVE_INFINITY]]);
  expect([log.waitsIn(0, 21), log.waitsIn(21, 22), log.waitsIn(22, 99)]).toEqual([0, 1, 0]);
});

test('what is recorded later is added; another stretch of the record begins anew', () => {
  const trace = traceOf(RUN.slice(0, 3));
  const log = new LockLog(trace, 0);
  log.update();
  trace.append(chunkOf(rows(RUN.slice(3)), 4));
  log.update();
  expect(held(log, 0)).toHaveLength(2);
  trace.dropAfter(0);
  trace.append(chunkOf(rows([[500, acquire, 0, 9]]), 900));
  log.update();
  expect(held(log, 0)).toEqual([[9, 500, Number.POSITIVE_INFINITY]]);
  expect(log.waitsIn(0, 1000)).toBe(0);
});

test('a long record is read in several goes', () => {
  const many = Array.from({ length: 30_000 }, (_, i): Told => [i, i % 2 ? release : acquire, 0, 1]);
  const log = new LockLog(traceOf(many), 0);
  expect(log.update()).toBe(false);
  expect(log.update()).toBe(true);
  expect(log.lane(0)?.active).toBe(15_000);
});
