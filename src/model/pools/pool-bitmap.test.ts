import { describe, expect, test } from 'vitest';
import type { Frame } from '../../engine/api';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import { mapType } from './pool.fixture';
import { ownerOf, poolMapOf, TICK_PS, ticksSince, wantedViews } from './pool-bitmap';
import { poolViewsOf } from './pool-views';

const param = (name: string, type: string, value: bigint) =>
  ({ spec: { name, type }, value }) as CompiledPart['params'][0];

function machine(entries: number, ends: bigint): CompiledMachine {
  const params = [param('entries', 'count', BigInt(entries)), param('ends', 'ends', ends)];
  const other = { index: 0, type: { ...mapType, views: [] }, params: [] };
  return { parts: [other, { index: 1, type: mapType, params }] } as unknown as CompiledMachine;
}

type Rows = readonly (readonly number[])[];

function frameOf(views: Readonly<Record<string, Rows>>): Frame {
  const data = Object.entries(views).map(([name, rows]) => {
    const view = mapType.views.findIndex((one) => one.name === name);
    const columns = (rows[0] ?? []).map((_, i) => Float64Array.from(rows, (row) => row[i] ?? 0));
    const words = Uint32Array.from(rows, ([word]) => word ?? 0);
    return { part: 1, view, rows: rows.length, columns, words };
  });
  return { timePs: 3 * TICK_PS, events: 0, seq: 0, counters: [], views: data, trace: null };
}

const none = [0, 0, 0, 0];
/** 40 entries in two pools of 16 and a large pool of 8, in the last of 17 rows. */
const pools = [
  [0, 15, 3, 9],
  [16, 31, 16, 0],
  ...Array.from({ length: 14 }, () => none),
  [32, 40, 32, 1],
];
const bitmap = [[0b111], [1 << 7]];

function mapOf(extra: Readonly<Record<string, Rows>> = {}, ends = 0n) {
  const found = poolViewsOf(machine(40, ends));
  return found && poolMapOf(found, frameOf({ bitmap, pools, ...extra }));
}

test('a part is recognized by its views, and only those of the bitmap are requested', () => {
  const found = poolViewsOf(machine(40, 0n));
  expect(found?.part).toBe(1);
  const names = found ? wantedViews(found).map(({ view }) => mapType.views[view]?.name) : [];
  expect(names).toEqual(['bitmap', 'pools', 'entries', 'last', 'probes']);
  expect(poolViewsOf({ parts: [] } as unknown as CompiledMachine)).toBeNull();
});

test('existing pools have their bounds, the large one last', () => {
  const map = mapOf();
  expect(map?.entries).toBe(40);
  expect(map?.pools.map(({ start, end, usable, large }) => [start, end, usable, large])).toEqual([
    [0, 16, 14, false],
    [16, 32, 30, false],
    [32, 40, 39, true],
  ]);
});

test('unused entries at the end of a pool follow the machine’s rule', () => {
  const exclusive = pools.map(([start = 0, end = 0, ...rest], row) =>
    row < 2 ? [start, end + 1, ...rest] : [start, end, ...rest],
  );
  const bounds = (ends: bigint) =>
    mapOf({ pools: exclusive }, ends)?.pools.map(({ end, usable }) => [end, usable]);
  expect(bounds(1n)).toEqual([
    [16, 15],
    [32, 31],
    [40, 39],
  ]);
  expect(bounds(2n)).toEqual([
    [16, 16],
    [32, 32],
    [40, 40],
  ]);
});

test('entries have an owner and an age, also after the ticks wrap around', () => {
  const entry = (cpu: number, tick: number) => [cpu + 1 + tick * 256];
  const map = mapOf({ entries: [entry(2, 1), entry(63, 2 ** 24 - 1), [0]] });
  const cells = [...(map?.cells ?? [])];
  expect(cells.map(ownerOf)).toEqual([2, 63, null]);
  expect(cells.map((cell) => map && ticksSince(map, cell))).toEqual([2, 4, 3]);
});

describe('the last search', () => {
  const search = (last: readonly number[], probes: Rows) => mapOf({ last: [last], probes })?.search;

  test('has the processor, the result and the kept candidates', () => {
    const found = search(
      [3, 0, 14, 4, 0, 1, 9, 6],
      [
        [3, 5],
        [6, 6],
      ],
    );
    expect(found).toMatchObject({ pool: 0, pages: 4, found: 6, tried: 3, cpu: 9 });
    expect(found?.probes).toHaveLength(2);
  });

  test('failed if its result is all ones', () => {
    expect(search([1, 0, 14, 4, 0, 1, 0, 0xffffffff], [[3, 5]])?.found).toBeNull();
  });

  test('is null before the first one', () => {
    expect(search([0, 0, 0, 0, 0, 0, 0, 0], [[0, 0]])).toBeNull();
  });
});
