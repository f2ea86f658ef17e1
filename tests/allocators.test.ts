/**
 * Any allocator under any translation unit: HP-UX's ranges and the pools of Linux, under the I/O TLB of the HP
 * adapter and under an IOMMU. The addresses given to devices differ; the data they move does not.
 */
import { describe, expect, test } from 'vitest';
import { compile } from '../src/model/scenario/compile';
import { loadScenario } from '../src/model/scenario/load';
import { Dice } from './support/map-traces';
import { back, CARD, HOST, hex, IDLE, out, Run, store } from './support/one-machine';
import { MACHINES } from './support/scenarios';

interface Allocator {
  readonly parts: Readonly<Record<string, object>>;
  readonly wires: readonly (readonly [string, string])[];
}

const lent = (params: object): Allocator => ({
  parts: {
    map: {
      type: 'iommu_map',
      params: { entries: 16384, page: '4 KiB', spread: false, ...params },
    },
  },
  wires: [['services.allocator', 'map.lends']],
});
const own = (allocator: string): Allocator => ({
  parts: { services: { params: { allocator } } },
  wires: [],
});

/** Under the adapter of the HP machine. */
const UNDER_ADAPTER: Readonly<Record<string, Allocator>> = {
  'HP-UX default': own('hpux'),
  'HP-UX next fit': own('hpux_next'),
  'HP-UX sequential': own('sequential'),
  ccio: own('ccio'),
  'single arena': lent({ pools: 1 }),
  'sixteen pools': lent({ pools: 16 }),
  'pools and a large one': lent({ pools: 16, large: 'linux' }),
  'pools with lazy flush': lent({ pools: 16, flush: 'lazy' }),
};

const ranges = (allocator: string): Allocator => ({
  parts: { ranges: { type: 'io_services', params: { allocator, page_bits: 10, chain_shift: 15 } } },
  wires: [['map.allocator', 'ranges.lends']],
});

/** Under the IOMMU of the other machine. */
const UNDER_IOMMU: Readonly<Record<string, Allocator>> = {
  'HP-UX default': ranges('hpux'),
  'HP-UX next fit': ranges('hpux_next'),
  'HP-UX sequential': ranges('sequential'),
  ccio: ranges('ccio'),
  'single arena': { parts: { map: { params: { pools: 1 } } }, wires: [] },
  'sixteen pools': { parts: { map: { params: { pools: 16 } } }, wires: [] },
};

/** The HP machine's 2^k pages; parts named twice have the parameters of both. */
const adapted = ({ parts }: Allocator, k = 14) => ({
  ...parts,
  adapter: { params: { page_bits: k } },
  services: { params: { page_bits: k, ...(parts.services as { params?: object })?.params } },
});

const SIZES = [64, 10_000, 80 * 1024];

/** A buffer goes out to the card and comes back elsewhere. */
const there = (bytes: number) => [
  store(HOST + 0x80, 2048),
  out(HOST + 0x80, CARD, bytes),
  { do: 'spend', time: '20 us' },
  back(CARD, HOST + 0x1_0000, Math.min(bytes, 0x8000)),
];

