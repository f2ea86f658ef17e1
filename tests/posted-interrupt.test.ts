/**
 * A device's interrupt that overtakes its posted writes: premature reads of a processor are counted, and the cause is
 * named.
 */
import { beforeAll, expect, test } from 'vitest';
import { createLocalEngine } from '../src/engine/inprocess';
import { diagnose } from '../src/model/diagnosis/diagnose';
import { withPrograms } from '../src/model/scenario/program-overrides';
import type { Scenario } from '../src/model/scenario/scenario-types';
import { createTrace } from '../src/model/trace/trace';
import { compiled, scenarioFrom } from './support/scenarios';

const BUFFER = 0x101000;
const read = (from: number, bytes: number) => ({
  do: 'load',
  from: `0x${from.toString(16)}`,
  bytes,
  width: 16,
});

interface Wiring {
  /** Where the card's interrupt line ends. */
  readonly line: string;
  readonly more?: readonly (readonly [string, string])[];
  /** What the processor does between the interrupt and its reads. */
  readonly first?: readonly object[];
  readonly reads?: object;
  /** The receiver's rows are in the workload. */
  readonly inline?: boolean;
}

/** A card on PCI behind a bridge of the K-class writes 1 KiB into a mapped buffer, and interrupts. */
function scenario({ line, more = [], first = [], reads, inline }: Wiring) {
  const program = [
    read(BUFFER, 1024),
    { do: 'map', from: '0x101000', bytes: 4096, tag: 0 },
    { do: 'wait', tag: 1 },
    ...first,
    reads ?? read(BUFFER + 896, 128),
  ];
  const idle = [{ do: 'spend', time: '1 ns' }];
  const card = { blocks: 1, bytes: '1 KiB', address: '0x0', direction: 'write', delay: '40 us' };
  const now = { switch_time: '0 ps', interrupt_time: '0 ps', wake_time: '0 ps' };
  return {
    ...{ busyard: 1, title: 'T', summary: 'S', system: 'hp', until: '20 ms' },
    machine: {
      extends: 'hp-k-class',
      parts: {
        lan: null,
        bridge: {
          type: 'hsc_pci',
          title: 'Bridge',
          params: { posts: 64, interrupt: '0xfff81000' },
        },
        pcibus: { type: 'pci', title: 'PCI' },
        card: { type: 'peer', title: 'Card', params: card },
        cpu1: { params: now },
      },
      wires: [
        ['bridge.hsc', 'hsc.slot1'],
        ['bridge.pci', 'pcibus.slot0'],
        ['card.pci', 'pcibus.slot1'],
        ['card.irq', line],
        ...more,
      ],
    },
    programs: inline ? {} : { receive: program },
    workload: { cpu0: idle, cpu1: inline ? program : 'receive', cpu2: idle, cpu3: idle },
    view: { kind: 'machine' },
  };
}

/** A card on PCI below the zx1's bridges writes 1 KiB, and a processor reads its end. */
function belowRope({ line, more = [], first = [], reads, inline }: Wiring) {
  const process = { do: 'process', from: '0x1380', bytes: 128, time: '0 ps' };
  const program = [{ do: 'wait', tag: 1 }, ...first, reads ?? process];
  const card = { blocks: 1, bytes: '1 KiB', address: '0x1000', direction: 'write', delay: '40 us' };
  return {
    ...{ busyard: 1, title: 'T', summary: 'S', system: 'zx1', until: '20 ms' },
    machine: {
      extends: 'zx1',
      parts: {
        cpu: { params: { switch_time: '0 ps', interrupt_time: '0 ps', wake_time: '0 ps' } },
        memory: { params: { tracked: '64 KiB' } },
        card: { type: 'peer', title: 'Card', params: card },
        lan: { type: 'lan_card', title: 'Other card', params: { registers: '0xf0000000' } },
      },
      wires: [['card.pci', 'bus.slot1'], ['lan.pci', 'bus.slot2'], ['card.irq', line], ...more],
    },
    programs: inline ? {} : { receive: program },
    workload: { cpu: inline ? program : 'receive' },
    view: { kind: 'machine' },
  };
}

/** Starts the read engine of a GT card: 1 KiB of its memory goes to `host`. */
const fetched = (host: number) => [
  { do: 'io_store', to: '0xf0000020', count: host },
  { do: 'io_store', to: '0xf0000028', count: 0x80000000 },
  { do: 'io_store', to: '0xf0000030', count: 0x80000400 },
  { do: 'wait', tag: 1 },
];

/** A GT card whose memory is filled by the processor, then moved by its engine. */
const gtCard =
  (machine: string, host: number): Build =>
  ({ line, first = [], more = [] }) => ({
    ...{ busyard: 1, title: 'T', summary: 'S', system: 'gt', until: '20 ms' },
    machine: {
      extends: machine,
      parts: {
        driver: null,
        cpu: { params: { switch_time: '0 ps', interrupt_time: '0 ps', wake_time: '0 ps' } },
        memory: { params: { tracked: '64 KiB' } },
        gt: { params: { tracked: '64 KiB' } },
        ring: null,
        ...(machine === 'zx1-gt' ? { lba: { params: { rate: '100 MB/s' } } } : {}),
      },
      wires: [['gt.irq', line], ...more],
    },
    programs: {
      receive: [
        { do: 'pio_write', from: 0, to: '0x80000000', bytes: 1024, width: 4 },
        ...fetched(host),
        ...first,
        { do: 'process', from: '0x1380', bytes: 128, time: '0 ps' },
        ...fetched(0x1000),
      ],
    },
    workload: { cpu: 'receive' },
    view: { kind: 'machine' },
  });

