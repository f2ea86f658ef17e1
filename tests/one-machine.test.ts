/**
 * Parts of several systems in one machine: a card gets what a processor writes, and a processor what a card writes,
 * over any buses, bridges and translations, and with any allocator.
 */
import { describe, expect, test } from 'vitest';
import { Dice } from './support/map-traces';
import { back, CARD, HOST, hex, out, Run, store } from './support/one-machine';

describe('a GT card behind the HP adapter', () => {
  test('gets dirty cache data, at any offset and length', () => {
    const dice = new Dice(8);
    for (let round = 0; round < 12; round++) {
      const from = HOST + 4 * dice.roll(64);
      const bytes = 4 * (1 + dice.roll(round < 6 ? 40 : 2200));
      const to = CARD + 4 * dice.roll(16);
      const parts = {
        bridge: { params: { prefetch: dice.roll(5), lines: 1 + dice.roll(8) } },
        gt: { params: { read_line: [32, 128, 512][dice.roll(3)] } },
      };
      const run = new Run({
        machine: 'hp-gt',
        parts,
        rows: [store(from, bytes), out(from, to, bytes)],
      });
      const what = JSON.stringify({ from: hex(from), to: hex(to), bytes, parts });
      expect(run.counter('gt', 'dma_write_bytes'), what).toBe(bytes);
      for (let at = 0; at < bytes; at += 4)
        expect(run.word(to + at), `${what} word ${at}`).toBe(run.newest((from + at) & ~15));
      expect(run.counter('adapter', 'stale_reads')).toBe(0);
      expect(run.counter('watcher', 'broken')).toBe(0);
    }
  });

  test('writes memory, and processors see it; neighbours in a line stay', () => {
    const dice = new Dice(9);
    for (let round = 0; round < 10; round++) {
      const bytes = 4 * (1 + dice.roll(round < 5 ? 40 : 1500));
      const to = HOST + 0x8000 + 4 * dice.roll(64);
      const parts = { bridge: { params: { posts: 2 + dice.roll(7) } } };
      const around = [store(to - 64, 64), store(to + bytes, 64)];
      const rows = [
        ...[store(HOST, bytes), out(HOST, CARD, bytes), { do: 'spend', time: '20 us' }, ...around],
        ...[back(CARD, to, bytes), { do: 'load', from: hex(to), bytes, width: 4 }],
      ];
      const run = new Run({ machine: 'hp-gt', parts, rows });
      const what = JSON.stringify({ to: hex(to), bytes, parts });
      expect(run.counter('bridge', 'bytes_in'), what).toBe(bytes);
      expect(run.counter('memory', 'lost_updates'), what).toBe(0);
      expect(run.counter('watcher', 'broken'), what).toBe(0);
      expect(run.column('bridge', 'now', 'posted')[0]).toBe(0);
    }
  });

  test('raises its interrupt after its data', () => {
    const bytes = 16_384;
    const there = [store(HOST, bytes), out(HOST, CARD, bytes), { do: 'spend', time: '20 us' }];
    const run = new Run({ machine: 'hp-gt', rows: [...there, back(CARD, HOST + 0x8000, bytes)] });
    const raised = run.events('bridge', 'raised').at(-1);
    expect(raised?.b, 'writes that wait when the interrupt comes').toBeGreaterThan(0);
    const tenures = run.events('hsc', 'start');
    const [write, interrupt] = ['write', 'interrupt'].map(
      (state) => tenures.filter(({ b }) => b === run.member('hsc', 'state', state)).at(-1)?.ps ?? 0,
    );
    expect(write).toBeGreaterThan(raised?.ps ?? Number.POSITIVE_INFINITY);
    expect(interrupt).toBeGreaterThan(write ?? Number.POSITIVE_INFINITY);
  });

  test.each(['none', 'values_pass'])('reports done when its data has left, fault %s', (fault) => {
    const there = [store(HOST, 256), out(HOST, CARD, 256), { do: 'spend', time: '20 us' }];
    const rows = [...there, back(CARD, HOST + 0x8000, 256)];
    const run = new Run({ machine: 'hp-gt', rows, parts: { bridge: { params: { fault } } } });
    const tenures = run.events('hsc', 'start');
    const last = (state: string) =>
      tenures.filter(({ b }) => b === run.member('hsc', 'state', state)).at(-1)?.ps ?? 0;
    expect(run.counter('driver', 'polled')).toBe(1);
    expect(last('answer') > last('write')).toBe(fault === 'none');
  });

  test('the last line for a card leads back to the first store, by causes alone', () => {
    const run = new Run({ machine: 'hp-gt', rows: [store(HOST, 64), out(HOST, CARD, 64)] });
    const trace = run.core.trace(1, 10_000);
    const passed = new Set<string>();
    let first = run.events('bridge', 'given').at(-1)?.seq ?? 0;
    for (let seq = first; seq > 0; seq = trace.cause[seq - trace.firstSeq] ?? 0) {
      passed.add(run.name(trace.part[seq - trace.firstSeq] ?? -1));
      first = seq;
    }
    const way = ['bridge', 'bus', 'gt', 'hsc', 'runway', 'driver', 'services', 'cpu0'];
    expect([...passed]).toEqual(expect.arrayContaining(way));
    // The first store of the run misses in the cache of its processor.
    expect(run.name(trace.part[first - trace.firstSeq] ?? -1)).toBe('cache0');
    expect(first).toBe(
      trace.firstSeq + trace.part.indexOf(trace.part[first - trace.firstSeq] ?? -1),
    );
  });

  test('gets each piece that a mapping covers', () => {
    const bytes = 80 * 1024;
    const run = new Run({ machine: 'hp-gt', rows: [out(HOST, CARD, bytes)] });
    expect(run.counter('gt', 'dma_write_bytes')).toBe(bytes);
    expect(run.counter('services', 'maps')).toBe(3);
    expect(run.counter('services', 'unmaps')).toBe(3);
    expect(run.counter('services', 'entries_live')).toBe(0);
    expect(run.counter('driver', 'writes')).toBe(1);
  });

  test('makes HSC wait if register stores arrive faster than PCI accepts them, and loses none', () => {
    const stores = Array.from({ length: 40 }, () => ({
      do: 'io_store',
      to: '0xf1000060',
      count: 7,
    }));
    const run = new Run({
      machine: 'hp-gt',
      rows: stores,
      parts: { bus: { params: { clock: '10 MHz' } } },
    });
    expect(run.counter('gt', 'pio_writes')).toBe(40);
    expect(run.counter('hsc', 'wait_cycles')).toBeGreaterThan(0);
  });

  test('answers a processor while another keeps its register queue full', () => {
    const dice = new Dice(12);
    for (const accesses of [1, 2, 4]) {
      const loads = Array.from({ length: 6 }, () => ({ do: 'io_load', from: '0xf1000018' }));
      const moved = [store(HOST, 512), out(HOST, CARD, 512), back(CARD, HOST + 0x8000, 512)];
      const stores = Array.from({ length: 24 }, () => [
        { do: 'spend', time: `${dice.roll(200)} ns` },
        { do: 'io_store', to: '0xf1000060', count: 7 },
      ]).flat();
      const run = new Run({
        machine: 'hp-gt',
        workload: { cpu0: [[...loads, ...moved, ...loads]], cpu1: [stores] },
        parts: { bridge: { params: { accesses } }, bus: { params: { clock: '10 MHz' } } },
      });
      expect(run.counter('hsc', 'wait_cycles')).toBeGreaterThan(0);
      expect(run.counter('gt', 'pio_reads')).toBeGreaterThanOrEqual(12);
      expect(run.counter('gt', 'pio_writes')).toBeGreaterThanOrEqual(24);
      expect(run.counter('bridge', 'bytes_in')).toBe(512);
      expect(run.column('bridge', 'now', 'queued')[0]).toBe(0);
      expect(run.counter('watcher', 'broken')).toBe(0);
    }
  });

  test('stores words of programmed I/O, and returns them', () => {
    const data = 0xf100_1000;
    const rows = [
      { do: 'pio_write', from: hex(HOST), to: hex(data), bytes: 128 },
      { do: 'spend', time: '30 us' },
      { do: 'pio_read', from: hex(data), to: hex(HOST + 0x1000), bytes: 128 },
    ];
    const parts = { adapter: { params: { slot_bytes: '64 KiB' } } };
    const run = new Run({ machine: 'hp-gt', rows, parts });
    const written = run.events('cpu0', 'store').map(({ c }) => c);
    const read = run.events('cpu0', 'loaded').map(({ b }) => b);
    expect(written).toHaveLength(32);
    expect(written.every((write, i) => write > 0 && run.word(CARD + 4 * i) === write)).toBe(true);
    expect(read).toEqual(written);
  });

  test('gets no data from an unmapped address, and the machine continues', () => {
    const rows = [
      ...[
        [0x00, 0x5000],
        [0x08, CARD],
        [0x10, 64],
      ].map(([at = 0, count]) => ({ do: 'io_store', to: hex(0xf100_0000 + at), count })),
      { do: 'spend', time: '20 us' },
    ];
    const run = new Run({ machine: 'hp-gt', rows });
    expect(run.counter('adapter', 'faults')).toBeGreaterThan(0);
    expect(run.counter('bridge', 'errors')).toBeGreaterThan(0);
    expect(run.counter('gt', 'dma_writes')).toBe(1);
    expect(run.word(CARD)).toBe(0);
  });
});