describe('the same driver moves the same data', () => {
  test.each(Object.entries(UNDER_ADAPTER))('under the HP adapter, by %s', (name, allocator) => {
    for (const bytes of SIZES) {
      const run = new Run({
        machine: 'hp-gt',
        rows: there(bytes),
        parts: adapted(allocator),
        wires: allocator.wires,
        watched: !name.includes('lazy'),
      });
      const what = `${name}, ${bytes} B`;
      expect(run.counter('gt', 'dma_write_bytes'), what).toBe(bytes);
      for (let at = 0; at < Math.min(bytes, 2048); at += 4) {
        const write = run.newest((HOST + 0x80 + at) & ~15);
        expect(write, what).toBeGreaterThan(0);
        expect(run.word(CARD + at), `${what}, word ${at}`).toBe(write);
      }
      for (const [part, counter] of [
        ...(['faults', 'stale_reads', 'stale_translations'] as const).map((one) => [
          'adapter',
          one,
        ]),
        ...[['services', 'entries_live']],
        ...(name.includes('lazy') ? [] : [['watcher', 'broken']]),
      ] as const)
        expect(run.counter(part ?? '', counter ?? ''), `${what}: ${counter}`).toBe(0);
      expect(run.counter('services', 'unmaps'), what).toBe(run.counter('services', 'maps'));
    }
  });

  test.each(Object.entries(UNDER_IOMMU))('under an IOMMU, by %s', (name, allocator) => {
    for (const bytes of SIZES.slice(0, 2)) {
      const rows = [
        { do: 'pio_write', from: hex(HOST), to: hex(CARD), bytes: 64 },
        { do: 'spend', time: '20 us' },
        ...[back(CARD, HOST + 0x1ff0, bytes), out(HOST + 0x1ff0, CARD + 0x4000, bytes)],
      ];
      const run = new Run({ machine: 'gt-iommu', rows, ...allocator, watched: false });
      const what = `${name}, ${bytes} B`;
      expect(run.counter('bridge', 'stopped'), what).toBe(0);
      expect(run.counter('gt', 'dma_read_bytes'), what).toBe(bytes);
      for (let at = 0; at < 64; at += 4) {
        expect(run.word(CARD + at), what).toBeGreaterThan(0);
        expect(run.word(CARD + 0x4000 + at), `${what}, word ${at}`).toBe(run.word(CARD + at));
      }
    }
  });
});

describe('drivers and their buffers', () => {
  test('two drivers of one service each map a buffer of any length', () => {
    const bytes = 64 * 1024;
    for (const [name, allocator] of Object.entries({ 'HP-UX': own('hpux'), pools: lent({}) })) {
      const workload = {
        cpu0: [[store(HOST, 2048), out(HOST, CARD, bytes)]],
        cpu1: [[store(HOST + 0x1_0000, 2048), out(HOST + 0x1_0000, CARD, bytes)]],
      };
      const run = new Run({ machine: 'hp-two-gt', workload, parts: allocator.parts });
      for (const [card, from] of [
        ['gt', HOST],
        ['gt1', HOST + 0x1_0000],
      ] as const) {
        expect(run.counter(card, 'dma_write_bytes'), name).toBe(bytes);
        const words = run.column(card, 'cells', 'write');
        for (let at = 0; at < 2048; at += 4)
          expect(words[at / 4], `${name}, ${card}`).toBe(run.newest((from + at) & ~15));
      }
      expect(run.counter('adapter', 'faults'), name).toBe(0);
      expect(run.counter('services', 'entries'), name).toBe(32);
      expect(run.counter('services', 'entries_live'), name).toBe(0);
      expect(run.counter('watcher', 'broken'), name).toBe(0);
    }
  });

  test("a program makes mappings of its own next to a card's driver", () => {
    const rows = [
      { do: 'map', from: hex(HOST), bytes: 8192, tag: 3 },
      out(HOST + 0x4000, CARD, 64),
      { do: 'unmap', tag: 3 },
    ];
    const run = new Run({ machine: 'hp-gt', rows });
    expect(run.counter('gt', 'dma_write_bytes')).toBe(64);
    expect(run.counter('services', 'maps')).toBe(2);
    expect(run.counter('services', 'unmaps')).toBe(2);
    expect(run.counter('cpu0', 'refused')).toBe(0);
    const alone = { driver: { type: 'gt_driver' } };
    const unwired = { machine: 'gt-system-a', rows: rows.slice(0, 1), parts: alone };
    expect(() => new Run({ ...unwired, watched: false })).toThrow(
      '"map" cannot be executed: it is an operation of I/O services or DMA mapping, and "driver" (GT driver) cannot do it.',
    );
  });

  test.each(Object.entries(UNDER_IOMMU))(
    'a buffer begins within its page under an IOMMU, by %s',
    (_, allocator) => {
      const [from, bytes] = [HOST + 0x1ff0, 64 + 40_000];
      const rows = [
        { do: 'pio_write', from: hex(HOST), to: hex(CARD), bytes: 64 },
        ...[{ do: 'spend', time: '20 us' }, back(CARD, from, bytes)],
      ];
      const run = new Run({ machine: 'gt-iommu', rows, ...allocator, watched: false });
      const words = run.column('memory', 'cells', 'write');
      const sent = Array.from({ length: 16 }, (_, i) => run.word(CARD + 4 * i));
      expect(Array.from(words.slice(0, (from - HOST) / 4)).every((write) => write === 0)).toBe(
        true,
      );
      expect(Array.from(words.slice((from - HOST) / 4, (from - HOST) / 4 + 16))).toEqual(sent);
      expect(run.counter('bridge', 'stopped')).toBe(0);
      expect(run.counter('gt', 'dma_read_bytes')).toBe(bytes);
    },
  );
});