type Build = (wiring: Wiring) => object;

const engine = await createLocalEngine();
beforeAll(() => () => engine.dispose());

const ran = (wiring: Wiring, build: Build = scenario) =>
  runOf(scenarioFrom(JSON.stringify(build(wiring)), 'posted.json'));

async function runOf(data: Scenario) {
  const machine = compiled(data, { traceLog2: 14 });
  await engine.open({ config: machine.config, commands: [] });
  const { seq } = await engine.run({ untilPs: machine.untilPs });
  const frame = await engine.frame({ views: [], trace: { fromSeq: 1, max: seq } });
  const trace = createTrace(machine);
  if (frame.trace) trace.append(frame.trace);
  const memory = machine.parts.findIndex(({ name }) => name === 'memory');
  const at = machine.parts[memory]?.type.counters.findIndex(({ name }) => name === 'overtaken');
  const overtaken = frame.counters[memory]?.[at ?? -1];
  const records = [...trace.matching(({ name }) => name === 'overtaken')];
  const finished = [...trace.matching(({ name }) => name === 'ended')].length;
  return { data, machine, trace, overtaken, records, finished };
}

test('a direct line to the processor: the end of the buffer is read before it arrives', async () => {
  const { data, machine, trace, overtaken, records } = await ran({ line: 'cpu1.irq1' });
  expect([overtaken, records.length]).toEqual([8, 8]);
  const [first = 0] = records;
  expect(trace.sentence(first)).toMatch(
    /^Memory: write \d.* of a device arrives at 0x101380 only now\. A processor has loaded from there since/,
  );
  const why = diagnose({ machine, data }, trace, first)?.sentences.join(' ');
  expect(why?.replaceAll(/[\u00a0\u202f]/g, ' ')).toMatch(
    /^Bridge took write \d+ at [\d.]+ µs as a posted write\. CPU 1 took an interrupt at [\d.]+ µs\. The interrupt overtook the posted write: .* Read a register of the device first: .* MSI/,
  );
});

test('below a rope: the end of the buffer is read before it arrives, from memory or a cache', async () => {
  const { data, machine, trace, overtaken, records } = await ran({ line: 'cpu.irq1' }, belowRope);
  expect(overtaken).toBeGreaterThan(0);
  const [first = 0] = records;
  expect(trace.sentence(first)).toMatch(
    /^Memory: write \d+ of a device arrives at 0x13.. only now\. A processor has loaded from there since/,
  );
  const why = diagnose({ machine, data }, trace, first)?.sentences.join(' ');
  expect(why?.replaceAll(/[\u00a0\u202f]/g, ' ')).toMatch(
    /^Local bus adapter took write \d+ at [\d.]+ µs as a posted write\. CPU took an interrupt at/,
  );
});

test.each<[string, Wiring, Build, string, number]>([
  ['a program', { line: 'cpu1.irq1' }, scenario, 'Bridge', 4],
  ['rows in the workload', { line: 'cpu1.irq1', inline: true }, scenario, 'Bridge', 4],
  ['a program below a rope', { line: 'cpu.irq1' }, belowRope, 'Local bus adapter', 1],
])(
  'the fix reads from the device first, and no read is too early: %s',
  async (_, wiring, build, bridge, threads) => {
    const { data, machine, trace, records } = await ran(wiring, build);
    const [fix] = diagnose({ machine, data }, trace, records[0] ?? 0)?.fixes ?? [];
    expect(fix?.title).toBe(`Read from the device behind ${bridge} before its data`);
    const fixed = withPrograms(data, fix?.programs);
    if (!fixed.ok) throw new Error(JSON.stringify(fixed.problems));
    const { overtaken, finished } = await runOf(fixed.value);
    expect([overtaken, finished]).toEqual([0, threads]);
  },
);

test.each<[string, Wiring]>([
  [
    'a register behind the bridge is read first',
    { line: 'cpu1.irq1', first: [{ do: 'io_load', from: '0xf1001000' }] },
  ],
  [
    'the bridge sends the interrupt behind the data',
    { line: 'bridge.irq0', more: [['cache1.irq', 'cpu1.irq1']] },
  ],
  ['what is read is not what the device wrote', { line: 'cpu1.irq1', reads: read(0x102000, 128) }],
  ['what is read has come already', { line: 'cpu1.irq1', reads: read(BUFFER, 128) }],
])('nothing is read too early where %s', async (_, wiring) => {
  const { overtaken, records, finished } = await ran(wiring);
  expect([overtaken, records.length, finished]).toEqual([0, 0, 4]);
});

const DONE = [{ do: 'io_load', from: '0xf0000040' }];
test.each<[string, Build, readonly object[], boolean]>([
  ['a direct line, behind a bridge that posts', gtCard('zx1-gt', 0x1000), [], true],
  ['its register is read first', gtCard('zx1-gt', 0x1000), DONE, false],
  ['the same words go to another buffer later', gtCard('gt-system-a', 0x2000), [], false],
])('a GT card: %s', async (_, build, first, isEarly) => {
  const { overtaken = 0, finished } = await ran({ line: 'cpu.irq1', first }, build);
  expect([overtaken > 0, finished]).toEqual([isEarly, 1]);
});
