/** The state at a point of a run is the same to the last bit, however it is reached. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Command, RunLimit } from '../src/engine/api';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { EXPLORE, MEASURE, type SessionOptions, SessionRunner } from '../src/engine/session';
import { Columns, traceBytes } from '../src/engine/trace-columns';
import { gtSession, PART, paramIndex } from './support/machines';
import { compiled, SCENARIOS, scenarioAt, scenarioFrom } from './support/scenarios';

const code = await inlineCode();
const LENGTH = 6000;

/** Close keyframes and little memory, so that short runs thin them out as well. */
const CROWDED: SessionOptions = { ...EXPLORE, keyframeBytes: 6 << 20, keyframeSpacing: 64 };

const open = (commands: readonly Command[] = [], options = CROWDED, config = gtSession()) =>
  new SessionRunner(new Core(code), { config, commands }, options);

const place = fc.integer({ min: 0, max: LENGTH });

const LIVE = [
  { part: PART.cpu, param: paramIndex('processor', 'store_time') },
  { part: PART.cpu, param: paramIndex('processor', 'pio_write_call') },
  { part: PART.memory, param: paramIndex('memory', 'latency') },
];
const command: fc.Arbitrary<Command> = fc
  .record({
    atEvents: place,
    which: fc.integer({ min: 0, max: LIVE.length - 1 }),
    value: fc.bigInt({ min: 1000n, max: 200000n }),
  })
  .map(({ atEvents, which, value }) => ({ atEvents, value, ...(LIVE[which] as (typeof LIVE)[0]) }));
const commandList = fc.array(command, { maxLength: 5 });

/** The states of one plain run, recording and everything else off. */
function plainRun(commands: readonly Command[], points: readonly number[]): Map<number, string> {
  const runner = open(commands, MEASURE);
  const hashes = new Map<number, string>();
  for (const point of [...points].sort((a, b) => a - b)) {
    runner.run({ untilEvents: point });
    hashes.set(point, runner.core.hash());
  }
  return hashes;
}

