/**
 * Testbench machines. Ordering: a host and a card on two PCI buses with a bridge between them, or processors and a
 * card with a rope between them, and an I/O cache. Locks: three threads and one lock; a low-priority thread owns
 * it, a high-priority thread wants it, and one in between does not use it. Packets: an adapter with a ring, an I/O
 * thread, an application, and a kernel between them. An unwired prover makes the order of events nondeterministic.
 */

interface BridgeShape {
  /** The part that preserves the order. */
  readonly between: 'bridge';
  /** Number of reads that it can hold. */
  readonly reads: number;
}

interface RopeShape {
  readonly between: 'rope';
  readonly cpus: 1 | 2;
  /** Flag and data are in one line, or in two. */
  readonly lines: 1 | 2;
  /** How the card reads memory, and the number of lines in the I/O cache. */
  readonly reads: 'current' | 'private' | 'shared';
  readonly kept: number;
  /** The card interrupts instead of being polled. */
  readonly interrupts?: boolean;
  /** Commands come with a word and a flag; without them processors check the data. */
  readonly flags?: boolean;
  /** The card is on PCI-X, with split reads. */
  readonly isX?: boolean;
  /** The data is mapped for each command, each time elsewhere, together with a prefetched line. */
  readonly mapped?: boolean;
  /** The card's result is in the line of the data instead of the flag. */
  readonly together?: boolean;
  /** All passing allowed by the PCI ordering table happens, at every place. */
  readonly anyLegal?: boolean;
}

export type OrderShape = BridgeShape | RopeShape;

const ORDER_PLACES = {
  prover: { title: 'Any order', at: [24, 4, 260, 42] },
  pair: { title: 'Host and card', at: [24, 64, 812, 62] },
  host_bus: { title: 'PCI bus of the host', at: [24, 160, 390, 30] },
  card_bus: { title: 'PCI bus of the card', at: [446, 160, 390, 30] },
  bridge: { title: 'PCI-X bridge', at: [24, 230, 812, 90] },
  cache0: { title: 'Cache 0', at: [24, 140, 200, 42] },
  cache1: { title: 'Cache 1', at: [240, 140, 200, 42] },
  sba: { title: 'System bus adapter', at: [24, 198, 560, 62] },
  memory: { title: 'Memory', at: [620, 198, 216, 62] },
  lba: { title: 'Local bus adapter', at: [24, 276, 560, 62] },
  bus: { title: 'PCI bus', at: [24, 350, 812, 24] },
} as const;

type Own = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Creates parts of a machine with their positions and the given parameters. */
const partsAt =
  <Name extends string>(places: Readonly<Record<Name, object>>, own: Own) =>
  (name: Name, type: string, params: object = {}) => ({
    [name]: { type, ...places[name], params: { ...params, ...own[name] } },
  });

/** Longer than all steps of a counterexample together, so that remaining times do not distinguish states. */
const LONG = '1 ms';
const TIMES = { switch_time: LONG, wake_time: LONG, interrupt_time: LONG, quantum: '1 s' };

/** A thread that repeats its work. */
const turns = (priority: number, times: number, work: readonly object[]) => [
  { do: 'thread', count: priority },
  { do: 'repeat', count: times },
  ...work,
  { do: 'again' },
];

/** Parts and wires of an ordering machine; `own` has parameters by part. */
export const orderMachine = (shape: OrderShape, own: Own) =>
  shape.between === 'rope' ? ropeMachine(shape, own) : bridgeMachine(shape, own);