describe('a network card under any mapping service', () => {
  const SENT = 40;
  const send = [
    { do: 'repeat', count: SENT },
    { do: 'send', bytes: 1448 },
    { do: 'again' },
    { do: 'spend', time: '100 us' },
  ];
  const card = {
    driver: null,
    net: { type: 'net_driver', params: { senders: 1, window: 16, batch: 4, spread: false } },
    nic: { type: 'net_adapter' },
  };
  const wires = [
    ['cpu0.os', 'net.cpu0'],
    ['net.adapter', 'nic.driver'],
  ] as const;
  /**
   * The result required of every mapping service: each packet sent, each buffer mapped, and each reclaimed buffer
   * unmapped.
   */
  const sends = (run: Run) => {
    expect(run.counter('nic', 'packets')).toBe(SENT);
    expect(run.counter('net', 'drops')).toBe(0);
    const [maps, unmaps] = [run.counter('net', 'maps'), run.counter('net', 'unmaps')];
    return { maps, held: maps - unmaps, places: 2 * (SENT - run.counter('net', 'reclaimed')) };
  };

  test.each(Object.entries(UNDER_ADAPTER))('by %s', (_, allocator) => {
    const parts = { ...adapted(allocator), ...card };
    const own = [...wires, ['net.map0', 'services.cpu0'], ...allocator.wires] as const;
    const run = new Run({ machine: 'hp-gt', rows: send, parts, wires: own, watched: false });
    const { maps, held, places } = sends(run);
    expect(maps).toBe(2 * SENT);
    expect(held).toBe(places);
    expect(run.counter('services', 'maps')).toBe(maps);
    expect(run.counter('services', 'entries_live')).toBe(held);
    expect(run.counter('cpu0', 'refused')).toBe(0);
  });

  test('by none: it gets memory addresses', () => {
    const run = new Run({ machine: 'hp-gt', rows: send, parts: card, wires, watched: false });
    expect(sends(run)).toEqual({
      maps: 0,
      held: 0,
      places: 2 * (SENT - run.counter('net', 'reclaimed')),
    });
    expect(run.counter('services', 'maps')).toBe(0);
  });

  test('a driver with more mappings than rows drops packets that cannot be mapped', () => {
    const parts = {
      ...card,
      net: { ...card.net, params: { ...card.net.params, window: 64, buffers: 16 } },
    };
    const slow = { nic: { type: 'net_adapter', params: { latency: '5 ms' } } };
    const own = [...wires, ['net.map0', 'services.cpu0']] as const;
    const run = new Run({
      machine: 'hp-gt',
      rows: send,
      parts: { ...parts, ...slow },
      wires: own,
      watched: false,
    });
    expect(run.counter('net', 'posted')).toBe(32);
    expect(run.counter('net', 'drops')).toBe(SENT - 32);
    expect(run.counter('services', 'entries_live')).toBe(512);
    expect(run.counter('cpu0', 'refused')).toBe(0);
  });
});