describe('a point of a run', () => {
  test('is the same by seeking, in any order, as by running', () => {
    fc.assert(
      fc.property(commandList, fc.array(place, { minLength: 1, maxLength: 12 }), (list, points) => {
        const hashes = plainRun(list, points);
        const runner = open(list);
        for (const point of points) {
          expect(runner.seek({ untilEvents: point }).events).toBe(point);
          expect(runner.core.hash()).toBe(hashes.get(point));
        }
      }),
      { numRuns: 25 },
    );
  });

  test('is the same by single steps as by running', () => {
    const steps = Array.from({ length: 500 }, (_, i) => i + 1);
    const hashes = plainRun([], steps);
    const runner = open();
    for (const step of steps) {
      runner.run({ untilEvents: runner.position.events + 1 });
      expect(runner.core.hash()).toBe(hashes.get(step));
    }
  });

  test('is the same by time as by events', () => {
    const runner = open();
    const end = runner.run({ untilEvents: LENGTH });
    const ahead = fc.integer({ min: 0, max: end.timePs - 1 });
    fc.assert(
      fc.property(fc.array(ahead, { minLength: 1, maxLength: 6 }), (times) => {
        for (const untilPs of times) {
          const { events } = runner.seek({ untilPs });
          const hash = runner.core.hash();
          const plain = open([], MEASURE);
          expect(plain.run({ untilPs }).events).toBe(events);
          expect(plain.core.hash()).toBe(hash);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('is the same in slices of any length', () => {
    fc.assert(
      fc.property(commandList, fc.integer({ min: 1, max: 700 }), (list, budget) => {
        const runner = open(list);
        const limit: RunLimit = { untilEvents: LENGTH };
        while (runner.advance(limit, budget) === null)
          expect(runner.position.events).toBeGreaterThan(0);
        expect(runner.core.hash()).toBe(plainRun(list, [LENGTH]).get(LENGTH));
      }),
      { numRuns: 15 },
    );
  });

  test('has the counters of the overview, with or without seeking back', () => {
    const straight = open();
    straight.run({ untilEvents: LENGTH });
    const wandering = open();
    for (const point of [2000, 300, 4000, 4001, 0, LENGTH]) wandering.seek({ untilEvents: point });
    expect(wandering.overview()).toEqual(straight.overview());
    expect(straight.overview().length).toBeGreaterThan(10);
  });
});

describe('a snapshot', () => {
  test('taken anywhere leads to the same end when restored', () => {
    const end = plainRun([], [LENGTH]).get(LENGTH);
    fc.assert(
      fc.property(place, place, (from, onwards) => {
        const { core } = open([], MEASURE);
        core.run(Number.POSITIVE_INFINITY, from);
        const slot = new Uint8Array(core.stateBytes);
        core.snapshot(slot);
        core.run(Number.POSITIVE_INFINITY, Math.max(from, onwards));
        core.restore(slot);
        expect(core.position.events).toBe(from);
        core.run(Number.POSITIVE_INFINITY, LENGTH);
        expect(core.hash()).toBe(end);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the run is the same', () => {
  test('with the trace on, off, or switched during the run', () => {
    const end = plainRun([], [LENGTH]).get(LENGTH);
    for (const switched of [0, 17, 2999]) {
      const { core } = open();
      core.record(false);
      core.run(Number.POSITIVE_INFINITY, switched);
      core.record(true);
      core.run(Number.POSITIVE_INFINITY, LENGTH);
      expect(core.hash()).toBe(end);
    }
  });

  test('on several cores at once, in turn', () => {
    const runners = [open(), open([], CROWDED, gtSession({ seed: 2 })), open()];
    for (let point = 100; point <= LENGTH; point += 100)
      for (const runner of runners) runner.run({ untilEvents: point });
    const [a, b, c] = runners.map(({ core }) => core.hash());
    expect(a).toBe(c);
    expect(a).not.toBe(b);
  });
});

/**
 * Events of a scenario that are played: four fifths of the scenarios are shorter. In the others the same repeats, and
 * keyframes have been thinned out several times by then.
 */
const MOST = 50_000;

describe('every scenario', () => {
  test.each(SCENARIOS)('is in the same state after any seeking: %s', (path) => {
    const { config, untilPs } = compiled(scenarioAt(path));
    const straight = open([], MEASURE, config);
    const limit: RunLimit = { untilPs, untilEvents: MOST };
    const { events } = straight.run(limit);
    const points = fc.array(fc.integer({ min: 0, max: events }), { maxLength: 5 });
    fc.assert(
      fc.property(points, (wandering) => {
        const runner = open([], CROWDED, config);
        for (const untilEvents of wandering) runner.seek({ untilEvents });
        expect(runner.run(limit).events).toBe(events);
        expect(runner.core.hash()).toBe(straight.core.hash());
      }),
      { numRuns: 4 },
    );
  });
});

describe('free choices', () => {
  /** A cache that prefetches the next line every other time, decided by the seed. */
  const speculating = scenarioFrom(
    JSON.stringify({
      busyard: 1,
      title: 'Speculation',
      summary: 'A walk through memory.',
      system: 'hp',
      machine: { extends: 'hp-k-class', parts: { cache0: { params: { speculate: 2 } } } },
      programs: {
        walk: [{ do: 'load', from: '0x100000', bytes: 8192 }],
        rest: [{ do: 'spend', time: '1 ns' }],
      },
      workload: { cpu0: 'walk', cpu1: 'rest', cpu2: 'rest', cpu3: 'rest' },
      until: '10 ms',
      view: { kind: 'machine' },
    }),
    'speculation.json',
  );
  const seeded = (seed: number) => compiled(speculating, { seed });
  const { untilPs } = seeded(1);

  /** The course of a run: its trace, and the choices in it. */
  function course(seed: number, choices?: Uint32Array) {
    const session = { config: seeded(seed).config, commands: [], ...(choices && { choices }) };
    const runner = new SessionRunner(new Core(code), session, CROWDED);
    const { seq } = runner.run({ untilPs });
    const wander = () => runner.seek({ untilEvents: 100 });
    const trace = runner.trace(1, seq, new Columns(new ArrayBuffer(traceBytes(seq))));
    return { choices: runner.core.choices(), trace, runner, wander };
  }

  test('follow the seed', () => {
    expect(course(1).choices.length).toBeGreaterThan(50);
    expect(course(1).choices).toEqual(course(1).choices);
    expect(course(2).choices).not.toEqual(course(1).choices);
  });

  test('that were recorded are repeated under another seed, also after seeking back', () => {
    const { choices, trace } = course(1);
    const again = course(2, choices);
    expect(again.trace).toEqual(trace);
    const hash = again.runner.core.hash();
    again.wander();
    again.runner.run({ untilPs });
    expect(again.runner.core.hash()).toBe(hash);
    expect(again.runner.core.choices()).toEqual(choices);
  });
});

describe('other commands', () => {
  test('lead to the same run as when given from the start', () => {
    fc.assert(
      fc.property(commandList, commandList, place, place, (before, after, here, then) => {
        const runner = open(before);
        runner.run({ untilEvents: here });
        runner.setCommands(after);
        runner.seek({ untilEvents: here });
        expect(runner.core.hash()).toBe(plainRun(after, [here]).get(here));
        runner.seek({ untilEvents: then });
        expect(runner.core.hash()).toBe(plainRun(after, [then]).get(then));
      }),
      { numRuns: 25 },
    );
  });
});

describe('trace records', () => {
  const all = open([], { ...MEASURE, record: true }, gtSession({ traceLog2: 16 }));
  all.run({ untilEvents: LENGTH });
  const total = all.position.seq;
  const whole = all.trace(1, total, new Columns(new ArrayBuffer(traceBytes(total))));

  test('that fell out of the ring are regenerated, and the state stays', () => {
    const start = fc.integer({ min: 1, max: total });
    fc.assert(
      fc.property(place, start, fc.integer({ min: 1, max: 300 }), (here, fromSeq, max) => {
        const runner = open([], CROWDED, gtSession({ traceLog2: 8 }));
        runner.run({ untilEvents: LENGTH });
        runner.seek({ untilEvents: here });
        const hash = runner.core.hash();
        const { seq } = runner.position;
        const chunk = runner.trace(fromSeq, max, new Columns(new ArrayBuffer(traceBytes(max))));
        expect(chunk.lost).toBe(0);
        expect(chunk.length).toBe(Math.max(0, Math.min(max, 192, seq - fromSeq + 1)));
        const from = fromSeq - 1;
        for (const column of ['timePs', 'cause', 'part', 'kind', 'a', 'b', 'c'] as const)
          expect(chunk[column]).toEqual(whole[column].slice(from, from + chunk.length));
        expect(runner.core.hash()).toBe(hash);
        expect(runner.run({ untilEvents: LENGTH }).events).toBe(LENGTH);
        expect(runner.core.hash()).toBe(all.core.hash());
      }),
      { numRuns: 25 },
    );
  });

  test('point to a record before them, or to none', () => {
    for (let i = 0; i < whole.length; i++) expect(whole.cause[i]).toBeLessThan(i + 1);
  });

  test('are counted as lost when nothing was kept', () => {
    const runner = open([], EXPLORE, gtSession({ traceLog2: 0 }));
    runner.run({ untilEvents: 1000 });
    const chunk = runner.trace(1, 10, new Columns(new ArrayBuffer(traceBytes(10))));
    expect(chunk).toMatchObject({ length: 0, lost: 10 });
  });
});