describe('a GT card behind an IOMMU, mapped by the pooled library', () => {
  const bytes = 10_000;

  test.each(['each', 'lazy'])('moves a buffer over page boundaries, flush %s', (flush) => {
    const rows = [
      { do: 'pio_write', from: hex(HOST), to: hex(CARD), bytes: 64 },
      { do: 'spend', time: '20 us' },
      ...[back(CARD, HOST + 0x1ff0, bytes), out(HOST + 0x1ff0, CARD + 0x4000, bytes)],
    ];
    const run = new Run({
      machine: 'gt-iommu',
      rows,
      parts: { map: { params: { flush } } },
      watched: false,
    });
    expect(run.counter('map', 'maps')).toBe(2);
    expect(run.counter('map', 'unmaps')).toBe(2);
    expect(run.counter('bridge', 'stopped')).toBe(0);
    expect(run.counter('gt', 'dma_read_bytes')).toBe(bytes);
    for (let at = 0; at < 64; at += 4) {
      expect(run.word(CARD + 0x4000 + at)).toBe(run.word(CARD + at));
      expect(run.word(CARD + at)).toBeGreaterThan(0);
    }
  });

  test('a failed mapping rejects the call, and the engine is free for the next', () => {
    const rows = [back(CARD, HOST, 65_536), back(CARD, HOST, 1024)];
    const run = new Run({
      machine: 'gt-iommu',
      rows,
      parts: { map: { params: { entries: 128, pools: 16 } } },
      watched: false,
    });
    expect(run.counter('driver', 'refused')).toBe(1);
    expect(run.counter('driver', 'reads')).toBe(1);
  });
});

