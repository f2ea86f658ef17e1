/**
 * Ropes and local bus adapters: cards get and deliver the right data with any prefetch, and data passes stores only
 * where a hint allows it.
 */
import { describe, expect, test } from 'vitest';
import { orderedPart } from '../src/model/coherence/coherence-roles';
import { PCI_ORDERING, queueOf } from '../src/model/coherence/pci-ordering';
import { CARD, HOST, Run } from './support/one-machine';
import { typeOf } from './support/sessions';

const BACK = HOST + 0x8000;
const TRACKED = {
  gt: { params: { tracked: '64 KiB' } },
  memory: { params: { tracked: '128 KiB', tracked_from: '0x100000' } },
};

const out = (bytes: number) => ({ do: 'dma_write', from: HOST, to: CARD, bytes });
const back = (bytes: number) => ({ do: 'dma_read', from: CARD, to: BACK, bytes });

/** The storage adapter with other parameters. */
const card = (params: object) => ({ scsi: { params: { blocks: 1, address: HOST, ...params } } });

/** A second card that writes 16 KiB of memory at the beginning, and a processor that waits for it. */
const SECOND = {
  type: 'peer',
  params: { blocks: 1, bytes: '16 KiB', address: HOST, direction: 'write' },
};
const WIRES = [['second.pci', 'bus.slot2']] as const;
/** Also for the ring, after which the card shows what was written to it. */
const WAIT = { do: 'spend', time: '200 us' };

const writesOf = (run: Run, from: number, bytes: number): number[] =>
  [...run.column('memory', 'cells', 'write')].slice((from - HOST) / 4, (from - HOST + bytes) / 4);

describe('a card behind a rope', () => {
  test.each([
    [0, 32, 4],
    [0, 512, 4096],
    [3, 512, 8192],
    [3, 4096, 5000],
    [2, 128, 1028],
  ])(
    'gets the newest data of memory, and writes it back: %d lines ahead, %d B at once, %d B',
    (ahead, ask, bytes) => {
      const run = new Run({
        machine: 'zx1-gt',
        wires: WIRES,
        parts: {
          ...TRACKED,
          second: SECOND,
          gt: { params: { tracked: '64 KiB', read_line: ask } },
          lba: { params: { mr_consistent_depth: ahead } },
        },
        rows: [WAIT, out(bytes), WAIT, back(bytes)],
      });
      const sent = writesOf(run, HOST, bytes);
      expect(sent.every((write) => write > 0)).toBe(true);
      expect(writesOf(run, BACK, bytes)).toEqual(sent);
      expect(run.counter('lba', 'bytes_out')).toBe(bytes);
      expect(run.counter('lba', 'bytes_in')).toBe(16384 + bytes);
    },
  );

  test('reports done when its data is in memory: a register read waits for posted writes', () => {
    const run = new Run({ machine: 'zx1-gt', parts: TRACKED, rows: [back(64)] });
    const done = run.events('cpu', 'ended')[0];
    const posts = run.column('lba', 'now', 'posted');
    expect(done).toBeDefined();
    expect([...posts]).toEqual([0]);
    expect(run.counter('sba', 'bytes_written')).toBe(64);
  });

  test('is read and written word by word', () => {
    const run = new Run({
      machine: 'zx1-gt',
      wires: WIRES,
      parts: { ...TRACKED, second: SECOND },
      rows: [
        WAIT,
        { do: 'pio_write', from: HOST, to: CARD, bytes: 64 },
        WAIT,
        { do: 'pio_read', from: CARD, to: BACK, bytes: 64 },
      ],
    });
    // Each store is a write of its own, later than the 4096 of the second card.
    const words = Array.from({ length: 16 }, (_, word) => 4096 + 1 + word);
    expect(writesOf(run, BACK, 64)).toEqual(words);
    expect(run.counter('sba', 'posted')).toBe(16);
    expect(run.counter('lba', 'stores')).toBe(16);
  });
});

