import { describe, expect, test } from 'vitest';
import { type MapRows, poolMap } from './pool.fixture';
import {
  entryAt,
  entryText,
  KIND,
  movedRange,
  placeOf,
  SHADES,
  type StripsInput,
  stripsModel,
  type TimeRange,
  WHOLE,
  zoomedRange,
} from './strips';
import { usesOf } from './usage';

const COLOURS = { colouring: 'owner', chosen: null } as const;
type Colours = Pick<StripsInput, 'colouring' | 'chosen'>;

function model(rows: MapRows, stretch: TimeRange = WHOLE, width = 900, colours: Colours = COLOURS) {
  const map = poolMap(rows);
  const sheet = { width, height: 340, ratio: 1, scale: 1, stretch, ...colours };
  const input = { map, uses: usesOf(map), ...sheet };
  return { map, ...stripsModel(input) };
}

const row = ({ tones, columns }: ReturnType<typeof model>, index: number) =>
  tones.subarray(index * columns, (index + 1) * columns);

describe('strips', () => {
  test('are one per pool, with a cursor where the next search starts', () => {
    const drawn = model({ entries: 262_144, pools: 16, cursors: [8192] });
    expect(drawn.strips).toHaveLength(16);
    const [first, second] = drawn.strips;
    expect(first?.cursor).toBeCloseTo((drawn.left + drawn.right) / 2);
    expect(second?.cursor).toBe(drawn.left);
    expect(drawn.strips.every(({ head }) => head)).toBe(true);
  });

  test('are all visible on a low sheet, labelled if there is room', () => {
    const map = poolMap({ entries: 1024, pools: 16 });
    const sheet = { width: 400, height: 150, ratio: 1, scale: 1, stretch: WHOLE, ...COLOURS };
    const { strips, height } = stripsModel({ map, uses: usesOf(map), ...sheet });
    expect(strips).toHaveLength(16);
    expect((strips.at(-1)?.y ?? 0) + height).toBeLessThanOrEqual(150);
    const named = strips.filter((strip) => strip.named);
    expect(named[0]).toBe(strips[0]);
    named.slice(1).forEach(({ y }, i) => {
      expect(y - (named[i]?.y ?? 0)).toBeGreaterThanOrEqual(9);
    });
  });

  test('of a single pool continue from line to line at the scale of sixteen pools', () => {
    const drawn = model({ entries: 262_144, pools: 1, cursors: [40_000] });
    expect(drawn.strips).toHaveLength(16);
    expect(drawn.strips.filter(({ head }) => head)).toHaveLength(1);
    expect(drawn.strips.map(({ cursor }) => cursor !== null).indexOf(true)).toBe(2);
    expect(drawn.strips[2]?.from).toBe(32_768);
  });

  test('show a small table entry by entry', () => {
    const drawn = model({
      entries: 256,
      pools: 4,
      used: [
        [0, 2, 0],
        [5, 1, 0],
      ],
    });
    expect(drawn.columns).toBe(64);
    expect([...row(drawn, 0).subarray(0, 7)].map((tone) => tone > 0)).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
      false,
    ]);
  });

  test('darken with the share of entries in use', () => {
    const drawn = model({
      entries: 262_144,
      pools: 16,
      used: [
        [0, 8, -1],
        [8192, 4000, -1],
      ],
    });
    const [few, many] = [
      row(drawn, 0)[0] ?? 0,
      row(drawn, 0)[Math.ceil(drawn.columns / 2) + 1] ?? 0,
    ];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeGreaterThan(few);
    expect(many).toBeLessThan(SHADES);
  });

  test('distinguish entries of the pool’s own processors, spilled ones and old ones', () => {
    const used = [
      [0, 20, 0],
      [40, 10, 1],
      [64, 30, 1],
    ] as const;
    const drawn = model({ entries: 128, pools: 2, used });
    const kind = (tone: number | undefined) => Math.floor((tone ?? 0) / SHADES);
    expect(kind(row(drawn, 0)[3])).toBe(KIND.own);
    expect(kind(row(drawn, 0)[42])).toBe(KIND.foreign);
    expect(kind(row(model({ entries: 128, pools: 2, used, age: 500 }), 0)[3])).toBe(KIND.held);
  });

  test('coloured by age show the youngest entry in a column', () => {
    const used = [[0, 20, 0]] as const;
    const kinds = [1, 50, 1000, 5000].map((age) => {
      const colours = { colouring: 'age', chosen: null } as const;
      const drawn = model({ entries: 128, pools: 2, used, age }, WHOLE, 900, colours);
      return Math.floor((row(drawn, 0)[3] ?? 0) / SHADES) - KIND.age;
    });
    expect(kinds).toEqual([0, 1, 2, 3]);
  });

  test('highlight the entries of one processor, however few they are', () => {
    const used = [
      [0, 40, 0],
      [9, 1, 5],
    ] as const;
    const colours = { colouring: 'owner', chosen: 5 } as const;
    const drawn = model({ entries: 128, pools: 2, used }, WHOLE, 900, colours);
    const kinds = [...row(drawn, 0).subarray(8, 11)].map((tone) => Math.floor(tone / SHADES));
    expect(kinds).toEqual([KIND.own, KIND.chosen, KIND.own]);
  });

  test('have fewer table columns on a narrow sheet', () => {
    const drawn = model({ entries: 256, pools: 4 }, WHOLE, 380);
    expect(drawn.table.map(({ id }) => id)).toEqual(['used']);
    expect(drawn.names).toBeNull();
  });
});

