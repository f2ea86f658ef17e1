import { describe, expect, test } from 'vitest';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import { loadScenario } from '../scenario/load';
import { listScenarios, machineTexts, readScenario } from '../scenario/scenarios';
import { lint } from './lint';
import { lintExperiment } from './lint-experiment';

const machines = await machineTexts();

interface Change {
  readonly base?: string;
  readonly params?: Readonly<Record<string, string | boolean>>;
  readonly parts?: Readonly<Record<string, object | null>>;
  readonly wires?: readonly (readonly [string, string])[];
  readonly rows: readonly object[];
  /** Of a machine with other processors than "cpu". */
  readonly workload?: Readonly<Record<string, readonly object[]>>;
}

const DISK_CALL = { do: 'dma_out', from: '0x100000', to: '0xf1000000', bytes: 128 };
const CARD_CALL = { do: 'dma_write', from: '0x100000', to: '0x80000000', bytes: '64 KiB' };

/** Parts by name, some with parameters. */
function partsOf({ params = {}, parts = {} }: Change) {
  const all: Record<string, object | null> = { ...parts };
  for (const [path, value] of Object.entries(params)) {
    const [part = '', name = ''] = path.split('.');
    const before = (all[part] ?? {}) as { params?: object };
    all[part] = { ...before, params: { ...before.params, [name]: value } };
  }
  return all;
}

function compiled(change: Change): CompiledMachine {
  const text = JSON.stringify({
    ...{ busyard: 1, title: 'Doubtful', summary: 'Doubtful.', system: 'start' },
    machine: {
      extends: change.base ?? 'one-disk',
      parts: partsOf(change),
      wires: change.wires ?? [],
    },
    workload: change.workload ?? { cpu: change.rows },
    ...{ until: '5 ms', view: { kind: 'machine' } },
  });
  const loaded = loadScenario(text, { file: 'doubtful.json', machines });
  const made = loaded.ok ? compile(loaded.value) : loaded;
  if (!made.ok) throw new Error(made.problems.map(({ message }) => message).join('\n'));
  return made.value;
}

/** The cache without the wire of its interrupts. */
const MUTE = {
  parts: { cache: null, cache2: { type: 'snoop_cache', params: { interrupt: '0xfff80000' } } },
  wires: [
    ['cpu.cache', 'cache2.cpu'],
    ['cpu.front', 'cache2.front'],
    ['cache2.bus', 'bus.agent0'],
  ],
} as const;

/** A card behind a PCI bridge in a slot of HSC. */
const BRIDGED = { base: 'hp-gt', rows: [], workload: { cpu0: [], cpu1: [] } };
/** An Ethernet adapter of two processors with a kernel. */
const PACKETS = { base: 'soc', rows: [], workload: { main: [], io: [] } };

/**
 * Of these runs only the time is compared, so their buffers are not tracked. tests/file-server.test.ts tracks them, and
 * finds no stale data.
 */
const INTENDED = { 'hp/nfs': ['memory-unfollowed with mode=none'] };

test('included scenarios have no findings, with any values of its axes', async () => {
  const found: Record<string, string[]> = {};
  for (const { id } of listScenarios()) {
    const read = await readScenario(id);
    if (!read.ok) throw new Error(`${id}: ${read.problems[0]?.message}`);
    const all = lintExperiment(read.value).map(({ rule, setting }) => `${rule} with ${setting}`);
    if (all.length > 0) found[id] = all;
  }
  expect(found).toEqual(INTENDED);
}, 120_000);