describe('no two current mappings share a page', () => {
  /** A hundred calls: buffers of some pages under eight names, mapped if free and unmapped otherwise. */
  function calls(dice: Dice, first: number) {
    const live = new Set<number>();
    return Array.from({ length: 100 }, () => {
      const tag = first + dice.roll(8);
      if (live.delete(tag)) return { do: 'unmap', tag };
      live.add(tag);
      return {
        do: 'map',
        from: hex(HOST + 16 * dice.roll(512)),
        bytes: 1 + dice.roll(28_000),
        tag,
      };
    });
  }

  /** Tracks mappings; returns the maximum number live at once. */
  function follow(run: Run, part: string): number {
    const moves = [
      ...run.events(part, 'map').map((event) => ({ ...event, comes: true })),
      ...run.events(part, 'unmap').map((event) => ({ ...event, comes: false })),
    ].sort((x, y) => x.seq - y.seq);
    const used = new Set<number>();
    let live = 0;
    let most = 0;
    for (const { a, b, comes } of moves) {
      for (let page = Math.floor(a / 4096); page < Math.floor(a / 4096) + b; page++) {
        expect(used.has(page), `${hex(page * 4096)}`).toBe(!comes);
        if (comes) used.add(page);
        else used.delete(page);
      }
      live += comes ? 1 : -1;
      most = Math.max(most, live);
    }
    return most;
  }

  test.each(Object.entries(UNDER_ADAPTER))('under the HP adapter, by %s', (_, allocator) => {
    const dice = new Dice(21);
    const run = new Run({
      machine: 'hp-k-class',
      workload: { cpu0: [calls(dice, 0)], cpu1: [calls(dice, 8)], cpu2: [[IDLE]], cpu3: [[IDLE]] },
      parts: adapted(allocator),
      wires: allocator.wires,
    });
    expect(follow(run, 'services')).toBeGreaterThan(6);
    expect(run.counter('services', 'exhausted')).toBe(0);
  });

  test.each(Object.entries(UNDER_IOMMU))('under an IOMMU, by %s', (_, { parts, wires }) => {
    const machine = 'io-table';
    const dice = new Dice(22);
    const params = { entries: 1024, page: '4 KiB' };
    const map = { params: { ...params, ...(parts.map as { params?: object })?.params } };
    const run = new Run({
      machine,
      workload: { cpu0: [calls(dice, 0)], cpu1: [[IDLE]], cpu2: [[IDLE]], cpu3: [[IDLE]] },
      parts: { ...parts, map },
      wires,
      watched: false,
    });
    expect(follow(run, 'map')).toBeGreaterThan(6);
    expect(run.counter('map', 'failures')).toBe(0);
  });
});

describe('rows of the I/O TLB', () => {
  const rows = (from: number, to: number, count: number) => [
    { do: 'repeat', count },
    { do: 'dma_in', from: hex(from), to: hex(to), bytes: 8192 },
    { do: 'again' },
  ];

  /** Misses of two streams among 2048 look-ups; each stream has its own processor. */
  function misses(allocator: Allocator, k = 14): number {
    const large = { memory: { params: { directory_bytes: '2 MiB' } } };
    const disk = [rows(HOST, 0xf100_0000, 4)];
    const lan = [rows(HOST + 0x1_0000, 0xf100_1000, 2)];
    const run = new Run({
      machine: 'hp-k-class',
      workload: { cpu0: [[IDLE]], cpu1: disk, cpu2: lan, cpu3: [[IDLE]] },
      parts: { ...adapted(allocator, k), ...(k > 14 ? large : {}) },
      wires: allocator.wires,
      watched: false,
    });
    expect(run.counter('adapter', 'lookups')).toBe(2048);
    return run.counter('adapter', 'misses');
  }

  test('two streams share a row with a single arena, as in ccio, but not with pools, as in HP-UX', () => {
    expect(misses(own('hpux'))).toBe(12);
    expect(misses(lent({ pools: 16 }))).toBe(12);
    expect(misses(own('ccio'))).toBeGreaterThan(1700);
    expect(misses(lent({ pools: 1 }))).toBeGreaterThan(1700);
  });

  test("pools as large as the TLB's reach begin in the same row; a large pool separates them", () => {
    const entries = 1 << 18;
    expect(misses(lent({ entries, pools: 16 }), 18)).toBeGreaterThan(1700);
    expect(misses(lent({ entries, pools: 16, large: 'linux' }), 18)).toBe(12);
  });
});

