/**
 * Machines in which packets are handed on: an adapter with a ring, an I/O thread, one application, and a kernel between
 * them. Nothing stands in for anything; a prover that is wired to nothing leaves the order of events open.
 */

export interface PacketShape {
  readonly packets: number;
  /** Buffers of the ring, and places of the queue. */
  readonly ring: number;
  /** Whether a second processor does the network. */
  readonly offload: boolean;
  /** How often the I/O thread and the application copy a packet. */
  readonly copies: readonly [network: number, application: number];
}

/** Longer than all steps of a way together: how much of a time is left makes no difference. */
const LONG = '1 ms';
const TIMES = { switch_time: LONG, wake_time: LONG, interrupt_time: LONG, quantum: '1 s' };

const PLACES = {
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

/** A frame of one line, and memory that follows one place for each buffer and copy, none of it cached. */
const FRAME = '64 B';
const UNCACHED = '128 KiB';

/** One thread that carries one packet a turn, so many turns. */
const turns = (priority: number, packets: number, work: readonly object[]) => [
  { do: 'thread', count: priority },
  { do: 'repeat', count: packets },
  ...work,
  { do: 'again' },
];

/** Parts, wires and programs of such a machine; `own` are parameters that differ, by part. */
export function packetMachine(
  { packets, ring, offload, copies: [sent, read] }: PacketShape,
  own: Readonly<Record<string, Readonly<Record<string, string | boolean>>>>,
) {
  const part = (name: keyof typeof PLACES, type: string, params: object) => ({
    [name]: { type, ...PLACES[name], params: { ...params, ...own[name] } },
  });
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
    prover: PLACES.prover,
  };
}