describe('a machine that runs but cannot do what its author intended', () => {
  test.each<[string, string, Change, string]>([
    [
      'no part receives a device’s interrupt write',
      'interrupt-unheard',
      { params: { 'disk.interrupt': '0xfff90000' }, rows: [DISK_CALL] },
      '"disk" writes its interrupt to 0xfff90000 ("interrupt register"), and only "cache" at 0xfff80000 listens for interrupts: row 1 of "cpu" (dma_out) waits for it forever.',
    ],
    [
      'no cache receives interrupts',
      'interrupt-unheard',
      { params: { 'cache.interrupt': '0x0' }, rows: [DISK_CALL] },
      'no cache listens for interrupts',
    ],
    [
      'a cache receives the interrupt but cannot forward it',
      'interrupt-unheard',
      { ...MUTE, rows: [DISK_CALL] },
      '"cache2.irq" is not wired to a processor',
    ],
    [
      'devices access untracked memory',
      'memory-unfollowed',
      {
        params: { 'adapter.mode': 'none', 'driver.mode': 'none', 'memory.tracked_from': '0x0' },
        rows: [DISK_CALL],
      },
      '"memory" tracks 0x0 to 0x1ffff, but devices access other memory',
    ],
    [
      'the services map and the adapter does not translate',
      'modes-differ',
      { params: { 'adapter.mode': 'none' }, rows: [DISK_CALL] },
      'hands out I/O addresses, and "adapter" does not translate',
    ],
    [
      'services and caches differ in the distance of addresses',
      'offsets-differ',
      { params: { 'driver.virtual_offset': '0x46000' }, rows: [DISK_CALL] },
      '"virtual minus physical" is 0x46000 in "driver" and 0x45000 in "cache"',
    ],
    [
      'no cache receives the interrupts that a PCI bridge writes',
      'interrupt-lost',
      { ...BRIDGED, params: { 'bridge.interrupt': '0xfff70000' } },
      '"bridge" writes the interrupts of "gt" to 0xfff70000 ("interrupt register"), and only "cache0" at 0xfff80000, "cache1" at 0xfff81000 listens for interrupts: no processor gets them.',
    ],
    [
      'a local bus adapter forwards interrupts to nobody',
      'interrupt-lost',
      {
        base: 'zx1-gt',
        parts: { lba: null, lba2: { type: 'lba' } },
        wires: [
          ['sba.rope0', 'lba2.rope'],
          ['lba2.pci', 'bus.slot0'],
          ['gt.irq', 'lba2.irq0'],
        ],
        rows: [],
      },
      '"lba2" forwards the interrupts of "gt", and "lba2.interrupt" is not wired: no processor gets them.',
    ],
    [
      'an adapter interrupts on a line without a wire',
      'interrupt-lost',
      { ...PACKETS, params: { 'ethernet.line': '2' } },
      '"ethernet" interrupts on line 2 ("interrupt line"), and "ethernet.irq2" is not wired',
    ],
  ])('%s, and the offered fix removes the finding', (_, rule, change, message) => {
    const found = lint(compiled(change));
    expect(found.map((one) => one.rule)).toEqual([rule]);
    expect(found[0]?.message).toContain(message);
    const { params = {}, wire } = found[0]?.fix ?? {};
    const mended = {
      ...change,
      params: { ...change.params, ...(params as Change['params']) },
      wires: [...(change.wires ?? []), ...(wire ? [wire] : [])],
    };
    expect(found[0]?.fix).not.toBeNull();
    expect(lint(compiled(mended))).toEqual([]);
  });

  test.each<[string, string, Change, string]>([
    [
      'a wait without a signal',
      'wait-without-signal',
      { rows: [{ do: 'wait', tag: 3 }] },
      'row 1 of "cpu" (wait) waits forever: no "signal" adds to semaphore 3, and no interrupt line is wired to "cpu.irq3".',
    ],
    [
      'a register without a device',
      'register-unanswered',
      { rows: [{ ...DISK_CALL, to: '0xf1001000' }] },
      'row 1 of "cpu" (dma_out) goes to 0xf1001000, where no device answers. It reaches registers of "adapter" at 0xf0000000 to 0xf0000fff, registers of "disk" at 0xf1000000 to 0xf1000fff.',
    ],
    [
      'a queue that nobody fills',
      'wait-without-signal',
      { ...PACKETS, workload: { main: [{ do: 'get', tag: 2 }], io: [] } },
      `row 1 of "main" (get) waits forever: no "put" adds to the kernel's queue 2.`,
    ],
    [
      'a queue that nobody empties',
      'queue-without-receiver',
      { ...PACKETS, workload: { main: [], io: [{ do: 'put', tag: 2, from: 0, bytes: 4 }] } },
      `row 1 of "io" (put) waits forever once 8 messages are in the kernel's queue 2: no "get" takes one out.`,
    ],
  ])('%s is reported with the alternatives', (_, rule, change, message) => {
    const found = lint(compiled(change));
    expect(found.map((one) => one.rule)).toEqual([rule]);
    expect(found[0]?.message).toContain(message);
  });

  test('a card whose driver waits for an unwired interrupt', () => {
    const bare = { base: 'gt-system-a', rows: [CARD_CALL] };
    expect(lint(compiled(bare))).toEqual([]);
    const parts = { gt: null, ring: null, card: { type: 'gt' } };
    const found = lint(compiled({ ...bare, parts, wires: [['card.pci', 'bus.slot1']] }));
    expect(found.map(({ rule }) => rule)).toEqual(['interrupt-unwired']);
    expect(found[0]?.fix?.wire).toEqual(['card.irq', 'cpu.irq0']);
  });
});

test('a value of an axis is what a finding is about, and is named', () => {
  const text = JSON.stringify({
    ...{ busyard: 1, title: 'Doubtful', summary: 'Doubtful.', system: 'start' },
    machine: { extends: 'one-disk', parts: { disk: { params: { interrupt: '$at' } } } },
    variables: { at: { value: '0xfff80000', title: 'interrupt' } },
    metrics: { made: { title: 'made', unit: 'calls', product: ['cpu.loads'] } },
    experiment: { axes: { at: { values: ['0xfff80000', '0xfff90000'] } }, metrics: ['made'] },
    ...{ workload: { cpu: [DISK_CALL] }, until: '5 ms', view: { kind: 'machine' } },
  });
  const loaded = loadScenario(text, { file: 'doubtful.json', machines });
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join(' '));
  expect(lintExperiment(loaded.value)).toMatchObject([
    { rule: 'interrupt-unheard', part: 'disk', setting: 'at=0xfff90000' },
  ]);
});
