/** Wires: incompatible ports are refused naming parts and message, and optional ports may be left open. */
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { compile } from '../src/model/scenario/compile';
import { loadScenario } from '../src/model/scenario/load';
import type { Scenario, WireEnd } from '../src/model/scenario/scenario-types';
import { wiringProblems } from '../src/model/scenario/wiring';
import { gtMachine } from './support/machines';
import { MACHINES, SCENARIOS, scenarioAt } from './support/scenarios';
import { encode } from './support/sessions';

const code = await inlineCode();

const scenario = (machine: object, rows: object[]) =>
  JSON.stringify({
    busyard: 1,
    title: 'Wires',
    summary: 'Parts and wires.',
    system: 'gt',
    machine,
    ...(rows.length ? { programs: { main: rows }, workload: { cpu: 'main' } } : {}),
    until: '1 us',
    view: { kind: 'machine' },
  });

const tags = {
  parts: {
    cpu: { type: 'processor' },
    l1: { type: 'cache' },
    bridge: { type: 'bridge' },
    memory: { type: 'memory' },
    bus: { type: 'pci' },
  },
  wires: [
    ['cpu.cache', 'l1.cpu'],
    ['cpu.front', 'bridge.cpu'],
    ['bridge.memory', 'memory.bridge'],
    ['bridge.pci', 'bus.slot'],
  ],
};

/** The error of a machine with a program; null if there is none. */
function refusal(machine: object, rows: object[] = []): string | null {
  const loaded = loadScenario(scenario(machine, rows), { file: 'wires.json', machines: new Map() });
  if (!loaded.ok) return loaded.problems.map(({ message }) => message).join(' ');
  const made = compile(loaded.value);
  return made.ok ? null : made.problems.map(({ message }) => message).join(' ');
}

describe('a pair that would wait forever is refused', () => {
  test('a load through a cache that keeps only tags', () => {
    expect(refusal(tags, [{ do: 'process', from: 0, bytes: 64 }, { do: 'end' }])).toBeNull();
    expect(refusal(tags, [{ do: 'load', from: 0, bytes: 4 }, { do: 'end' }])).toBe(
      '"load" cannot be executed: "cpu.cache" sends "access" to "l1.cpu", which does not handle it: the sender would wait forever. "l1": A set-associative write-back cache that models tags only, with least-recently-used replacement and invalidation-based coherence. At "cpu.cache" this machine can do "copy_write", "copy_read", "process".',
    );
  });

  test('a card that knows nothing of split reads, on PCI-X', () => {
    const on = (bus: string) =>
      refusal({
        parts: { bus: { type: bus }, card: { type: 'gt' }, ring: { type: 'ring' } },
        wires: [
          ['card.pci', 'bus.slot1'],
          ['card.link', 'ring.card'],
        ],
      });
    expect(on('pci')).toBeNull();
    expect(on('pcix')).toContain(
      '"bus.slot1" sends "attributes" to "card.pci", which does not handle it',
    );
  });

  test('a service whose steps its processor cannot take', () => {
    const services = {
      parts: { ...tags.parts, os: { type: 'io_services' } },
      wires: [...tags.wires, ['cpu.os', 'os.cpu']],
    };
    expect(refusal(services)).toContain(
      '"os.cpu0" sends "value", and "cpu.os" passes it on to "l1.cpu", which does not handle it',
    );
  });

  test('an operation whose port leads nowhere', () => {
    const { cpu, bus } = tags.parts;
    const rows = [{ do: 'io_store', to: 0 }, { do: 'end' }];
    expect(refusal({ parts: { cpu, bus }, wires: [] }, rows)).toContain(
      '"io_store" cannot be executed: it sends "post" at "cpu.front", which is not wired.',
    );
  });
});

