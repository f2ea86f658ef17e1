/**
 * Cards on PCI, and devices on HSC, behind an IOMMU that reads its table in memory, by any allocator: they get what
 * processors wrote; their own writes are visible and leave neighbours unchanged.
 */
import { describe, expect, test } from 'vitest';
import { Dice } from './support/map-traces';
import { back, CARD, HOST, hex, IDLE, out, type Run, store, walked } from './support/one-machine';

describe('cards on PCI behind an IOMMU that walks its table', () => {
  const ranges = (allocator: string) => ({
    parts: {
      ranges: { type: 'io_services', params: { allocator, page_bits: 10, chain_shift: 15 } },
    },
    wires: [['map.allocator', 'ranges.lends']] as const,
  });
  const pools = (count: number) => ({
    parts: { map: { params: { pools: count } } },
    wires: [] as const,
  });
  const ALLOCATORS = {
    ...{ 'a single arena': pools(1), 'sixteen pools': pools(16) },
    ...{ 'HP-UX default': ranges('hpux'), 'HP-UX next fit': ranges('hpux_next') },
    ...{ 'HP-UX sequential': ranges('sequential'), ccio: ranges('ccio') },
  };
  const sound = (run: Run, what: string) => {
    for (const name of ['faults', 'stale', 'old_entries', 'stale_reads'])
      expect(run.counter('iommu', name), `${name} ${what}`).toBe(0);
    expect(run.counter('memory', 'lost_updates'), what).toBe(0);
    expect(run.counter('watcher', 'broken'), what).toBe(0);
  };

  test.each(Object.entries(ALLOCATORS))('move data both ways, by %s', (name, allocator) => {
    const dice = new Dice(name.length);
    for (const bytes of [64, 4 * (1 + dice.roll(100)), 10_000]) {
      const [from, to] = [HOST + 4 * dice.roll(64), HOST + 0x8000 + 4 * dice.roll(64)];
      const unit = {
        ...{ snoops: dice.roll(2) === 1, levels: 1 + dice.roll(2), cached: 1 + dice.roll(4) },
        ...{ buffers: 1 + dice.roll(3) },
      };
      const there = [store(from, Math.min(bytes, 2048)), out(from, CARD, bytes)];
      const around = [store(to - 64, 64), store(to + bytes, 64)];
      const rows = [...there, { do: 'spend', time: '20 us' }, ...around, back(CARD, to, bytes)];
      const seen = [{ do: 'load', from: hex(to), bytes, width: 4 }];
      const run = walked({
        // The other processor stores next to the word that the card merges.
        workload: {
          cpu0: [[...rows, ...seen]],
          cpu1: [[{ do: 'repeat', count: 40 }, store(to - 32, 4), { do: 'again' }]],
        },
        parts: { ...allocator.parts, iommu: { params: unit } },
        wires: allocator.wires,
      });
      const what = JSON.stringify({ name, bytes, from: hex(from), to: hex(to), unit });
      for (let at = 0; at < Math.min(bytes, 2048); at += 4)
        expect(run.word(CARD + at), `${what} word ${at}`).toBe(run.newest((from + at) & ~15));
      expect(run.counter('gt', 'dma_read_bytes'), what).toBe(bytes);
      expect(run.counter('iommu', 'walk_reads'), what).toBe(
        run.counter('iommu', 'walks') * unit.levels,
      );
      expect(run.counter('map', 'unmaps'), what).toBe(run.counter('map', 'maps'));
      sound(run, what);
    }
  });

  const MOVED = { do: 'map', from: hex(HOST), bytes: 4096, tag: 0 };
  const PAGE = 0x4000_0000;
  /** Cards other than the GT card; their parameters give the buffer's address. */
  const CARDS = {
    'a storage adapter that reads': ['peer', { direction: 'read' }, 'bytes'],
    'a storage adapter that writes': ['peer', { direction: 'write' }, 'bytes'],
    'a network card': ['lan_card', { descriptors: hex(PAGE), buffers: hex(PAGE) }, 'bytes'],
  } as const;
  const paced = { blocks: 1, bytes: 1024, delay: '30 us', address: hex(PAGE) };
  const wired = (slot: string) =>
    [
      ['card.pci', slot],
      ['card.irq', 'bridge.irq1'],
    ] as const;

  test.each(Object.entries(CARDS))('serves %s, on the bus or behind another', (name, card) => {
    const [type, params, counter] = card;
    const ring = [{ do: 'io_store', to: '0xf1000000', count: 1 }];
    const rows = [store(HOST, 1024), MOVED, { do: 'spend', time: '40 us' }];
    const after = [
      ...(type === 'lan_card' ? ring : []),
      ...[
        { do: 'spend', time: '400 us' },
        { do: 'unmap', tag: 0 },
      ],
    ];
    for (const behind of [false, true]) {
      const second = behind
        ? { far: { type: 'pci' }, pass: { type: 'pcix_bridge' } }
        : ({} as object);
      const run = walked({
        workload: { cpu0: [[...rows, ...after]], cpu1: [[IDLE]] },
        parts: {
          ...{ ...second, gt: null, ring: null, driver: null },
          card: { type, params: { ...(type === 'peer' ? paced : {}), ...params } },
        },
        wires: [
          ...[['cpu0.os', 'map.cpu0'] as const, ...wired(behind ? 'far.slot1' : 'bus.slot1')],
          ...(behind ? ([['bus.slot1', 'pass.bus0']] as const) : []),
          ...(behind ? ([['far.slot0', 'pass.bus1']] as const) : []),
        ],
      });
      const what = `${name}, ${behind ? 'behind a bridge' : 'on the bus'}`;
      expect(run.counter('card', counter), what).toBe(1024);
      expect(run.counter('iommu', 'walks'), what).toBeGreaterThan(0);
      sound(run, what);
    }
  });

  test('serves a device on HSC itself, in pieces of any size', () => {
    const moves = [4, 8, 16, 32].map((bytes, i) => [
      { do: 'write', at: hex(PAGE + 0x100 * i + bytes), bytes },
      { do: 'semaphore', at: hex(PAGE + 0x800) },
      { do: 'locked', at: hex(PAGE + 0x900) },
      { do: 'read', at: hex(PAGE + 0x100 * i), bytes: 64 },
    ]);
    const program = [{ do: 'pause', time: '300 us' }, ...moves.flat()];
    const run = walked({
      workload: {
        cpu0: [[store(HOST, 4096), MOVED, { do: 'spend', time: '600 us' }]],
        cpu1: [[IDLE]],
      },
      parts: {
        ...{ driver: null },
        disk: { type: 'dma_device', tables: { program } },
      },
      wires: [
        ['cpu0.os', 'map.cpu0'],
        ['hsc.slot1', 'disk.hsc'],
      ],
    });
    expect(run.counter('disk', 'bytes_written')).toBe(4 + 8 + 16 + 32 + 4 * 4);
    expect(run.counter('disk', 'errors')).toBe(0);
    expect(run.counter('iommu', 'bytes_in')).toBe(60 + 4 * 8);
    sound(run, 'HSC');
  });

  test('are stopped at unmapped addresses, and detected after the mapping is removed', () => {
    const late = [MOVED, { do: 'spend', time: '40 us' }, { do: 'unmap', tag: 0 }, IDLE];
    const run = (fault: string) =>
      walked({
        workload: {
          cpu0: [[store(HOST, 1024), ...late, { do: 'spend', time: '100 us' }]],
          cpu1: [[IDLE]],
        },
        parts: {
          ...{ gt: null, ring: null, driver: null },
          map: { params: { fault } },
          card: { type: 'peer', params: { ...paced, blocks: 2, every: '40 us' } },
        },
        wires: [['cpu0.os', 'map.cpu0'], ...wired('bus.slot1')],
      });
    const purged = run('none');
    expect(purged.counter('iommu', 'stale')).toBe(0);
    expect(purged.counter('iommu', 'faults')).toBeGreaterThan(0);
    const kept = run('not_purged');
    expect(kept.counter('iommu', 'stale')).toBeGreaterThan(0);
    expect(kept.counter('watcher', 'broken')).toBeGreaterThan(0);
  });
});