describe('a card behind an IOMMU that walks its table', () => {
  const idle = { do: 'spend', time: '1 ns' };
  const behind = (rows: readonly object[], unit: object = {}, service: object = {}) =>
    new Run({
      machine: 'runway-iommu',
      parts: { iommu: { params: unit }, map: { params: service }, card: { params: FAST } },
      workload: { cpu0: [rows], cpu1: [[idle]] },
    });
  const FAST = { rate: '1 GB/s', start_time: '0.1 us' };
  const moves = (tag: number, bytes: number, count: number) => [
    { do: 'start_dma', tag, bytes, count },
    { do: 'wait', tag: 1 },
  ];

  test('reaches mapped memory and nothing else, with either way of keeping caches and memory consistent', () => {
    const dice = new Dice(31);
    let flushes = 0;
    for (let round = 0; round < 8; round++) {
      const snoops = dice.roll(2) === 1;
      const unit = {
        ...{ snoops, levels: 1 + dice.roll(2), cached: 1 + dice.roll(4), sets: 2 ** dice.roll(3) },
        ...{ places: 1 + dice.roll(8), at_once: 1 + dice.roll(4) },
      };
      const flush = ['each', 'lazy_mended'][dice.roll(2)];
      const service = {
        flush_entries: !snoops || dice.roll(2) === 1,
        flush,
        entries: 64,
        pools: 1,
      };
      let bytes = 0;
      const rows = Array.from({ length: 24 }, (_, tag) => {
        const pages = 1 + dice.roll(4);
        const moved = 32 * (1 + dice.roll(pages * 64));
        bytes += moved;
        const from = hex(HOST + 4096 * dice.roll(12));
        const map = { do: 'map', from, bytes: pages * 4096, tag };
        return [map, ...moves(tag, moved, 1 + dice.roll(2)), { do: 'unmap', tag }];
      }).flat();
      const run = behind(rows, unit, service);
      const what = JSON.stringify({ unit, service });
      expect(run.counter('card', 'bytes'), what).toBe(bytes);
      for (const name of ['faults', 'stale', 'old_entries', 'stale_reads'])
        expect(run.counter('iommu', name), `${name} ${what}`).toBe(0);
      expect(run.counter('watcher', 'broken'), what).toBe(0);
      expect(run.counter('iommu', 'walk_reads'), what).toBe(
        run.counter('iommu', 'walks') * unit.levels,
      );
      if (flush === 'each') expect(run.counter('iommu', 'flushes'), what).toBe(0);
      flushes += run.counter('iommu', 'flushes');
    }
    expect(flushes).toBeGreaterThan(0);
  });

  test('gets through by an entry that was not flushed or not purged, and both are detected', () => {
    const late = [{ do: 'map', from: hex(HOST), bytes: 4096, tag: 0 }, ...moves(0, 64, 2)];
    const rows = [...late, { do: 'unmap', tag: 0 }, ...moves(0, 64, 2)];
    const wrong = (unit: object, service: object) => {
      const run = behind(rows, unit, service);
      return [run.counter('iommu', 'stale') > 0, run.counter('watcher', 'broken') > 0];
    };
    expect(wrong({ snoops: false }, {})).toEqual([false, false]);
    expect(wrong({ snoops: false }, { fault: 'entry_not_flushed' })).toEqual([true, true]);
    expect(wrong({ snoops: true }, { fault: 'entry_not_flushed' })).toEqual([false, false]);
    expect(wrong({ snoops: true }, { fault: 'not_purged' })).toEqual([true, true]);
  });
});