describe('a delayed read', () => {
  const read = (params: object, lba: object = {}) =>
    new Run({
      machine: 'zx1-53c1010',
      parts: { ...card(params), lba: { params: lba } },
      rows: [{ do: 'spend', time: '1 ns' }],
    });

  test.each([
    // 4 KiB are 32 lines; each wait brings one line and those ahead.
    [0, 32],
    [1, 16],
    [3, 8],
  ])('of MRM brings a line and %d ahead', (depth, waits) => {
    const run = read({ bytes: 4096 }, { mrm_consistent_depth: depth });
    expect(run.counter('lba', 'delayed')).toBe(waits);
    expect(run.counter('lba', 'fetched')).toBe(32);
    expect(run.counter('lba', 'wasted')).toBe(0);
  });

  test('ends at a block, and lines beyond the card’s request are discarded', () => {
    // From 128 B before a block of 512 B: one line to its end, then four to a wait.
    const run = read(
      { address: HOST + 384, bytes: 1152 },
      { mrm_consistent_depth: 3, mrm_consistent_block: 512 },
    );
    expect(run.counter('lba', 'delayed')).toBe(3);
    // A single line is read by MRL, at first; three lines ahead of it are of no use.
    const single = read({ bytes: 128 }, { mrl_consistent_depth: 3 });
    expect(single.counter('lba', 'fetched')).toBe(4);
    expect(single.counter('lba', 'wasted')).toBe(3);
  });

  test('names the command by the lines in it', () => {
    // A line ahead for MRL only.
    const ahead = { mr_consistent_depth: 0, mrl_consistent_depth: 1, mrm_consistent_depth: 0 };
    const lines = (bytes: number, command: string) => {
      const run = read({ bytes, command }, ahead);
      return [run.counter('lba', 'delayed'), run.counter('lba', 'fetched')];
    };
    // MRM for the first of two lines; then one is left, for MRL: it and one ahead.
    expect(lines(256, 'read_multiple')).toEqual([2, 3]);
    expect(lines(256, 'read_line')).toEqual([1, 2]);
    expect(lines(256, 'read')).toEqual([2, 2]);
    // Half a line is MR, whatever the card knows.
    expect(lines(64, 'read_multiple')).toEqual([1, 1]);
  });

  test('of streaming memory leaves lines in their caches only by Read Current', () => {
    const taken = (current: boolean) =>
      new Run({
        machine: 'zx1-53c1010',
        parts: {
          ...card({ address: 0x4000_0000, bytes: 4096, delay: '100 us' }),
          lba: { params: { mrm_streaming_current: current } },
        },
        rows: [{ do: 'copy_write', from: HOST, to: 0x4000_0000, bytes: 4096 }],
      });
    expect(taken(true).counter('sba', 'taken')).toBe(0);
    expect(taken(false).counter('sba', 'taken')).toBe(32);
  });
});

describe('a card that overwrites a processor’s modified line', () => {
  const written = (params: object) => {
    const at = { address: 0x4000_0000, bytes: 4096, delay: '100 us', direction: 'write' };
    return new Run({
      machine: 'zx1-53c1010',
      parts: { ...card({ ...at, ...params }), cache: { params: { size: '64 KiB' } } },
      rows: [{ do: 'copy_write', from: HOST, to: 0x4000_0000, bytes: 4096 }],
    });
  };
  const counts = (run: Run) =>
    ['saved', 'dropped', 'taken'].map((name) => run.counter('sba', name));

  test('has it written back first by MW, and not by MWI of whole lines', () => {
    expect(counts(written({ invalidates: false }))).toEqual([4096, 0, 32]);
    const whole = written({ invalidates: true });
    expect(counts(whole)).toEqual([0, 4096, 32]);
    expect(whole.counter('memory', 'bytes_written')).toBe(
      written({ invalidates: false }).counter('memory', 'bytes_written') - 4096,
    );
  });

  test('gains nothing where its CACHELINE_SIZE is that of a processor’s inner cache', () => {
    // Lines of 64 B, begun in the middle of the adapter's: the first half line is no whole one of its 128 B.
    const half = written({ invalidates: true, line: '64 B', burst: '64 B' });
    expect(counts(half)).toEqual([4096, 0, 32]);
  });
});