/** One line, or two adjacent ones of which the adapter prefetches the second. */
function ropeMachine(
  {
    cpus,
    lines,
    reads,
    kept,
    interrupts,
    flags,
    together,
    isX = false,
    mapped = false,
    anyLegal = false,
  }: RopeShape,
  own: Own,
) {
  const part = partsAt(ORDER_PLACES, own);
  const processors = Array.from({ length: cpus }, (_, i) => i);
  const does = {
    learns: interrupts ? 'interrupt' : 'poll',
    flags: flags ?? true,
    result: together ? '0x1000' : '0x2000',
    blocks: isX,
    page: mapped ? '256 B' : '0 B',
  };
  const caches = processors.map((i) =>
    part(`cache${i as 0 | 1}`, 'cache', { size: '256 B', ways: 1, line: '128 B' }),
  );
  return {
    parts: {
      ...part('memory', 'memory', { tracked: '8 KiB', tracked_from: '0x1000' }),
      ...part('pair', 'rope_pair', {
        data: lines > 1 ? '0x1080' : '0x1004',
        reads_back: !mapped,
        ...does,
      }),
      ...Object.assign({}, ...caches),
      ...part('sba', 'sba', { lines: kept, owns: reads === 'shared' ? 'shared' : 'private' }),
      ...part('lba', 'lba', {
        base: '0xf0000000',
        length: '4 KiB',
        lines: 3,
        posts: 2,
        stores: 4,
        any_legal: anyLegal,
        streaming_from: '0x0',
        ...(isX && { splits: 2 }),
        mr_streaming_depth: mapped ? 1 : lines - 1,
        mr_streaming_current: reads === 'current',
        mrm_streaming_current: reads === 'current',
      }),
      ...(isX ? part('bus', 'pcix', { tags: 2 }) : part('bus', 'pci', { block: '128 B' })),
    },
    wires: [
      ['sba.memory', 'memory.bridge'],
      ...processors.flatMap((i) => [
        [`pair.front${i}`, `sba.cpu${i}`],
        [`pair.cache${i}`, `cache${i}.cpu`],
      ]),
      ['sba.rope0', 'lba.rope'],
      ['lba.pci', 'bus.slot0'],
      ['pair.bus', 'bus.slot1'],
      ...(mapped ? [['sba.iommu', 'pair.iommu']] : []),
      ...(interrupts
        ? [
            ['pair.raise', 'lba.irq0'],
            ['lba.interrupt', 'pair.irq'],
          ]
        : []),
    ],
    prover: ORDER_PLACES.prover,
  };
}

function bridgeMachine({ reads }: BridgeShape, own: Own) {
  const part = partsAt(ORDER_PLACES, own);
  return {
    parts: {
      ...part('pair', 'pci_pair'),
      ...part('host_bus', 'pci'),
      ...part('card_bus', 'pci'),
      ...part('bridge', 'pcix_bridge', { posts: 2, reads, lines: 2, ahead: 1, burst: '128 B' }),
    },
    wires: [
      ['pair.bus0', 'host_bus.slot0'],
      ['pair.bus1', 'card_bus.slot0'],
      ['bridge.bus0', 'host_bus.slot1'],
      ['bridge.bus1', 'card_bus.slot1'],
    ],
    prover: ORDER_PLACES.prover,
  };
}

export interface LockShape {
  /** Number of times that each thread takes the lock. */
  readonly rounds: number;
  /** Whether the high-priority thread has its own processor. */
  readonly apart: boolean;
}

const LOCK_PLACES = {
  prover: { title: 'Any order', at: [24, 4, 260, 42] },
  cpu: { title: 'Processor', at: [24, 64, 260, 62] },
  other: { title: 'Another processor', at: [306, 64, 260, 62] },
  kernel: { title: 'Kernel', at: [24, 164, 542, 48] },
} as const;

const spend = { do: 'spend', time: LONG };
const sleep = { do: 'sleep', time: LONG };

/** Parts, wires and programs of a lock machine; `own` has parameters by part. */
export function lockMachine({ rounds, apart }: LockShape, own: Own) {
  const part = partsAt(LOCK_PLACES, own);
  const locked = [{ do: 'lock' }, spend, { do: 'unlock' }];
  const cpus = apart ? (['cpu', 'other'] as const) : (['cpu'] as const);
  return {
    machine: {
      parts: {
        ...Object.assign({}, ...cpus.map((cpu) => part(cpu, 'processor', TIMES))),
        ...part('kernel', 'kernel', { call_time: LONG }),
      },
      wires: cpus.map((cpu, i) => [`${cpu}.os`, `kernel.cpu${i}`]),
    },
    programs: {
      low: turns(1, rounds, locked),
      middle: turns(5, rounds, [sleep, spend]),
      high: turns(9, rounds, [sleep, ...locked]),
    },
    workload: apart
      ? { cpu: ['low', 'middle'], other: 'high' }
      : { cpu: ['low', 'middle', 'high'] },
    prover: LOCK_PLACES.prover,
  };
}