describe('a card that keeps using an unmapped address', () => {
  /** The place of the buffer as the library's search finds it: the second page of this processor's pool. */
  const LATE = 0x1000;
  const rows = [
    ...[store(HOST, 1024), out(HOST, CARD, 1024), { do: 'spend', time: '20 us' }],
    ...[back(CARD, HOST + 0x8000, 1024), { do: 'spend', time: '20 us' }],
    store(HOST + 0x8000, 1024),
    ...[
      [0x20, LATE],
      [0x28, CARD],
      [0x30, 1024],
    ].map(([at = 0, count]) => ({ do: 'io_store', to: hex(0xf100_0000 + at), count })),
    { do: 'spend', time: '60 us' },
  ];
  const late = (flush: string) =>
    new Run({
      machine: 'hp-gt',
      rows,
      parts: adapted(lent({ flush })),
      wires: lent({}).wires,
      watched: false,
    });

  test('is blocked with immediate flushing', () => {
    const run = late('each');
    expect(run.counter('adapter', 'stale_translations')).toBe(0);
    expect(run.counter('adapter', 'faults')).toBe(32);
    expect(run.counter('adapter', 'bytes_in')).toBe(1024);
  });

  test("overwrites what is somebody else's where it is lazy, and is seen", () => {
    const run = late('lazy');
    expect(run.counter('adapter', 'stale_translations')).toBe(32);
    expect(run.counter('adapter', 'faults')).toBe(0);
    expect(run.counter('adapter', 'bytes_in')).toBe(2048);
    const [gone] = run.events('adapter', 'gone');
    expect(gone).toMatchObject({ a: LATE, b: (HOST + 0x8000) / 4096 });
  });
});

describe('an incompatible pair is rejected', () => {
  function refusal({ parts, wires }: Allocator, machine = 'hp-gt'): string {
    const workload = machine === 'hp-gt' ? { cpu0: [IDLE], cpu1: [IDLE] } : { cpu: [IDLE] };
    const text = JSON.stringify({
      ...{ busyard: 1, title: 'T', summary: 'S', system: 'one', until: '1 ms' },
      ...{ machine: { extends: machine, parts, wires }, workload, view: { kind: 'machine' } },
    });
    const loaded = loadScenario(text, { file: 'test.json', machines: MACHINES });
    const made = loaded.ok ? compile(loaded.value) : loaded;
    return made.ok ? '' : made.problems.map(({ message }) => message).join(' ');
  }

  test('if their page sizes differ, naming both', () => {
    expect(refusal(lent({ page: '8 KiB' }))).toBe(
      '"services" and "map" are wired together and must agree on the bytes of a page, which are 4 KiB on "services" and 8 KiB by "I/O page" of "map": "I/O page" of "map" must be 4 KiB.',
    );
  });

  test('if one is not an allocator, or both are', () => {
    const wires = (to: string) => [['services.allocator', to]] as const;
    expect(refusal({ ...lent({}), wires: wires('map.cpu0') })).toContain('"services.allocator"');
    expect(refusal({ ...lent({}), wires: wires('map.allocator') })).toContain('"map.allocator"');
  });
});

test('a flush of all rows costs more than many single ones, unless the table is larger than the TLB', () => {
  const pair = [
    { do: 'map', from: hex(HOST), bytes: 4096, tag: 0 },
    { do: 'unmap', tag: 0 },
  ];
  const lap = (entries: number, flush: string) => {
    const rows = [{ do: 'repeat', count: 256 }, ...pair, { do: 'again' }];
    const allocator = lent({ entries, pools: 1, flush });
    const run = new Run({
      machine: 'hp-gt',
      rows: [{ do: 'lap' }, ...rows, { do: 'lap_end' }],
      parts: adapted(allocator),
      wires: allocator.wires,
      watched: false,
    });
    expect(run.counter('services', 'entries')).toBe(256);
    expect(run.counter('services', 'entries_live')).toBe(0);
    return run.counter('cpu0', 'lap_time');
  };
  expect(lap(16, 'lazy')).toBeGreaterThan(1.1 * lap(16, 'each'));
  expect(lap(4096, 'lazy')).toBeLessThan(lap(4096, 'each'));
});