describe('Read Current of consistent memory', () => {
  const off = (machine: string) =>
    new Run({
      machine,
      parts: { ...card({}), lba: { params: { mrm_consistent_current: false } } },
      rows: [{ do: 'spend', time: '1 ns' }],
    });

  test('cannot be turned off on conventional PCI, and the reason is given', () => {
    expect(() => off('zx1-53c1010')).toThrow(/"mrm_consistent_current"/);
    const { params } = typeOf('lba');
    const why = params.find(({ name }) => name === 'mrm_consistent_current')?.constraint;
    expect(why).toContain('On conventional PCI a zx1 crashed');
  });

  test('can be turned off on PCI-X: lines read are then kept', () => {
    const run = off('zx1-53c1030');
    expect(run.counter('sba', 'lines_read')).toBeGreaterThan(0);
    expect(run.counter('sba', 'kept')).toBe(run.counter('sba', 'lines_read'));
  });
});

describe('attributes of PCI-X', () => {
  const STORES = Array.from({ length: 400 }, () => [
    { do: 'spend', time: '1 us' },
    { do: 'io_store', to: 0xf000_0000, count: 0 },
  ]).flat();
  const reads = (machine: string, lba: object, scsi: object) =>
    new Run({
      machine,
      wires: [['second.pci', 'bus.slot3']],
      parts: {
        ...card({ address: 0x4000_0000, rate: '10 GB/s', ...scsi }),
        lba: { params: lba },
        memory: { params: { tracked: '64 KiB', tracked_from: '0x40000000' } },
        second: { type: 'lan_card' },
      },
      rows: [{ do: 'copy_write', from: 0x20_0000, to: 0x4000_0000, bytes: '64 KiB' }, ...STORES],
    });

  test.each([
    ['either', false, false, false],
    ['either', false, true, true],
    ['either', true, false, true],
    ['either', true, true, true],
    ['both', false, true, false],
    ['both', true, false, false],
    ['both', true, true, true],
    ['hint', false, true, false],
    ['hint', true, false, true],
  ])(
    'are combined with the hint (%s): hint %s, attribute %s',
    (attribute, hint, relaxed, passes) => {
      const lba = { attribute, mrm_streaming_relaxed: hint };
      const run = reads('zx1-x-scsi', lba, { delay: '200 us', relaxed });
      expect(run.counter('scsi', 'blocks')).toBe(1);
      expect(run.counter('lba', passes ? 'overtook' : 'blocked')).toBeGreaterThan(0);
      expect(run.counter('lba', passes ? 'blocked' : 'overtook')).toBe(0);
    },
  );

  test('let a card read past processors: nobody loses a line, and those they had modified are counted', () => {
    for (const no_snoop of [false, true]) {
      const lba = { mrm_streaming_current: false };
      const run = reads('zx1-x-scsi', lba, { delay: '200 us', no_snoop });
      expect(run.counter('sba', 'lines_read')).toBe(512);
      expect(run.counter('sba', 'unsnooped')).toBe(no_snoop ? 512 : 0);
      expect(run.counter('sba', 'taken')).toBe(no_snoop ? 0 : 512);
    }
  });

  test('are unknown to conventional PCI', () => {
    const run = reads('zx1-53c1010', {}, { delay: '200 us', no_snoop: true, relaxed: true });
    expect(run.counter('sba', 'lines_read')).toBeGreaterThan(0);
    expect(run.counter('sba', 'unsnooped')).toBe(0);
    expect(run.counter('lba', 'overtook')).toBe(0);
  });
});

