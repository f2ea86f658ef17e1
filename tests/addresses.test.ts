/**
 * A machine with an address that selects no part or two is refused, naming the parts; one without such conflicts
 * runs.
 */
import { describe, expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { compile } from '../src/model/scenario/compile';
import type { CompiledMachine } from '../src/model/scenario/compiled';
import { loadScenario } from '../src/model/scenario/load';
import { MACHINES } from './support/scenarios';

const code = await inlineCode();

type Params = Readonly<Record<string, unknown>>;
interface BuiltScenario {
  readonly parts: Record<string, { readonly type: string; readonly params?: Params }>;
  readonly wires: [string, string][];
}

const DMA = { do: 'dma_write', from: '0x100000', to: '0x80000000', bytes: 4096 };

const result = (machine: object, rows: readonly object[], cpu = 'cpu') => {
  const idle = cpu === 'cpu' ? {} : { cpu0: [], cpu1: [] };
  const text = JSON.stringify({
    ...{ busyard: 1, title: 'Addresses', summary: 'Who answers.', system: 'own', machine },
    ...{ workload: { ...idle, [cpu]: rows }, until: '5 ms', view: { kind: 'machine' } },
  });
  const loaded = loadScenario(text, { file: 'addresses.json', machines: MACHINES });
  return loaded.ok ? compile(loaded.value) : loaded;
};

/** The errors of a machine with a program, each with its place. */
function problems(machine: object, rows: readonly object[] = [DMA], cpu = 'cpu'): string[] {
  const made = result(machine, rows, cpu);
  return made.ok ? [] : made.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
}

function ran(machine: object, rows: readonly object[]) {
  const made = result(machine, rows);
  if (!made.ok) throw new Error(made.problems[0]?.message);
  const core = new Core(code);
  core.open(made.value.config);
  core.run(made.value.untilPs, 100_000);
  return (part: string, counter: string) => counterOf(core, made.value, part, counter);
}

function counterOf(core: Core, machine: CompiledMachine, part: string, name: string) {
  const at = machine.parts.findIndex((one) => one.name === part);
  const counters = machine.parts[at]?.type.counters ?? [];
  return core.counters(at)[counters.findIndex((one) => one.name === name)];
}

/** A GT card on the PCI bus of a host bridge, and further parts. */
function gt(change: Record<string, Params> = {}, more: Partial<BuiltScenario> = {}): BuiltScenario {
  const types = { cpu: 'processor', cache: 'cache', driver: 'gt_driver', bridge: 'bridge' };
  const others = { memory: 'memory', bus: 'pci', gt: 'gt' };
  const parts = Object.entries({ ...types, ...others }).map(
    ([name, type]) => [name, { type, params: change[name] ?? {} }] as const,
  );
  const wires: [string, string][] = [
    ['cpu.front', 'bridge.cpu0'],
    ['cpu.cache', 'cache.cpu'],
    ['cpu.os', 'driver.cpu'],
    ['bridge.memory', 'memory.bridge'],
    ['bridge.pci', 'bus.slot0'],
    ['gt.pci', 'bus.slot1'],
    ['gt.irq', 'cpu.irq0'],
  ];
  return {
    parts: { ...Object.fromEntries(parts), ...more.parts },
    wires: [...wires, ...(more.wires ?? [])],
  };
}

/** An HP machine with default parameters. */
function hp(change: Record<string, Params> = {}): BuiltScenario {
  const types = { cpu: 'processor', cache: 'snoop_cache', services: 'io_services' };
  const others = { runway: 'runway', memory: 'memory_controller', adapter: 'io_adapter' };
  const parts = Object.entries({ ...types, ...others, hsc: 'hsc', disk: 'dma_device' }).map(
    ([name, type]) => [name, { type, params: change[name] ?? {} }] as const,
  );
  return {
    parts: Object.fromEntries(parts),
    wires: [
      ['cpu.front', 'cache.front'],
      ['cpu.cache', 'cache.cpu'],
      ['cache.bus', 'runway.agent0'],
      ['cpu.os', 'services.cpu0'],
      ['runway.memory', 'memory.bus'],
      ['adapter.bus', 'runway.agent1'],
      ['adapter.hsc', 'hsc.adapter'],
      ['hsc.slot0', 'disk.hsc'],
    ],
  };
}

describe('overlapping address ranges are rejected, naming both parts and their ranges', () => {
  const lan = (params: Params = {}) => ({
    parts: { lan: { type: 'lan_card', params } },
    wires: [['lan.pci', 'bus.slot2']] as [string, string][],
  });

  test('two cards on a bus, reported at the second', () => {
    expect(problems(gt({}, lan({ registers: '0xf0000000' })))).toEqual([
      '/machine/parts/lan/params/registers: Two parts claim the same addresses on "bus": registers of "gt" at 0xf0000000 to 0xf00000ff, and registers of "lan" at 0xf0000000 to 0xf0000fff. They must not overlap.',
    ]);
    expect(problems(gt({}, lan()))[0]).toMatch(/^\/machine\/parts\/lan: Two parts claim/);
    expect(problems(gt({}, lan({ registers: '0xf0001000' })))).toEqual([]);
  });

  test('a card’s memory and its registers', () => {
    expect(problems(gt({ gt: { registers: '0x87ffff00' } }))[0]).toContain(
      'memory of "gt" at 0x80000000 to 0x87ffffff, and registers of "gt" at 0x87ffff00',
    );
  });

  test('a card and memory, as cards see it', () => {
    expect(problems(gt({ gt: { base: '0x40000000' } }))[0]).toContain('memory of "bridge"');
  });

  test('ropes of one adapter', () => {
    const parts = {
      cpu: { type: 'processor' },
      sba: { type: 'sba' },
      memory: { type: 'memory' },
      bus: { type: 'pci' },
      bus2: { type: 'pci' },
    };
    const on = (length: string, base: string) => ({
      parts: {
        ...parts,
        lba: { type: 'lba', params: { length } },
        lba2: { type: 'lba', params: { base, length } },
      },
      wires: [
        ['cpu.front', 'sba.cpu0'],
        ['sba.memory', 'memory.bridge'],
        ['sba.rope0', 'lba.rope'],
        ['sba.rope1', 'lba2.rope'],
        ['lba.pci', 'bus.slot0'],
        ['lba2.pci', 'bus2.slot0'],
      ],
    });
    const rows = [{ do: 'spend', time: '1 us' }];
    expect(problems(on('2 GiB', '0x80000000'), rows)[0]).toMatch(/on "sba": .*"lba" .*"lba2"/);
    expect(problems(on('1 GiB', '0xc0000000'), rows)).toEqual([]);
  });

  test('a unit’s registers and a card behind the bridge that uses the unit', () => {
    const walked = (registers: string) =>
      gt(
        {},
        {
          parts: {
            iommu: { type: 'iommu', params: { registers } },
            map: { type: 'iommu_map', params: { entries: 1024, page: '4 KiB' } },
          },
          wires: [
            ['map.iommu', 'iommu.map'],
            ['bridge.iommu', 'iommu.device0'],
            ['driver.map', 'map.cpu0'],
            ['iommu.memory', 'memory.walks'],
          ],
        },
      );
    expect(problems(walked('0xf0000000')).join()).toMatch(/on "bridge": .*"gt" .*"iommu"/);
    expect(problems(walked('0xfed00000')).join()).not.toContain('Two parts claim');
  });
});

describe('a driver reaches its device', () => {
  test('or is rejected, with a list of what its processor reaches', () => {
    expect(problems(gt({ gt: { registers: '0xf1000000' } }))).toEqual([
      '/machine/parts/driver: "register window" of "driver" is 0xf0000000, where no part answers. "cpu" reaches memory of "gt" at 0x80000000, registers of "gt" at 0xf1000000.',
    ]);
    const both = { gt: { registers: '0xf1000000' }, driver: { registers: '0xf1000000' } };
    expect(problems(gt(both))).toEqual([]);
  });

  test('through any bridges', () => {
    const behind = (registers: string) => ({
      extends: 'hp-gt',
      parts: { driver: { params: { registers } } },
    });
    const none = { ...DMA, bytes: 64 };
    const idle = (machine: object) => problems(machine, [none], 'cpu0').join();
    expect(idle(behind('0xf1000000'))).not.toContain('register window');
    expect(idle(behind('0xf0000000'))).toContain(
      'registers of "adapter" (I/O adapter) are, and not a GT card',
    );
  });
});

describe('a card moves its own memory', () => {
  test.each([
    [
      'to beyond its end',
      { ...DMA, to: '0x87fffff0' },
      '/workload/cpu/0/to',
      '4 KiB at 0x87fffff0',
    ],
    ['to memory', { ...DMA, to: '0x0' }, '/workload/cpu/0/to', '4 KiB at 0x0'],
    [
      'from memory',
      { do: 'dma_read', from: '0x100000', to: '0x80000000', bytes: 64 },
      '/workload/cpu/0/from',
      '64 B at 0x100000',
    ],
  ])('or the row is refused: %s', (_, row, place, what) => {
    const [found, ...others] = problems(gt(), [row]);
    expect(others).toEqual([]);
    expect(
      found?.startsWith(`${place}: "${row.do}": ${what} do not lie in the memory of "gt"`),
    ).toBe(true);
  });

  test('a row lists the addresses that it uses', () => {
    expect(problems(gt(), [{ do: 'pio_write', from: '0x100000', bytes: 64, width: 4 }])).toEqual([
      '/workload/cpu/0: "pio_write" needs "to". Destination address.',
    ]);
    expect(problems(gt(), [{ do: 'dma_read', bytes: 64 }])[0]).toContain('needs "from"');
  });

  test('a transfer started through registers that no target answers ends as failed', () => {
    const started = (card: string, host: string) =>
      ran(gt(), [
        { do: 'io_store', to: '0xf0000000', count: host },
        { do: 'io_store', to: '0xf0000008', count: card },
        { do: 'io_store', to: '0xf0000010', count: 64 },
        { do: 'spend', time: '50 us' },
      ]);
    const counts = (counter: ReturnType<typeof ran>) =>
      ['dma_writes', 'failed', 'dma_write_bytes'].map((name) => counter('gt', name));
    expect(counts(started('2147483648', '1048576'))).toEqual([1, 0, 64]);
    expect(counts(started('0', '1048576'))).toEqual([0, 1, 0]);
    expect(counts(started('2147483648', '3758096384'))).toEqual([0, 1, 0]);
  });
});

describe('mapped addresses are translated', () => {
  const map = [
    { do: 'map', from: '0x100000', bytes: '4 KiB', tag: 1 },
    { do: 'start_dma', to: '0xf1000000', tag: 1, bytes: '4 KiB', count: 1 },
    { do: 'spend', time: '100 us' },
    { do: 'unmap', tag: 1 },
  ];

  test('by the adapter of a machine with default parameters', () => {
    const counter = ran(hp(), map);
    expect(counter('disk', 'bytes_read')).toBe(4096);
    expect(counter('adapter', 'faults')).toBe(0);
  });

  test.each([
    [
      'a directory that memory does not hold',
      { services: { directory: '0x300000' }, adapter: { directory: '0x300000' } },
      '"page directory" of "adapter" takes 128 KiB from 0x300000 on, and "memory" holds values of 128 KiB from 0x200000 on',
    ],
    [
      'one that it holds in part',
      { services: { page_bits: 15 }, adapter: { page_bits: 15 } },
      '"adapter" takes 256 KiB from 0x200000 on',
    ],
    [
      'another than the adapter’s',
      { services: { directory: '0x210000' } },
      '"services" fills the table that "adapter" reads, and they must agree about it: "page directory" of "services" is 0x210000, "page directory" of "adapter" is 0x200000.',
    ],
    [
      'other bits',
      { services: { page_bits: 13 } },
      '"k: chain and block bits" of "services" is 13',
    ],
    [
      'commands to nobody',
      { adapter: { registers: '0xf0100000' } },
      '"adapter\'s registers" of "services" is 0xf0000000, where no part answers',
    ],
  ])('or the machine is refused: %s', (_, change, sentence) => {
    expect(problems(hp(change), map).join()).toContain(sentence);
  });

  const pool = { map: { type: 'iommu_map', params: { entries: 1024, page: '4 KiB' } } };

  test.each<[string, Partial<BuiltScenario>, string]>([
    [
      'without a unit',
      { parts: pool, wires: [['driver.map', 'map.cpu0']] },
      '"driver" maps for its device through "map", and no unit that translates is wired to "map.iommu"',
    ],
    [
      'with one that nobody asks',
      {
        parts: { ...pool, iommu: { type: 'iommu' } },
        wires: [
          ['driver.map', 'map.cpu0'],
          ['map.iommu', 'iommu.map'],
        ],
      },
      'no device is wired to "iommu", and no bridge',
    ],
  ])('or the driver is refused: %s', (_, more, sentence) => {
    expect(problems(gt({}, more)).join()).toContain(sentence);
  });
});
