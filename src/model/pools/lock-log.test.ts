import { expect, test } from 'vitest';
import { createTrace, type Trace } from '../trace/trace';
import { chunkOf } from '../trace/trace.fixture';
import { LockLog } from './lock-log';
import { EVENTS, mapType } from './pool.fixture';

const { contend, granted, acquire, release } = EVENTS;
type Row = readonly [at: number, kind: number, pool: number, cpu: number];

const toRows = (rows: readonly Row[]) =>
  rows.map(([at, kind, b, c]) => ({ at, part: 0, kind, a: 0, b, c }));

function traceOf(rows: readonly Row[]): Trace {
  const trace = createTrace({ parts: [{ title: 'DMA mapping', type: mapType }], wires: [] });
  trace.append(chunkOf(toRows(rows)));
  return trace;
}

const held = (log: LockLog, pool: number) =>
  log
    .lane(pool)
    ?.between(0, 1000)
    .map(({ from, to, by }) => [by, from, to]);

const RUN: readonly Row[] = [
  [10, acquire, 0, 4],
  [12, acquire, 3, 1],
  [14, contend, 0, 7],
  [20, release, 0, 4],
  [22, granted, 0, 7],
  [30, release, 0, 7],
];

test('a lock is held by a CPU from the event that takes it to its release', () => {
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

test('later records are added; another window of the trace restarts the log', () => {
  const trace = traceOf(RUN.slice(0, 3));
  const log = new LockLog(trace, 0);
  log.update();
  trace.append(chunkOf(toRows(RUN.slice(3)), 4));
  log.update();
  expect(held(log, 0)).toHaveLength(2);
  trace.dropAfter(0);
  trace.append(chunkOf(toRows([[500, acquire, 0, 9]]), 900));
  log.update();
  expect(held(log, 0)).toEqual([[9, 500, Number.POSITIVE_INFINITY]]);
  expect(log.waitsIn(0, 1000)).toBe(0);
});

test('a long trace is read in several slices', () => {
  const many = Array.from({ length: 30_000 }, (_, i): Row => [i, i % 2 ? release : acquire, 0, 1]);
  const log = new LockLog(traceOf(many), 0);
  expect(log.update()).toBe(false);
  expect(log.update()).toBe(true);
  expect(log.lane(0)?.active).toBe(15_000);
});
