import { expect, test } from 'vitest';
import type { TraceChunk } from '../../engine/api';
import { BUS, NOTABLE } from './player.fixture';
import { NotableEvents } from './recorder';
import { EventStepper } from './stepping';

const TICK = 1000;

/** Records of a run, record n at n ns; every tenth is notable. */
function chunk(firstSeq: number, length: number): TraceChunk {
  const all = Array.from({ length }, (_, at) => firstSeq + at);
  return {
    firstSeq,
    length,
    lost: 0,
    timePs: Float64Array.from(all, (seq) => seq * TICK),
    kind: Uint16Array.from(all, (seq) => (seq % 10 === 0 ? NOTABLE : 0)),
    cause: new Uint32Array(length),
    part: new Uint16Array(length),
    a: new BigUint64Array(length),
    b: new Uint32Array(length),
    c: new Uint32Array(length),
  };
}

/** A run of 1000 records: the first 100 are marked, and 400 to 500 are in the window. */
function stretched() {
  const marks = new NotableEvents([BUS]);
  marks.take(chunk(1, 100));
  marks.takeStretch(chunk(400, 101));
  const trace = {
    first: 400,
    last: 500,
    record: (seq: number) => (seq >= 400 && seq <= 500 ? { timePs: seq * TICK } : null),
  };
  const went: number[] = [];
  const at = (timePs: number) => ({ timePs, events: 0, seq: Math.floor(timePs / TICK) });
  const engine = {
    seekEvents: async () => at(0),
    seekTime: async (timePs: number) => {
      went.push(timePs / TICK);
      return at(timePs);
    },
  };
  const stepper = new EventStepper(engine, () => ({
    endPs: 1000 * TICK,
    growing: false,
    stops: null,
    marks,
    trace,
  }));
  const step = async (from: number, by: 1 | -1): Promise<number> =>
    (await stepper.from(at(from * TICK), by, 'notable', () => false)).timePs / TICK;
  return { marks, step };
}

test('in the window of a very long run, steps go from mark to mark', async () => {
  const { step } = stretched();
  expect(await step(410, 1)).toBe(420);
  expect(await step(420, -1)).toBe(410);
});

test('after its last mark a step leads to its edge, where the next window is loaded', async () => {
  const { marks, step } = stretched();
  expect(await step(495, 1)).toBe(500);
  marks.takeStretch(chunk(450, 101));
  expect(marks.notable.after(500)).toBe(510 * TICK);
  expect(marks.notable.lastTo(449)).toBe(100);
});

test('before its first mark a step leads just before it, and does not skip unmarked records', async () => {
  const { step } = stretched();
  expect(await step(400, -1)).toBeCloseTo(400 - 1 / TICK, 9);
});

test('a window inside the marked range changes nothing', () => {
  const { marks } = stretched();
  marks.takeStretch(chunk(40, 30));
  expect(marks.notable.length).toBe(10);
  expect(marks.notable.after(100)).toBeNull();
});
