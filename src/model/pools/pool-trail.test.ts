import { expect, test } from 'vitest';
import { createTrace, type Trace } from '../trace/trace';
import { chunkOf } from '../trace/trace.fixture';
import { EVENTS, mapType } from './pool.fixture';
import { PoolTrail } from './pool-trail';

const MS = 1e9;
const [BASE, PAGE] = [0x8000_0000, 8192];
const { map, spill, wrap } = EVENTS;

/** Two handouts of CPU 4, a wrap of pool 1, and a request of CPU 7 that spills from pool 0 to pool 1. */
function trailOf(): PoolTrail {
  const trace = createTrace({ parts: [{ title: 'DMA mapping', type: mapType }], wires: [] });
  const at = (entry: number) => BASE + entry * PAGE;
  const rows = [
    { at: 1 * MS, kind: map, a: at(10), b: 2, c: 4 },
    { at: 2 * MS, kind: wrap, a: 0, b: 1, c: 4 },
    { at: 3 * MS, kind: spill, a: 0, b: 1, c: 7 },
    { at: 3 * MS, kind: map, a: at(600), b: 1, c: 7 },
    { at: 4 * MS, kind: map, a: at(11), b: 1, c: 4 },
  ];
  trace.append(chunkOf(rows.map((row) => ({ ...row, part: 0 }))));
  const trail = new PoolTrail(trace, 0, { entries: 1024, base: BASE, page: PAGE });
  expect(trail.update()).toBe(true);
  return trail;
}

test('each entry keeps the time of its last handout, whether it was given back or not', () => {
  const { lastMs } = trailOf().at(10 * MS);
  expect([...lastMs.slice(9, 13)]).toEqual([-1, 1, 4, -1]);
});

test('an earlier time shows what was known then', () => {
  const trail = trailOf();
  expect(trail.at(10 * MS).lastMs[11]).toBe(4);
  expect([...trail.at(1.5 * MS).lastMs.slice(10, 12)]).toEqual([1, 1]);
  expect(trail.at(1.5 * MS).lastMs[600]).toBe(-1);
  expect(trail.at(0).lastMs.every((last) => last === -1)).toBe(true);
});

test('spilled requests are distinguished, and nothing else', () => {
  const trail = trailOf();
  const { spilled, cpus, spills } = trail.at(3.5 * MS);
  expect([spilled[10], spilled[600], cpus[600]]).toEqual([0, 1, 8]);
  expect(spills(1)).toMatchObject([{ from: 0, pool: 1, cpu: 7 }]);
  expect(trail.at(9 * MS).spills(1)).toEqual([]);
});

test('wraps are counted up to the time, with the last one', () => {
  const trail = trailOf();
  expect(trail.at(1 * MS).wraps(1).count).toBe(0);
  expect(trail.at(5 * MS).wraps(1)).toEqual({ count: 1, lastMs: 2 });
});

test('a long trace drops its oldest records, and the trail keeps their contents', () => {
  const event = mapType.events.find(({ kind }) => kind === map);
  const records = { first: 1, last: 3 };
  const trace = {
    get first() {
      return records.first;
    },
    get last() {
      return records.last;
    },
    event: () => event,
    record: (seq: number) => ({
      ...{ part: 0, kind: map, timePs: seq * MS, cause: 0 },
      ...{ a: BASE + seq * PAGE, b: 1, c: 0 },
    }),
  } as unknown as Trace;
  const trail = new PoolTrail(trace, 0, { entries: 64, base: BASE, page: PAGE });
  trail.update();
  Object.assign(records, { first: 3, last: 6 });
  trail.update();
  expect([...trail.at(10 * MS).lastMs.slice(0, 8)]).toEqual([-1, 1, 2, 3, 4, 5, 6, -1]);
  Object.assign(records, { first: 2, last: 4 });
  trail.update();
  Object.assign(records, { first: 1, last: 4 });
  trail.update();
  expect([...trail.at(10 * MS).lastMs.slice(0, 6)]).toEqual([-1, 1, 2, 3, 4, -1]);
});