describe('an IOMMU whose table lies in memory', () => {
  const whole = parse(MACHINES.get('runway-iommu') ?? '') as {
    parts: object;
    wires: [string, string][];
  };
  const rewired = (out: readonly string[], added: readonly [string, string][] = []) => {
    const wires = whole.wires.filter(([from]) => !out.includes(from));
    return refusal({ parts: whole.parts, wires: [...wires, ...added] });
  };

  /** Nothing else is wrong. */
  const NO_PROGRAMS = /^("cpu\d" has no program[^.]*\. ?){2}$/;

  test('is where processors can store its entries and reach its registers', () => {
    expect(rewired([])).toMatch(NO_PROGRAMS);
    expect(rewired(['cpu1.front'])).toContain(
      '"map.cpu1" delegates to "cpu1": it sends "post" at "cpu1.front", which is not wired.',
    );
    const alone = ['cpu1.front', 'iommu.bus', 'card.dma'];
    expect(rewired(alone)).toMatch(NO_PROGRAMS);
  });

  test('executes accesses of devices, and answers no translation request at once', () => {
    expect(rewired(['iommu.bus'])).toContain(
      '"iommu.dma0" works only if "iommu.bus" is wired, and it is not.',
    );
    expect(rewired(['card.dma'], [['card.iommu', 'iommu.device0']])).toContain(
      '"iommu.device0" works only if "iommu.bus" is not wired, and it is.',
    );
  });
});

describe('an IOMMU whose table lies in the memory of a host bridge', () => {
  const whole = parse(MACHINES.get('gt-iommu') ?? '') as {
    parts: object;
    wires: [string, string][];
  };
  const walking = (out: readonly string[] = [], parts = {}, added: [string, string][] = []) =>
    refusal({
      parts: { ...whole.parts, ...parts },
      wires: [
        ...whole.wires.filter(([from]) => !out.includes(from)),
        ['iommu.memory', 'memory.walks'],
        ...added,
      ],
    });
  const NO_PROGRAM = /^"cpu" has no program[^.]*\. ?$/;

  test('works beside any host bridge', () => {
    expect(walking()).toMatch(NO_PROGRAM);
  });

  test('is refused where no processor reaches its registers', () => {
    const card = { card: { type: 'bus_master' } };
    const driven: [string, string] = ['map.device', 'card.driver'];
    expect(walking(['bridge.iommu'], card, [driven, ['card.iommu', 'iommu.device0']])).toContain(
      '"iommu.memory" works only if a part wired to "iommu.device" sends "register", and none does.',
    );
    expect(walking([], card, [driven, ['card.iommu', 'iommu.device1']])).toMatch(NO_PROGRAM);
  });

  test('is refused where a processor that maps cannot store its entries', () => {
    const second = { cpu1: { type: 'processor' } };
    expect(walking([], second, [['cpu1.os', 'map.cpu1']])).toContain(
      '"map.cpu1" delegates to "cpu1": it sends "access_untimed" at "cpu1.cache", which is not wired.',
    );
  });

  test('has it over a bus, or at a memory of its own', () => {
    const bus = { runway: { type: 'runway' }, other: { type: 'memory_controller' } };
    const wires: [string, string][] = [
      ['iommu.bus', 'runway.agent0'],
      ['runway.memory', 'other.bus'],
    ];
    expect(walking([], bus, wires)).toContain(
      '"iommu.memory" works only if "iommu.bus" is not wired, and it is.',
    );
  });
});

describe('an operation that no service of the machine supports is refused', () => {
  const driver = (rows: object[]) => {
    const { parts, wires } = tags;
    const services = {
      parts: { ...parts, driver: { type: 'gt_driver' }, gt: { type: 'gt' } },
      wires: [...wires, ['cpu.os', 'driver.cpu'], ['gt.pci', 'bus.slot']],
    };
    return refusal(services, [...rows, { do: 'end' }]);
  };

  test('by the service itself and by those it forwards calls to', () => {
    expect(driver([{ do: 'dma_write', from: '0x1000', to: '0x80000000', bytes: 64 }])).toBeNull();
    expect(driver([{ do: 'send', bytes: 64 }])).toContain(
      '"send" cannot be executed: it is an operation of Network stack, and "driver" (GT driver) cannot do it.',
    );
    expect(driver([{ do: 'map', from: '0x0', bytes: 64 }])).toContain(
      '"map" cannot be executed: it is an operation of I/O services or DMA mapping, and "driver" (GT driver) cannot do it.',
    );
  });

  test('when a driver calls it of a service that cannot do it', () => {
    const { parts, wires } = tags;
    const services = {
      parts: { ...parts, driver: { type: 'gt_driver' }, other: { type: 'gt_driver' } },
      wires: [...wires, ['cpu.os', 'driver.cpu'], ['driver.map', 'other.cpu']],
    };
    expect(refusal(services)).toContain(
      '"driver.map" calls "map": it is an operation of I/O services or DMA mapping, and "other" (GT driver) cannot do it.',
    );
  });

  test('behind another service, where calls are passed on', () => {
    const parts = {
      cpu: { type: 'processor' },
      net: { type: 'net_driver' },
      adapter: { type: 'net_adapter' },
    };
    const wires = [
      ['cpu.os', 'net.cpu0'],
      ['net.adapter', 'adapter.driver'],
    ];
    const behind = {
      parts: { ...parts, map: { type: 'iommu_map' }, iommu: { type: 'iommu' } },
      wires: [
        ...wires,
        ['net.map0', 'map.cpu0'],
        ['map.iommu', 'iommu.map'],
        ['adapter.iommu', 'iommu.device0'],
      ],
    };
    const rows = [{ do: 'map', from: '0x0', bytes: 64 }, { do: 'end' }];
    expect(refusal({ parts, wires }, rows)).toContain('"net" (Network stack) cannot do it.');
    expect(refusal(behind, rows)).toBeNull();
    expect(refusal(behind, [{ do: 'dma_sync', from: '0x0', bytes: 64 }, { do: 'end' }])).toContain(
      'it is an operation of I/O services, and "net" (Network stack) and "map" (DMA mapping) cannot do it.',
    );
  });
});

