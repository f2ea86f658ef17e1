/**
 * The contract of drivers for mappings: each violation is found, with both places, and correct drivers have no
 * finding.
 */
import { describe, expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { shapesOf } from '../src/engine/engine-code';
import { inlineChecks } from '../src/engine/engine-code-inline';
import { PART_TYPES } from '../src/engine/gen/layout';
import { checkRecorded } from '../src/model/pools/map-contract';
import { sourceOf } from '../src/model/pools/map-trace';
import type { CompiledMachine } from '../src/model/scenario/compiled';
import { loadScenario } from '../src/model/scenario/load';
import { sentenceOf } from '../src/model/trace/event-text';
import { busyard, file } from './support/command-line';
import { compiled, MACHINES, SCENARIOS, scenarioAt, scenarioFrom } from './support/scenarios';

const code = { module: await inlineChecks(), parts: shapesOf(PART_TYPES) };

interface Finding {
  readonly kind: string;
  readonly text: string;
}

/** Runs a machine with its checker; returns the findings. */
function findings(machine: CompiledMachine, untilPs = machine.untilPs): Finding[] {
  const checker = machine.parts.findIndex(({ type }) => type.name === 'dma_check');
  const type = machine.parts[checker]?.type;
  if (!type) throw new Error('There is no checker.');
  const core = new Core(code);
  core.open(machine.config);
  core.run(untilPs, 300_000);
  const trace = core.trace(1, 200_000);
  return Array.from({ length: trace.length }, (_, i) => i)
    .filter((i) => trace.part[i] === checker)
    .map((i) => {
      const event = type.events.find(({ kind }) => kind === trace.kind[i]);
      if (!event) throw new Error('An event of no kind.');
      const [a, b, c] = [Number(trace.a[i]), trace.b[i] ?? 0, trace.c[i] ?? 0];
      return { kind: event.name, text: sentenceOf(machine, event, { part: checker, a, b, c }) };
    });
}

const hex = (value: number) => `0x${value.toString(16)}`;
const IDLE = [{ do: 'spend', time: '1 ns' }];

/** The HP machine with one program, and if wanted a card with a program of its own. */
function hp(rows: readonly object[], parts: object = {}) {
  const scenario = {
    ...{ busyard: 1, title: 'T', summary: 'S', system: 'hp', until: '5 ms' },
    machine: { extends: 'hp-k-class', parts },
    workload: { cpu0: [IDLE], cpu1: [rows], cpu2: [IDLE], cpu3: [IDLE] },
    view: { kind: 'machine' },
  };
  return findings(compiled(scenarioFrom(JSON.stringify(scenario), 'test.json'), { checked: true }));
}

/** The pooled library with an IOMMU and one device. */
function pooled(rows: readonly object[], parts: object = {}) {
  const scenario = {
    ...{ busyard: 1, title: 'T', summary: 'S', system: 'pools', until: '5 ms' },
    machine: { extends: 'io-table', parts },
    workload: { cpu0: [rows], cpu1: [IDLE], cpu2: [IDLE], cpu3: [IDLE] },
    view: { kind: 'machine' },
  };
  return findings(compiled(scenarioFrom(JSON.stringify(scenario), 'test.json'), { checked: true }));
}

const BUFFER = '0x100000';
const DISK = '0xf1000000';
const map = (tag: number, more: object = {}) => ({
  do: 'map',
  from: BUFFER,
  bytes: 4096,
  tag,
  ...more,
});
const unmap = (tag: number) => ({ do: 'unmap', tag });
const sync = (count: number) => ({ do: 'dma_sync', from: BUFFER, bytes: 4096, count });
const start = (tag: number, count: number) => ({
  do: 'start_dma',
  to: DISK,
  bytes: 4096,
  tag,
  count,
});
const pause = { do: 'spend', time: '200 us' };
const store = { do: 'store', to: BUFFER, bytes: 64, width: 16 };
const load = { do: 'load', from: BUFFER, bytes: 64, width: 16 };
const OUT = 1;
const IN = 2;
const AFTER = 3;
/** A hint: all pages in one range of 32 KiB, or no mapping. */
const CONTIGUOUS = 32;

const kinds = (found: readonly Finding[]) => found.map(({ kind }) => kind);

describe('the checker of a machine', () => {
  const program = [map(0), start(0, OUT), unmap(5)];
  const withChecker = (parts: object, wires: string[][]) => ({
    ...{ busyard: 1, title: 'T', summary: 'S', system: 'hp', until: '5 ms' },
    machine: { extends: 'hp-k-class', parts: { chk: { type: 'dma_check' }, ...parts }, wires },
    workload: { cpu0: [IDLE], cpu1: [program], cpu2: [IDLE], cpu3: [IDLE] },
    view: { kind: 'machine' },
  });
  const load = (file: object) =>
    loadScenario(JSON.stringify(file), { file: 'test.json', machines: MACHINES });

  test.each([
    ['none', []],
    ['one', [['cpu0.contract', 'chk.hears2']]],
    [
      'several',
      [
        ['adapter.contract', 'chk.hears0'],
        ['cpu1.contract', 'chk.hears95'],
        ['services.contract', 'chk.hears'],
      ],
    ],
  ])('hears everybody, with wires that are written by hand: %s', (_, wires) => {
    const loaded = load(withChecker({}, wires));
    if (!loaded.ok) throw new Error(loaded.problems[0]?.message);
    expect(kinds(findings(compiled(loaded.value)))).toEqual(kinds(hp(program)));
  });

  test('is one', () => {
    const loaded = load(withChecker({ other: { type: 'dma_check' } }, []));
    expect(loaded.ok ? [] : loaded.problems).toMatchObject([
      {
        pointer: '/machine/parts/other',
        message:
          '"other" would observe nothing: a machine has one DMA checker, and "chk" observes all parts.',
      },
    ]);
  });
});

describe('a driver of the HP machine', () => {
  test('that keeps the contract causes no finding, outbound and inbound', () => {
    const out = [store, sync(OUT), map(0), start(0, OUT), pause, { ...unmap(0), bytes: 4096 }];
    const back = [load, sync(IN), map(1), start(1, IN), pause, sync(AFTER), load, unmap(1), load];
    const late = [sync(IN), map(1), start(1, IN), pause, unmap(1), sync(AFTER), load];
    const failed = [map(0, { bytes: 40960, count: CONTIGUOUS })];
    expect(hp([...late, ...failed])).toEqual([]);
    expect(hp([...out, ...back])).toEqual([]);
    expect(
      hp([
        { do: 'dma_out', from: BUFFER, to: DISK, bytes: 4096 },
        load,
        { do: 'dma_in', from: BUFFER, to: DISK, bytes: 4096 },
        load,
      ]),
    ).toEqual([]);
  });

  test.each([
    [
      'leak',
      [sync(OUT), map(0)],
      'DMA checker: leak. 0x0, mapped at row 2 of CPU 1 (map), was never unmapped; the last thread ends at row 3 of CPU 1',
    ],
    [
      'double_unmap',
      [map(0), unmap(0), unmap(0)],
      'unmapped at row 2 of CPU 1 (unmap), and again at row 3 of CPU 1 (unmap)',
    ],
    ['unknown_address', [unmap(5)], 'Used at: row 1 of CPU 1 (unmap)'],
    [
      'after_unmap',
      [sync(OUT), map(0), unmap(0), start(0, OUT), pause],
      'was unmapped at row 3 of CPU 1 (unmap); the transfer started at row 4 of CPU 1 (start_dma) uses it',
    ],
    [
      'after_unmap',
      [sync(OUT), map(0), start(0, OUT), unmap(0), pause],
      'was unmapped at row 4 of CPU 1 (unmap); the transfer started at row 2 of CPU 1 (map) uses it',
    ],
    [
      'wrong_direction',
      [sync(OUT), map(0), start(0, IN), pause, unmap(0)],
      'mapped at row 2 of CPU 1 (map), against the direction given at row 1 of CPU 1 (dma_sync)',
    ],
    [
      'missing_sync',
      [store, map(0), start(0, OUT), pause, unmap(0)],
      'the access to 0x0 at row 1 of CPU 1 (store) and the use of the mapping made at row 2 of CPU 1 (map)',
    ],
    ['missing_sync', [load, map(0), start(0, IN), pause, unmap(0)], 'at row 1 of CPU 1 (load)'],
    [
      'missing_sync',
      [sync(IN), map(0), start(0, IN), pause, load, unmap(0)],
      'at row 5 of CPU 1 (load)',
    ],
    [
      'missing_sync',
      [sync(IN), map(0), start(0, IN), pause, unmap(0), load],
      'the access to 0x100000 at row 6 of CPU 1 (load) and the use of the mapping made at row 2 of CPU 1 (map)',
    ],
    [
      'unmap_size',
      [map(0), { ...unmap(0), bytes: 2048 }],
      'mapped at row 1 of CPU 1 (map), is unmapped at row 2 of CPU 1 (unmap) with another size',
    ],
    ['unknown_address', [start(5, OUT), pause], 'Used at: row 1 of CPU 1 (start_dma)'],
    [
      'failed_map',
      [map(0, { bytes: 40960, count: CONTIGUOUS }), start(0, OUT), pause],
      'map() failed at row 1 of CPU 1 (map), and its result is used at row 2 of CPU 1 (start_dma)',
    ],
    [
      'failed_map',
      [map(0, { bytes: 40960, count: CONTIGUOUS }), unmap(0), unmap(0)],
      'its result is used at row 2 of CPU 1 (unmap)',
    ],
    [
      'overlap',
      [map(0, { bytes: 48 }), map(1, { from: '0x100030', bytes: 48 }), unmap(0), unmap(1)],
      'mapped at row 2 of CPU 1 (map), shares a cache line with the mapping made at row 1 of CPU 1 (map)',
    ],
    [
      'outlived',
      [map(0), { do: 'free_buffer', from: BUFFER, bytes: 4096 }, unmap(0)],
      'freed at row 2 of CPU 1 (free_buffer), and a device can still reach it through the mapping made at row 1 of CPU 1 (map)',
    ],
  ])('%s: %j', (kind, rows, text) => {
    const found = hp(rows);
    expect(kinds(found)).toEqual([kind]);
    expect(found[0]?.text).toContain(text);
  });

  test('that uses one I/O address again and again is followed round by round', () => {
    const good = [sync(IN), map(0), start(0, IN), pause, unmap(0), sync(AFTER), load];
    const forgets = [sync(IN), map(0), start(0, IN), pause, unmap(0), load];
    expect(hp([...good, ...good, ...good])).toEqual([]);
    const found = hp([...good, ...good, ...forgets, ...good, ...forgets]);
    expect(kinds(found)).toEqual(['missing_sync', 'missing_sync']);
    expect(found[0]?.text).toContain('the mapping made at row 16 of CPU 1 (map)');
    expect(found[1]?.text).toContain('the mapping made at row 29 of CPU 1 (map)');
  });

  test('whose transfer runs on when its address has another mapping is found out', () => {
    const slow = { disk: { params: { pace: '20 us' } } };
    const [wait, long] = [
      { do: 'spend', time: '50 us' },
      { do: 'spend', time: '4 ms' },
    ];
    const begun = [sync(IN), map(0), start(0, IN), wait, unmap(0)];
    for (const from of [BUFFER, '0x104000']) {
      const found = hp([...begun, map(0, { from }), long, unmap(0)], slow);
      expect(kinds(found)).toEqual(['after_unmap']);
      expect(found[0]?.text).toContain(
        'was unmapped at row 5 of CPU 1 (unmap); the transfer started at row 3 of CPU 1 (start_dma) uses it',
      );
    }
    const over = [sync(IN), map(0), start(0, IN), long, unmap(0), sync(AFTER)];
    expect(hp([...over, sync(IN), map(0), start(0, IN), long, unmap(0)], slow)).toEqual([]);
  });

  test('may map shared memory without dma_sync, and one page twice', () => {
    const shared = [store, map(0, { count: 1 }), start(0, IN), pause, load, store, unmap(0)];
    expect(hp(shared)).toEqual([]);
    const twice = [map(0, { count: 1 }), map(1), unmap(1), unmap(0)];
    expect(hp(twice)).toEqual([]);
  });

  test('may flush and purge by itself', () => {
    const rows = [
      store,
      { do: 'flush', from: BUFFER, bytes: 64 },
      map(0),
      start(0, OUT),
      pause,
      unmap(0),
    ];
    expect(hp(rows)).toEqual([]);
  });

  test('is detected whether or not the machine needs dma_sync', () => {
    const none = { adapter: { params: { mode: 'none' } }, services: { params: { mode: 'none' } } };
    const rows = [store, map(0), start(0, OUT), pause, unmap(0)];
    expect(kinds(hp(rows, none))).toEqual(['missing_sync']);
    expect(kinds(hp([map(0), unmap(0), unmap(0)], none))).toEqual(['double_unmap']);
  });
});

describe('a buffer mapped piece by piece', () => {
  const buffer = (bytes: number, more: object = {}) => ({
    do: 'map_buffer',
    from: '0x100010',
    bytes,
    tag: 0,
    ...more,
  });
  const back = { do: 'unmap_buffer', tag: 0 };
  const wrong = { services: { params: { fault: 'unwound_wrongly' } } };
  /** Seventeen vectors, one more than there are handles. */
  const tooLong = buffer(16 * 32768);

  test('is unmapped completely, however it was split', () => {
    for (const more of [{}, { count: 64 }, { count: 8 }, { count: 32 }])
      expect(hp([buffer(12000, more), back])).toEqual([]);
  });

  test('leaves no mapping when there is no room for all of it, unless the error path is as printed', () => {
    expect(hp([tooLong])).toEqual([]);
    const found = hp([tooLong], wrong);
    expect(kinds(found)).toEqual(['leak']);
  });

  test('may have one page replaced by another, and all are unmapped together', () => {
    const pages = [
      map(0, { bytes: 32768, count: 32 }),
      ...[1, 2].map((page) => ({
        do: 'remap',
        from: hex(0x110000 + page * 0x2000),
        to: hex(page * 4096),
        tag: 0,
      })),
    ];
    expect(hp([...pages, unmap(0)])).toEqual([]);
    expect(
      kinds(hp([...pages, unmap(0), { do: 'remap', from: BUFFER, to: '0x1000', tag: 0 }])),
    ).toEqual(['double_unmap']);
    const freed = [...pages, { do: 'free_buffer', from: '0x112000', bytes: 4096 }, unmap(0)];
    expect(kinds(hp(freed))).toEqual(['outlived']);
  });
});

describe('the same for the pooled library', () => {
  test.each([
    [[], [map(0), start(0, OUT), pause, unmap(0)]],
    [['double_unmap'], [map(0), unmap(0), unmap(0)]],
    [['after_unmap'], [map(0), unmap(0), start(0, OUT), pause]],
    [['unknown_address'], [start(0, OUT), pause]],
    [['unmap_size'], [map(0), { ...unmap(0), bytes: 8192 }]],
    [[], [map(0), start(0, IN), pause, { ...unmap(0), bytes: 4096 }]],
    [['leak'], [map(0), pause]],
    [['outlived'], [map(0), { do: 'free_buffer', from: BUFFER, bytes: 64 }, unmap(0)]],
    [
      ['overlap'],
      [map(0, { bytes: 48 }), map(1, { from: '0x100030', bytes: 48 }), unmap(0), unmap(1)],
    ],
  ])('%j: %j', (expected, rows) => {
    expect(kinds(pooled(rows))).toEqual(expected);
  });

  test.each([start(0, OUT), unmap(0)])(
    'a map() that found its table full is not used: %j',
    (use) => {
      const full = { map: { params: { entries: 4, pools: 1, ends: 'mended' } } };
      const held = [1, 2, 3, 4];
      const rows = [...held.map((tag) => map(tag)), map(0), use, pause, ...held.map(unmap)];
      expect(kinds(pooled(rows, full))).toEqual(['failed_map']);
    },
  );
});

/** The findings in shipped scenarios: their programs often keep their mappings, and many are about a violation. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  'hp/any-order': ['leak'],
  'hp/at-work': ['missing_sync'],
  'hp/atomic-mode': ['leak'],
  'hp/freed': ['missing_sync', 'outlived'],
  // Its frames are read after unmap without the third dma_sync, which its coherent adapter does without.
  'hp/lan-buffers': ['missing_sync'],
  'hp/leak': ['leak'],
  'hp/other-way': ['wrong_direction'],
  'hp/own-flush': ['leak', 'missing_sync'],
  'hp/posted-buffers': ['leak'],
  'hp/prefetch-stale': ['leak', 'missing_sync'],
  'hp/ranges': ['leak'],
  'hp/semaphores': ['leak'],
  'hp/shared-line': ['missing_sync', 'overlap'],
  'hp/small-objects': ['leak'],
  'hp/stale-inbound': ['missing_sync'],
  'hp/stale-outbound': ['missing_sync'],
  'hp/tlb-by-hand': ['leak', 'missing_sync'],
  'hp/too-early': ['after_unmap'],
  'hp/two-mappings': ['leak', 'missing_sync'],
  'hp/way-out': ['leak'],
  'hp/works-here': ['missing_sync'],
  // The GT driver calls no dma_sync, which its coherent adapter does without.
  'one/card-behind-adapter': ['missing_sync', 'unknown_address'],
  // The program stores to what the card wrote: as above. Then the card uses the unmapped page.
  'one/late-card': ['after_unmap', 'missing_sync'],
  'one/lazy-flush': ['after_unmap'],
  'one/stale-entry': ['after_unmap'],
  'pools/boundary': ['leak'],
  'pools/cpu-hash': ['leak'],
  'pools/double-free': ['double_unmap', 'leak'],
  'pools/fragmentation': ['leak'],
  'pools/last-two': ['leak'],
  'pools/lazy-flush': ['leak'],
  'pools/left-behind': ['leak'],
  'pools/masked-request': ['leak'],
  'pools/one-flag': ['leak'],
  'pools/protection': ['unknown_address'],
  'pools/spill-both-ways': ['leak'],
  'pools/spilled-cursor': ['leak'],
  'pools/stale-translation': ['leak'],
  'pools/unreachable-pools': ['leak'],
  'start/translation': ['after_unmap'],
  'zx1/late-read': ['after_unmap'],
  'zx1/page-end': ['unknown_address'],
};

test('the findings in shipped scenarios are their subjects', () => {
  const found = SCENARIOS.flatMap((path) => {
    const machine = compiled(scenarioAt(path), { checked: true });
    if (machine.parts.every(({ type }) => type.name !== 'dma_check')) return [];
    const all = [...new Set(kinds(findings(machine, Math.min(machine.untilPs, 5e9))))].sort();
    return all.length > 0 ? [[path.slice('scenarios/'.length, -'.json'.length), all] as const] : [];
  });
  expect(Object.fromEntries(found)).toEqual(FOUND);
});

describe('a recording', () => {
  const event = (kind: string, iova: number, size: number) =>
    kind === 'map'
      ? ` nic-1 [000] d.s. 1.0: map: IOMMU: iova=0x${iova.toString(16)} paddr=0x1000 size=${size}`
      : ` nic-1 [000] d.s. 1.0: unmap: IOMMU: iova=0x${iova.toString(16)} size=${size} unmapped_size=${size}`;
  const held = (...events: readonly (readonly [string, number, number])[]) => {
    const text = events.map(([kind, iova, size]) => event(kind, iova, size)).join('\n');
    return checkRecorded(sourceOf(new TextEncoder().encode(text)), false);
  };

  test('of a correct driver has no finding, even if pieces are unmapped as one, or one in pieces', () => {
    const pieces = [
      ['map', 0x1000, 4096],
      ['map', 0x2000, 8192],
      ['unmap', 0x1000, 12288],
    ] as const;
    const parts = [
      ['map', 0x9000, 16384],
      ['unmap', 0x9000, 4096],
      ['unmap', 0xa000, 12288],
    ] as const;
    expect(held(...pieces, ...parts)).toMatchObject({
      calls: 6,
      findings: 0,
      still_mapped: 0,
      not_seen: 0,
    });
  });

  test('reports a double unmap, complete or partial, with both lines', () => {
    const report = held(
      ['map', 0x1000, 8192],
      ['unmap', 0x2000, 4096],
      ['unmap', 0x1000, 8192],
      ['unmap', 0x1000, 8192],
    );
    expect(report.shown).toEqual([
      { finding: 'double_unmap', line: 3, address: '0x2000', first_line: 2 },
      { finding: 'double_unmap', line: 4, address: '0x1000', first_line: 3 },
    ]);
    expect(report).toMatchObject({ findings: 2, double_unmaps: 2, unknown_addresses: 0 });
    expect(report.partial_unmaps).toEqual({ count: 1, lines: [[2, 1]] });
  });

  test('of an allocator violates the contract if an area is freed from its middle on', () => {
    const lines = [
      { t: 'init', num_entries: 64, table_shift: 12, table_map_base: 0x800, npools: 1 },
      { t: 'a', c: 0, n: 4, r: 8 },
      { t: 'a', c: 0, n: 4, r: 12 },
      { t: 'f', e: 10, n: 2 },
    ];
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    expect(checkRecorded(sourceOf(new TextEncoder().encode(text)), true).shown).toEqual([
      { finding: 'unknown_address', line: 4, address: '0xa800', first_line: 2 },
    ]);
  });

  test('that begins and ends in the middle of mappings has no finding', () => {
    const report = held(['unmap', 0x7000, 4096], ['map', 0x1000, 4096], ['map', 0x5000, 4096]);
    expect(report).toMatchObject({
      findings: 0,
      not_seen: 1,
      still_mapped: 2,
      oldest_lines: [2, 3],
      most_mappings: 2,
    });
  });

  test('is checked by the program, which returns the result as its exit code', async () => {
    const bad = file(
      'twice.txt',
      [event('map', 0x1000, 4096), event('unmap', 0x1000, 4096), event('unmap', 0x1000, 4096)].join(
        '\n',
      ),
    );
    const checked = await busyard('replay-maps', bad, '--check');
    expect(checked.code).toBe(1);
    expect(checked.out).toContain(
      '0x1000 is unmapped at line 3, and was already unmapped at line 2',
    );
    const trace = 'tests/data/maps/t03_np4_spill.jsonl';
    const sound = await busyard('replay-maps', trace, '--check', '--json');
    expect(sound.code).toBe(0);
    expect(JSON.parse(sound.out)).toMatchObject({ findings: 0, not_followed: 0 });
    expect((await busyard('replay-maps', trace, '--check', '--pools', '4')).code).toBe(2);
  });
});