describe('ordering', () => {
  const ring = (relaxed: boolean, stores = 1) =>
    new Run({
      machine: 'zx1-bcm5701',
      parts: { lba: { params: { crossing: '0 ps', mrm_streaming_relaxed: relaxed } } },
      rows: [
        { do: 'io_store', to: 0xf000_0000, count: 4 },
        ...Array.from({ length: 400 }, () => [
          { do: 'spend', time: '90 ns' },
          ...Array.from({ length: stores }, () => ({ do: 'io_store', to: 0xf000_0000, count: 0 })),
        ]).flat(),
      ],
    });

  test('holds data behind stores that came down the rope before it', () => {
    const run = ring(false, 4);
    expect(run.counter('lba', 'blocked')).toBeGreaterThan(0);
    expect(run.counter('lba', 'overtook')).toBe(0);
    expect(run.counter('lan', 'packets')).toBe(4);
    // What waits is free at the store that it waits for, or after it.
    const behind = run.events('lba', 'behind')[0];
    const here = run
      .events('lba', 'here')
      .find(({ a, ps }) => a === behind?.a && ps >= (behind?.ps ?? 0));
    const store = run.events('lan', 'doorbell').find(({ ps }) => ps >= (behind?.ps ?? 0));
    expect(here?.ps).toBeGreaterThanOrEqual(store?.ps ?? Number.POSITIVE_INFINITY);
  });

  test('follows from the queue and PCI’s rules: what waits, for what, and what is only on its way', () => {
    const run = ring(false, 4);
    const rules = PCI_ORDERING.kinds.map(({ name }) => name);
    const queued = (items: readonly (readonly [string, number, boolean])[]) => {
      const columns: Record<string, number[]> = {
        addr: items.map(([, at]) => at),
        bytes: items.map(([item]) => (item === 'line' ? 0 : 4)),
        item: items.map(([item]) => run.member('lba', 'item', item)),
        here: items.map(([, , here]) => Number(here)),
      };
      const rows = { rows: items.length, column: (field: string) => columns[field] };
      const part = orderedPart(run.machine) ?? -1;
      return queueOf(run.machine, part, rows, 128).map(({ kind, behind }) => [rules[kind], behind]);
    };
    expect(
      queued([
        ['load', 0xf000_0000, true],
        ['store', 0xf000_0000, true],
        ['line', HOST, true],
        ['store', 0xf000_0004, false],
      ]),
    ).toEqual([
      ['read_request', null],
      ['posted_write', null],
      ['read_completion', 1],
      ['posted_write', 1],
    ]);
  });

  test('is relaxed for the hint that says so', () => {
    const run = ring(true, 4);
    expect(run.counter('lba', 'overtook')).toBeGreaterThan(0);
    expect(run.counter('lan', 'packets')).toBe(4);
  });
});

describe('an IOMMU before the memory of a zx1', () => {
  test.each([
    // Three lines at the end of the only page that is mapped, and one ahead.
    ['an early adapter stops the bus', false, false, [0, 1, 0]],
    ['the spill page takes what is read beyond the page', false, true, [384, 0, 1]],
    ['a later adapter does not read beyond the page', true, false, [384, 0, 0]],
  ])('%s', (_, page_end, spill, expected) => {
    const run = new Run({
      machine: 'zx1-iommu',
      parts: { lba: { params: { page_end } }, iommu: { params: { spill } } },
      rows: [{ do: 'dma_write', from: HOST + 0xe80, to: CARD, bytes: 384 }],
    });
    const counted = [
      run.counter('lba', 'bytes_out'),
      run.counter('lba', 'failures'),
      run.counter('iommu', 'spilled'),
    ];
    expect(counted).toEqual(expected);
  });

  test('stops the bus permanently at a line without a translation', () => {
    const run = new Run({
      machine: 'zx1-53c1010',
      parts: {
        ...card({ bytes: 512 }),
        iommu: { type: 'iommu' },
        map: { type: 'iommu_map', params: { entries: 64 } },
      },
      wires: [
        ['sba.iommu', 'iommu.device0'],
        ['map.iommu', 'iommu.map'],
      ],
      rows: [{ do: 'spend', time: '1 ns' }],
    });
    expect(run.counter('lba', 'failures')).toBe(4); // The line asked for, and three ahead.
    expect(run.counter('scsi', 'bytes')).toBe(0);
  });
});

describe('memory that others use as well', () => {
  const at = (others: string) => {
    const run = new Run({
      machine: 'zx1-53c1010',
      parts: {
        ...card({ bytes: '64 KiB', rate: '533 MB/s' }),
        memory: { params: { tracked: '0 B', others } },
      },
      rows: [{ do: 'spend', time: '1 ns' }],
    });
    return {
      wait: run.counter('memory', 'waited') / run.counter('memory', 'reads') / 1000,
      time: run.counter('scsi', 'last_end'),
    };
  };

  test('delays a line by its load: one to four times its own 110 ns below a load of seven eighths', () => {
    const [idle, half, busy, full] = ['0 MB/s', '4 GB/s', '6 GB/s', '7 GB/s'].map(at);
    expect(idle?.wait).toBe(0);
    expect(half?.wait).toBeGreaterThan(50);
    expect(busy?.wait).toBeGreaterThan(half?.wait ?? 0);
    expect(full?.wait).toBeGreaterThan(busy?.wait ?? 0);
    expect(full?.wait).toBeLessThan(660);
    expect(full?.time).toBeGreaterThan(idle?.time ?? 0);
  });
});