describe('the entry under the pointer', () => {
  test('is found at its position', () => {
    const drawn = model({ entries: 262_144, pools: 16 });
    const place = placeOf(drawn, 40_000) ?? { x: 0, y: 0 };
    const found = entryAt(drawn, place.x + 0.01, place.y + 1);
    expect(found?.pool.number).toBe(2);
    expect(Math.abs((found?.entry ?? 0) - 40_000)).toBeLessThanOrEqual(1);
  });

  test('is none beside the strips', () => {
    const drawn = model({ entries: 256, pools: 4 });
    expect(entryAt(drawn, drawn.left - 2, drawn.top + 1)).toBeNull();
    expect(entryAt(drawn, drawn.left + 2, drawn.top - 5)).toBeNull();
    expect(placeOf(drawn, 9999)).toBeNull();
  });

  test('is described in words', () => {
    const map = poolMap({
      entries: 64,
      pools: 1,
      used: [
        [3, 1, 4],
        [5, 1, -1],
      ],
    });
    expect([0, 3, 5].map((entry) => entryText(map, entry).replace(/\s/g, ' '))).toEqual([
      'free',
      'mapped by CPU 4 4.19 µs ago',
      'in use',
    ]);
  });
});

describe('zooming', () => {
  test('keeps the entry under the pointer in place, down to 64 entries and back to the whole', () => {
    const near = zoomedRange(WHOLE, 0.25, 0.5, 16_384);
    expect((0.25 - near.from) / (near.to - near.from)).toBeCloseTo(0.25);
    const nearest = zoomedRange(near, 0.25, 1e-9, 16_384);
    expect((nearest.to - nearest.from) * 16_384).toBeCloseTo(64);
    expect(zoomedRange(near, 0.25, 100, 16_384)).toEqual({ from: 0, to: 1 });
  });

  test('shows each pool as one line of single entries', () => {
    const drawn = model({ entries: 262_144, pools: 1 }, { from: 0.5, to: 0.5 + 64 / 262_144 });
    expect(drawn.strips).toHaveLength(1);
    expect([drawn.strips[0]?.from, drawn.columns]).toEqual([131_072, 64]);
  });

  test('of a few pools continues from line to line, too', () => {
    const drawn = model({ entries: 262_144, pools: 1 }, { from: 0.5, to: 0.5 + 4096 / 262_144 });
    expect(drawn.strips).toHaveLength(16);
    expect(drawn.strips.map(({ from, to }) => to - from)).toEqual(Array(16).fill(256));
    expect(drawn.strips[15]?.to).toBe(131_072 + 4096);
    const two = model({ entries: 262_144, pools: 2 }, { from: 0.5, to: 0.5 + 4096 / 131_072 });
    expect(two.strips.filter(({ head }) => head).map(({ from }) => from)).toEqual([
      65_536, 196_608,
    ]);
  });

  test('stops at the ends', () => {
    expect(movedRange({ from: 0.9, to: 1 }, 5)).toEqual({ from: 0.9, to: 1 });
    expect(movedRange({ from: 0.5, to: 1 }, -5)).toEqual({ from: 0, to: 0.5 });
  });
});

describe('the trail of a run', () => {
  const entries = 262_144;
  const map = poolMap({ entries, pools: 16, used: [[100, 40, -1]] });
  const lastMs = new Float32Array(entries).fill(-1);
  const [spilled, cpus] = [new Uint8Array(entries), new Uint8Array(entries).fill(1)];
  lastMs.fill(5, 0, 200);
  lastMs.fill(29, 2000, 2200);
  lastMs.fill(30, 4000, 4200).fill(30, 6000, 6200);
  spilled.fill(1, 6000, 6200);
  cpus.fill(3, 2000, 2200);
  const trail = {
    ...{ unit: 1, lastMs, spilled, cpus, nowMs: 30 },
    wraps: () => ({ count: 0, lastMs: -1 }),
    spills: () => [],
  };
  const drawn = (chosen: number | null, colouring: 'age' | 'owner' = 'age') =>
    stripsModel({
      ...{ map, uses: usesOf(map), width: 900, height: 340, ratio: 1, scale: 1, stretch: WHOLE },
      ...{ colouring, chosen, trail },
    });
  const toneAt = (model: ReturnType<typeof stripsModel>, entry: number) =>
    model.trail?.[Math.floor((entry / 16_384) * model.columns)] ?? -1;

  test('is fresh behind the search and pales with age, also where entries were given back', () => {
    const model = drawn(null);
    expect(toneAt(model, 4100)).toBe(SHADES - 1);
    expect(toneAt(model, 100)).toBeGreaterThan(0);
    expect(toneAt(model, 100)).toBeLessThan(toneAt(model, 2100));
    expect(toneAt(model, 10_000)).toBe(0);
  });

  test('tells spilled requests and those of the highlighted processor apart', () => {
    expect(toneAt(drawn(null), 6100)).toBeGreaterThanOrEqual(SHADES);
    expect(toneAt(drawn(null), 6100)).toBeLessThan(2 * SHADES);
    expect(toneAt(drawn(2), 2100)).toBeGreaterThanOrEqual(2 * SHADES);
    expect(toneAt(drawn(2), 4100)).toBeLessThan(SHADES);
  });

  test('leaves long-lived entries as texture, in columns of about 63 entries, and is none by owner', () => {
    const model = drawn(null);
    expect(16_384 / model.columns).toBeGreaterThan(50);
    expect(model.tones.some((tone) => tone > 0)).toBe(true);
    expect([...model.tones].every((tone) => tone < SHADES)).toBe(true);
    expect(drawn(null, 'owner').trail).toBeNull();
  });
});
