import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TraceWindow } from './trace-window';

const CAPACITY = 8;

/** A ring that stores records together with the version of the run that wrote them. */
class Ring {
  readonly window = new TraceWindow(CAPACITY);
  readonly slots = new Map<number, string>();
  readonly version: number[] = [];
  at = 0;
  furthest = 0;
  versions = 0;

  record = (seq: number) => `${seq} of version ${this.version[seq] ?? 0}`;

  run(records: number, recording: boolean): void {
    const before = this.at;
    this.at += records;
    this.furthest = Math.max(this.furthest, this.at);
    if (!recording) return;
    for (let seq = before + 1; seq <= this.at; seq++)
      this.slots.set(seq % CAPACITY, this.record(seq));
    this.window.wrote(before, this.at);
  }

  diverge(): void {
    this.versions++;
    for (let seq = this.at + 1; seq < 1000; seq++) this.version[seq] = this.versions;
    this.window.forget(this.at);
  }
}

const step = fc.oneof(
  fc.record({
    do: fc.constant('run' as const),
    records: fc.integer({ min: 0, max: 20 }),
    recording: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('back' as const),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant('diverge' as const) }),
);

test('every record in the window is in the ring, after any sequence of runs, repeats and changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const ring = new Ring();
      for (const now of steps) {
        if (now.do === 'run') ring.run(now.records, now.recording);
        else if (now.do === 'back') ring.at = Math.floor(now.share * ring.furthest);
        else ring.diverge();
        const { from, to } = ring.window;
        expect(to - from + 1).toBeLessThanOrEqual(CAPACITY);
        for (let seq = from; seq <= to; seq++)
          expect(ring.slots.get(seq % CAPACITY)).toBe(ring.record(seq));
      }
    }),
    { numRuns: 500 },
  );
});

test('a plain run keeps the newest records, and seeking back loses none', () => {
  const ring = new Ring();
  ring.run(10, true);
  expect(ring.window).toMatchObject({ from: 3, to: 10 });
  ring.at = 5;
  ring.run(1, true);
  expect(ring.window).toMatchObject({ from: 3, to: 10 });
  ring.at = 0;
  ring.run(4, true);
  expect(ring.window).toMatchObject({ from: 1, to: 8 });
});

test('after a change only earlier records are valid', () => {
  const ring = new Ring();
  ring.run(10, true);
  ring.at = 6;
  ring.diverge();
  expect(ring.window).toMatchObject({ from: 3, to: 6 });
});