test('the engine stops with part and message named where a message is sent at an open port', () => {
  const machine = gtMachine();
  const core = new Core(code);
  const front = ([a, portA, , portB]: readonly [number, string, number, string]) =>
    a === 0 && (portA === 'front' || portB === 'front');
  const wires = machine.wires?.filter((wire) => !front(wire)) ?? [];
  expect(wires.length).toBe((machine.wires?.length ?? 0) - 1);
  core.open(
    encode({
      ...machine,
      wires,
      parts: machine.parts.map((part, i) =>
        i === 0
          ? {
              ...part,
              tables: {
                program: [{ do: 'dma_write', to: '0x80000000', bytes: '64 B' }, { do: 'end' }],
              },
            }
          : part,
      ),
    }),
  );
  expect(() => core.run(Number.POSITIVE_INFINITY, 1e5)).toThrow(
    /^The engine stopped after event \d+: "front post" was sent at place 0 of part 0, which is not wired\.$/,
  );
  expect(core.dead).toBe(true);
});

/** The scenario without one of its wires. */
const without = (whole: Scenario, index: number): Scenario => ({
  ...whole,
  machine: { ...whole.machine, wires: whole.machine.wires.filter((_, i) => i !== index) },
});

const required = ({ machine }: Scenario, { part, port }: WireEnd) =>
  machine.parts[part]?.type.ports.find(({ name }) => name === port)?.required === true;

/** One scenario for each kind of optional wire: the two ports it joins. */
function optionalWires(): [string, string, number][] {
  const found = new Map<string, [string, string, number]>();
  for (const path of SCENARIOS) {
    const whole = scenarioAt(path);
    whole.machine.wires.forEach(({ ends }, i) => {
      if (ends.some((end) => required(whole, end))) return;
      const names = ends.map((end) => `${whole.machine.parts[end.part]?.type.name}.${end.port}`);
      const kind = names.sort().join(' - ');
      if (!found.has(kind)) found.set(kind, [kind, path, i]);
    });
  }
  return [...found.values()];
}

describe('without a wire that is not required a machine runs, or is refused before it does', () => {
  const core = new Core(code);
  test.each(optionalWires())('%s (%s)', (_, path, index) => {
    const cut = without(scenarioAt(path), index);
    const problems: string[] = [];
    wiringProblems(cut.machine.parts, cut.machine.wires, (_where, message) =>
      problems.push(message),
    );
    const made = compile(cut);
    if (problems.length > 0 || !made.ok) return;
    try {
      core.open(made.value.config);
    } catch (error) {
      expect(String(error)).toMatch(/must be wired/);
      return;
    }
    expect(() => core.run(made.value.untilPs, 50_000)).not.toThrow();
  });
});

test('a complete scenario has no error about its wires', () => {
  for (const path of SCENARIOS) {
    const { machine } = scenarioAt(path);
    const problems: string[] = [];
    wiringProblems(machine.parts, machine.wires, (_where, message) => problems.push(message));
    expect(problems).toEqual([]);
  }
});
