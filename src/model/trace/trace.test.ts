import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventSpec } from '../../engine/manifest';
import { compiled, loaded } from '../scenario/scenario.fixture';
import { sentenceOf } from './event-text';
import { createTrace } from './trace';
import { chunkOf, type Row } from './trace.fixture';

const machine = compiled(loaded());
const [CPU, PEER, BUS] = [0, 1, 2];
const [STATE, STORE, START, END] = [1, 2, 3, 4];

const traceOf = (rows: readonly Row[]) => {
  const trace = createTrace(machine);
  trace.append(chunkOf(rows));
  return trace;
};

const RUN: readonly Row[] = [
  { at: 0, part: CPU, kind: STATE, b: 1 },
  { at: 100, cause: 1, part: CPU, kind: STORE, a: 0x80000000, b: 4, c: 1 },
  { at: 150, cause: 2, part: BUS, kind: START, a: 0x80000000, c: 1 },
  { at: 200, cause: 3, part: CPU, kind: STATE, b: 2 },
  { at: 400, cause: 3, part: BUS, kind: END, a: 250 },
  { at: 450, cause: 5, part: CPU, kind: STATE, b: 0 },
];

describe('a record', () => {
  test('is a sentence', () => {
    const trace = traceOf(RUN);
    expect([1, 2, 3, 4, 5].map((seq) => trace.sentence(seq))).toEqual([
      'Worker is now in: own work.',
      'Worker stores 4\u00a0B at 0x80000000.',
      'Bus: Worker starts at 0x80000000.',
      'Worker is now in: waiting for the bus.',
      'Bus is free again after 250\u00a0ps.',
    ]);
  });

  test('has a singular and a plural', () => {
    const spec: EventSpec = {
      ...(machine.parts[BUS]?.type.events[0] as EventSpec),
      text: '{pages} {pages:entry|entries} of {part}, {pages:it is|they are} free.',
      fields: [{ name: 'pages', slot: 'a', as: 'count' }],
    };
    const textFor = (a: number) => sentenceOf(machine, spec, { part: BUS, a, b: 0, c: 0 });
    expect(textFor(1)).toBe('1 entry of Bus, it is free.');
    expect(textFor(2)).toBe('2 entries of Bus, they are free.');
  });

  test('names the part behind a port', () => {
    expect(traceOf(RUN).fields(3)).toEqual([
      {
        name: 'address',
        as: 'address',
        value: 0x80000000,
        exact: 0x80000000,
        text: '0x80000000',
        part: null,
      },
      { name: 'master', as: 'port', value: 1, exact: 1, text: 'Worker', part: PEER },
    ]);
  });

  test('is found by time', () => {
    const trace = traceOf(RUN);
    expect([0, 99, 100, 1e9].map((time) => trace.indexAt(time))).toEqual([1, 1, 2, 6]);
    expect(trace.indexAt(-1)).toBe(0);
  });

  test('has its effects', () => {
    expect(traceOf(RUN).effects(3)).toEqual([4, 5]);
  });
});

describe('why', () => {
  test('is explained from the newest cause to the root', () => {
    expect(
      traceOf(RUN)
        .why(6)
        .map(({ seq }) => seq),
    ).toEqual([6, 5, 3, 2, 1]);
  });

  test('shows repeated causes once, with a count', () => {
    const rows = Array.from({ length: 20 }, (_, i) => ({
      at: i * 10,
      cause: i,
      part: i % 2 === 0 ? CPU : BUS,
      kind: i % 2 === 0 ? STORE : START,
    }));
    const why = traceOf(rows).why(20);
    expect(why).toEqual([
      { seq: 20, skipped: 0 },
      { seq: 19, skipped: 0 },
      { seq: 1, skipped: 17 },
    ]);
  });

  test('ends at the start of the trace, without cycles', () => {
    const trace = createTrace(machine);
    trace.append(chunkOf([{ at: 5, cause: 3, part: CPU, kind: STORE }], 10));
    expect(trace.why(10)).toEqual([{ seq: 10, skipped: 0 }]);
    expect(traceOf([{ at: 0, cause: 9, part: CPU, kind: STORE }]).why(1)).toHaveLength(1);
  });
});

describe('lanes', () => {
  test('are spans of states; idle is a gap', () => {
    const lane = traceOf(RUN).lane(CPU, 'cpu');
    expect(lane?.between(0, 1000).map(({ state, from, to }) => [state.name, from, to])).toEqual([
      ['work', 0, 200],
      ['wait', 200, 450],
    ]);
    expect(lane?.at(199)?.state.name).toBe('work');
    expect(lane?.at(450)).toBeNull();
  });

  test('name the initiator of bus work', () => {
    const bus = traceOf(RUN).lane(BUS, 'bus');
    expect(bus?.at(200)).toMatchObject({ from: 150, to: 400, seq: 3, by: PEER });
    expect(bus?.busy(100, 300)).toBeCloseTo(0.75, 12);
  });

  test('have no end until it is recorded', () => {
    const trace = traceOf(RUN.slice(0, 3));
    expect(trace.lane(BUS, 'bus')?.at(1e9)?.to).toBe(Number.POSITIVE_INFINITY);
  });

  test('give the same spans for a window as for the whole trace', () => {
    const times = fc.array(fc.nat(50), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(times, fc.nat(1500), fc.nat(500), (steps, from, length) => {
        let at = 0;
        const rows = steps.map((step, i) => {
          at += step;
          return { at, part: CPU, kind: STATE, b: (i * 7) % 3 };
        });
        const lane = traceOf(rows).lane(CPU, 'cpu');
        const all = lane
          ?.between(0, 1e9)
          .filter((span) => span.from <= from + length && span.to > from);
        expect(lane?.between(from, from + length)).toEqual(all);
      }),
    );
  });
});

describe('a growing trace', () => {
  test('does not depend on how it is split into chunks', () => {
    const whole = traceOf(RUN);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 12 }), (cuts) => {
        const trace = createTrace(machine);
        for (const cut of [...cuts, 6]) {
          const from = Math.min(cut, trace.last + 1);
          trace.append(chunkOf(RUN.slice(from - 1, cut + 1), from));
        }
        expect([trace.first, trace.last]).toEqual([1, 6]);
        expect(trace.lane(CPU, 'cpu')?.between(0, 1000)).toEqual(
          whole.lane(CPU, 'cpu')?.between(0, 1000),
        );
      }),
    );
  });

  test('drops records that a changed run replaces', () => {
    const trace = traceOf(RUN);
    trace.dropAfter(3);
    expect(trace.last).toBe(3);
    expect(trace.lane(CPU, 'cpu')?.at(300)?.state.name).toBe('work');
    trace.append(chunkOf([{ at: 170, part: CPU, kind: STATE, b: 2 }], 4));
    expect(trace.lane(CPU, 'cpu')?.at(300)?.from).toBe(170);
  });

  test('restarts after a gap', () => {
    const trace = traceOf(RUN);
    trace.append(chunkOf([{ at: 900, part: CPU, kind: STATE, b: 1 }], 100));
    expect([trace.first, trace.last]).toEqual([100, 100]);
    expect(trace.lane(CPU, 'cpu')?.between(0, 1e9)).toHaveLength(1);
  });

  test('keeps its records when the chunk is reused', () => {
    const chunk = chunkOf(RUN);
    const trace = createTrace(machine);
    trace.append(chunk);
    chunk.timePs.fill(0);
    expect(trace.record(6)?.timePs).toBe(450);
  });
});