export interface PacketShape {
  readonly packets: number;
  /** Buffers of the ring, and places of the queue. */
  readonly ring: number;
  /** Whether a second processor runs the network stack. */
  readonly offload: boolean;
  /** Number of copies of a packet made by the I/O thread and by the application. */
  readonly copies: readonly [network: number, application: number];
}

const PACKET_PLACES = {
  prover: { title: 'Any order', at: [24, 4, 260, 42] },
  main: { title: 'Main processor', at: [24, 64, 260, 62] },
  io: { title: 'I/O processor', at: [306, 64, 260, 62] },
  tcpip: { title: 'TCP/IP', at: [24, 164, 542, 48] },
  kernel: { title: 'Kernel', at: [24, 250, 542, 48] },
  main_cache: { title: 'Main cache', at: [24, 340, 170, 52] },
  io_cache: { title: 'I/O cache', at: [306, 340, 170, 52] },
  bus: { title: 'Memory bus', at: [24, 434, 812, 30] },
  memory: { title: 'Shared memory', at: [620, 340, 216, 52] },
  ethernet: { title: 'Ethernet', at: [620, 140, 216, 80] },
} as const;

/** Frames are one line long. Memory tracks one place for each buffer and copy, none of them cached. */
const FRAME = '64 B';
const UNCACHED = '128 KiB';

/** Parts, wires and programs of a packet machine; `own` has parameters by part. */
export function packetMachine(
  { packets, ring, offload, copies: [sent, read] }: PacketShape,
  own: Own,
) {
  const part = partsAt(PACKET_PLACES, own);
  const cpus = offload ? (['main', 'io'] as const) : (['main'] as const);
  const number = cpus.length - 1;
  return {
    machine: {
      parts: {
        ...Object.assign({}, ...cpus.map((cpu) => part(cpu, 'processor', TIMES))),
        ...part('tcpip', 'tcpip', { io_processor: number }),
        ...part('kernel', 'kernel', { queue_places: ring }),
        ...part('ethernet', 'ethernet', { frames: packets, frame: FRAME, ring, line: number }),
        ...Object.assign(
          {},
          ...cpus.map((cpu) =>
            part(`${cpu}_cache`, 'data_cache', { size: '1 KiB', uncached: UNCACHED }),
          ),
        ),
        ...part('bus', 'memory_bus', {}),
        ...part('memory', 'memory', { tracked: UNCACHED, grain: '2 KiB' }),
      },
      wires: [
        ['tcpip.adapter', 'ethernet.driver'],
        ['ethernet.bus', 'bus.master8'],
        ['bus.memory', 'memory.bridge'],
        ...cpus.flatMap((cpu, i) => [
          [`${cpu}.os`, `tcpip.cpu${i}`],
          [`tcpip.kernel${i}`, `kernel.cpu${i}`],
          [`${cpu}.cache`, `${cpu}_cache.cpu`],
          [`${cpu}_cache.bus`, `bus.master${i}`],
          [`ethernet.irq${i}`, `${cpu}.irq0`],
        ]),
      ],
    },
    programs: {
      network: turns(9, packets, [{ do: 'deliver', count: sent }]),
      application: turns(1, packets, [
        { do: 'accept', count: read },
        { do: 'decode', count: 2 },
        { do: 'finish' },
      ]),
    },
    workload: offload
      ? { main: 'application', io: 'network' }
      : { main: ['network', 'application'] },
    prover: PACKET_PLACES.prover,
  };
}
