/**
 * Standard configurations of exhaustive exploration: small machines in which everything may happen. Each
 * is a scenario like any other, so it can be opened, and a counterexample played.
 */
import { INVARIANTS } from '../../engine/explore';
import { type PacketShape, packetMachine } from './packet-machine';

export interface Proof extends Setup {
  readonly name: string;
  /** The machine in a few words. */
  readonly title: string;
  /** What it covers, in a sentence. */
  readonly covers: string;
  /** States and transitions on record; null where nobody waits for it in a test. */
  readonly pinned: { readonly states: number; readonly transitions: number } | null;
}

export interface FaultProof extends Setup {
  readonly name: string;
  readonly title: string;
  /** Name of the configuration it is looked for in. */
  readonly config: string;
}

/** A machine to be explored. */
export interface Setup {
  readonly shape: Shape | PacketShape;
  /** Parameters that differ, by part: what is broken. */
  readonly params?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Choices to be played, how many events that takes, and what is to be told of them. */
interface Played {
  readonly way: Uint32Array;
  readonly steps: number;
  /** Invariant that is broken then, as the prover's manifest names it, and the address it is about. */
  readonly invariant: string;
  readonly about: number;
  readonly title: string;
  readonly summary: string;
  readonly lesson: string;
}

interface Shape {
  readonly cpus: number;
  readonly lines: 1 | 2;
  readonly adapter?: 'coherent' | 'none';
  readonly speculate?: number;
  /** Transactions each agent may have under way; 1 unless said. */
  readonly pending?: number;
  /** Processors flush and purge too. */
  readonly orders?: boolean;
  /** Processors store to first halves only. */
  readonly firstHalf?: boolean;
  /** The line is the last of its page. */
  readonly atEnd?: boolean;
}

/** The line that is worked on: the first of a page, or the last. A second line is the next, so it may lie on the next page. */
const LINE = 0x1000;
const LINE_BYTES = 32;
const DIRECTORY = '0x8000';
const CACHE = { size: '64 B', virtual_offset: '0x0', buffer: 1 };

/** Nanoseconds that a step takes where it is shown. */
const STEP = 100;

type Place = readonly [x: number, y: number, width: number, height: number];

/** Names of the parts, and where they stand in the drawing. */
function placesOf(cpus: number): Readonly<Record<string, { title: string; at: Place }>> {
  const width = Math.floor((812 - (cpus - 1) * 16) / cpus);
  const caches = Array.from({ length: cpus }, (_, i) => {
    const at: Place = [24 + i * (width + 16), 64, width, 58];
    return [`cache${i}`, { title: `Cache ${i}`, at }] as const;
  });
  return {
    prover: { title: 'All that may happen', at: [24, 4, 812, 42] },
    ...Object.fromEntries(caches),
    runway: { title: 'Runway', at: [24, 150, 812, 38] },
    memory: { title: 'Memory', at: [24, 208, 280, 90] },
    services: { title: 'I/O services', at: [24, 316, 280, 42] },
    adapter: { title: 'I/O adapter', at: [328, 208, 508, 90] },
  };
}

export const handsOn = (shape: Setup['shape']): shape is PacketShape => 'packets' in shape;

const OF_PACKETS = INVARIANTS.indexOf('what is read is what was sent');

/** What must hold in each state of a machine: of caches and adapter, or of packets. */
export const invariantsOf = (of: Setup | undefined): readonly (typeof INVARIANTS)[number][] =>
  of && handsOn(of.shape)
    ? [...INVARIANTS.slice(OF_PACKETS), 'no deadlock']
    : INVARIANTS.slice(1, OF_PACKETS);

/** What a prover is told of choices to be played, and the table of them. */
function playing(played: Played | undefined) {
  if (!played) return {};
  const { steps, invariant, about, way } = played;
  return {
    params: { steps, invariant, about: `0x${about.toString(16)}` },
    tables: { way: [...way].map((pick) => ({ pick })) },
  };
}

const lasts = (played: Played | undefined) => (played ? `${(played.steps + 1) * STEP} ns` : '1 ms');

const headOf = (title: string, played: Played | undefined) => ({
  busyard: 1,
  title: played?.title ?? title,
  summary: played?.summary ?? 'Every order of events and every free choice.',
  ...(played && { lesson: played.lesson }),
});

export const proofScenario = (of: Setup, played?: Played): string =>
  handsOn(of.shape)
    ? packetScenario(of.shape, of.params, played)
    : coherentScenario(of.shape, of.params, played);

function packetScenario(shape: PacketShape, params: Setup['params'], played?: Played): string {
  const { machine, prover, ...runs } = packetMachine(shape, params ?? {});
  const told = playing(played);
  const free = {
    ...prover,
    type: 'prover',
    ...told,
    params: { step: `${STEP} ns`, ...told.params },
  };
  return JSON.stringify({
    ...headOf(`All that can happen: ${shape.packets} packets, ${shape.ring} buffers`, played),
    system: 'soc',
    machine: { ...machine, parts: { ...machine.parts, prover: free } },
    ...runs,
    until: lasts(played),
    metrics: {},
    view: { kind: 'machine' },
  });
}

/** A machine of provers: memory comes first, because its ledger names the writes. */
function coherentScenario(shape: Shape, params: Setup['params'] = {}, played?: Played): string {
  const { cpus, lines, adapter, speculate = 0 } = shape;
  const line = shape.atEnd ? LINE + 4096 - LINE_BYTES : LINE;
  const at = (address: number) => `0x${address.toString(16)}`;
  const parts: Record<string, object> = {};
  const wires: [string, string][] = [['runway.memory', 'memory.bus']];
  const places = placesOf(cpus);
  const add = (name: string, type: string, own: Record<string, unknown>, tables?: object) => {
    const { title, at: place } = places[name] ?? {};
    parts[name] = { type, title, at: place, params: { ...own, ...params[name] }, tables };
  };
  add('memory', 'memory_controller', {
    tracked_from: at(line),
    tracked: `${lines * LINE_BYTES} B`,
    written: true,
    directory: adapter === 'coherent' ? DIRECTORY : '0x0',
    directory_bytes: adapter === 'coherent' ? '16 B' : '0 B',
  });
  add('runway', 'runway', { arbitration: 0, pending: shape.pending ?? 1 });
  for (let i = 0; i < cpus; i++) {
    add(`cache${i}`, 'snoop_cache', { ...CACHE, speculate, ...params.cache });
    wires.push([`prover.cpu${i}`, `cache${i}.cpu`], [`cache${i}.bus`, `runway.agent${i}`]);
  }
  if (adapter) {
    const geometry = { page_bits: 4, chain_shift: 15, directory: DIRECTORY, virtual_offset: '0x0' };
    add('adapter', 'io_adapter', { ...geometry, mode: adapter, rows: 2, buffers: 1 });
    add('services', 'io_services', { ...geometry, mode: adapter });
    wires.push(['adapter.bus', 'runway.agent8'], ['prover.hsc', 'adapter.hsc']);
    wires.push(['prover.front', 'cache0.front'], ['prover.services', 'services.cpu0']);
  }
  const choices = {
    lines,
    line_0: at(line),
    line_1: at(line + LINE_BYTES),
    coherent: adapter !== 'none',
    orders: shape.orders ?? false,
    first_half: shape.firstHalf ?? false,
    step: `${STEP} ns`,
  };
  const told = playing(played);
  add('prover', 'prover', { ...choices, ...told.params }, told.tables);
  return JSON.stringify({
    ...headOf(
      `All that can happen: ${cpus} processors, ${lines} ${lines > 1 ? 'lines' : 'line'}`,
      played,
    ),
    system: 'hp',
    machine: { parts, wires },
    until: lasts(played),
    metrics: {},
    view: { kind: 'machine' },
  });
}

const COHERENT = { adapter: 'coherent' } as const;
const ALONE = { adapter: 'none' } as const;
const HANDED_ON: PacketShape = { packets: 3, ring: 2, offload: true, copies: [0, 0] };

export const PROOFS: readonly Proof[] = [
  {
    name: 'processors-2x1',
    title: '2 CPUs, 1 line',
    covers: 'Two processors and one line: the protocol itself.',
    pinned: { states: 457, transitions: 1478 },
    shape: { cpus: 2, lines: 1 },
  },
  {
    name: 'processors-2x2',
    title: '2 CPUs, 2 lines',
    covers: 'Two processors and two lines that share nothing.',
    pinned: { states: 22849, transitions: 81328 },
    shape: { cpus: 2, lines: 2 },
  },
  {
    name: 'processors-3x1',
    title: '3 CPUs, 1 line',
    covers: 'Three processors and one line.',
    pinned: { states: 9555, transitions: 37302 },
    shape: { cpus: 3, lines: 1 },
  },
  {
    name: 'orders-2x1',
    title: '2 CPUs that flush and purge',
    covers: 'Two processors and one line that both flush and purge whenever they like.',
    pinned: { states: 1869, transitions: 5784 },
    shape: { cpus: 2, lines: 1, orders: true },
  },
  {
    name: 'orders-2x1-posted',
    title: '2 CPUs that do not wait for flushes',
    covers: 'The same where a processor goes on while two flushes or purges are under way.',
    pinned: { states: 149848, transitions: 629934 },
    shape: { cpus: 2, lines: 1, orders: true },
    params: { cache: { orders: '2' } },
  },
  {
    name: 'write-through-2x1',
    title: '2 write-through caches',
    covers: 'Two processors and one line that store through their caches, flush and purge.',
    pinned: { states: 4823, transitions: 17538 },
    shape: { cpus: 2, lines: 1, orders: true },
    params: { cache: { policy: 'write_through', stores: '2' } },
  },
  {
    name: 'assist-2x2',
    title: '2 CPUs with an assist cache',
    covers: 'Two processors that fetch the next line unasked, into an assist cache of one line.',
    pinned: { states: 784755, transitions: 3375164 },
    shape: { cpus: 2, lines: 2, speculate: 2 },
    params: { cache: { assist: '1' } },
  },
  {
    name: 'coherent-1x1',
    title: '1 CPU, 1 line, adapter',
    covers: 'One processor, one line, the adapter with every attribute, map and unmap.',
    pinned: { states: 6934, transitions: 20416 },
    shape: { cpus: 1, lines: 1, ...COHERENT },
  },
  {
    name: 'coherent-1x1-end',
    title: 'The last line of a page',
    covers: 'The same with the last line of a page.',
    pinned: { states: 5326, transitions: 14993 },
    shape: { cpus: 1, lines: 1, atEnd: true, ...COHERENT },
  },
  {
    name: 'coherent-1x2',
    title: '1 CPU, 2 lines, adapter',
    covers: 'One processor, two neighbouring lines, and the adapter.',
    pinned: { states: 262508, transitions: 917376 },
    shape: { cpus: 1, lines: 2, ...COHERENT },
  },
  {
    name: 'coherent-2x1',
    title: '2 CPUs, 1 line, adapter',
    covers: 'Two processors, one line, the adapter with every attribute, map and unmap.',
    pinned: { states: 117084, transitions: 490482 },
    shape: { cpus: 2, lines: 1, ...COHERENT },
  },
  {
    name: 'coherent-2x2-page',
    title: '2 CPUs, 2 lines of a page',
    covers:
      'Two processors, two lines of one page, and the adapter; processors store to first halves.',
    pinned: { states: 4031655, transitions: 18485093 },
    shape: { cpus: 2, lines: 2, ...COHERENT, firstHalf: true },
  },
  {
    name: 'coherent-2x2-pages',
    title: '2 CPUs, 2 pages',
    covers: 'The same with the last line of a page and the first of the next.',
    pinned: { states: 3249481, transitions: 15175835 },
    shape: { cpus: 2, lines: 2, atEnd: true, ...COHERENT, firstHalf: true },
  },
  {
    name: 'noncoherent-2x1',
    title: '2 CPUs, adapter does not snoop',
    covers:
      'Two processors, one line, an adapter that does not snoop, and a driver that flushes and purges.',
    pinned: { states: 1398, transitions: 4581 },
    shape: { cpus: 2, lines: 1, ...ALONE },
  },
  {
    name: 'noncoherent-1x2',
    title: 'Speculation beside a buffer',
    covers: 'One processor that speculates, and a buffer beside the line it works on.',
    pinned: { states: 3991, transitions: 11655 },
    shape: { cpus: 1, lines: 2, ...ALONE, speculate: 2, pending: 2 },
  },
  {
    name: 'packets-uni',
    title: '3 packets, 1 CPU',
    covers: 'Adapter, interrupts, I/O thread and application on one processor; one copy.',
    pinned: { states: 7244, transitions: 13168 },
    shape: { ...HANDED_ON, offload: false, copies: [1, 0] },
  },
  {
    name: 'packets-copied',
    title: '3 packets, 2 CPUs, copied twice',
    covers: 'An I/O processor copies each packet into a message, the application out of it.',
    pinned: { states: 96006, transitions: 251897 },
    shape: { ...HANDED_ON, copies: [1, 1] },
  },
  {
    name: 'packets-pointer',
    title: '3 packets, 2 CPUs, an address',
    covers: 'Messages hold an address, and the application copies.',
    pinned: { states: 20008, transitions: 53536 },
    shape: { ...HANDED_ON, copies: [0, 1] },
  },
  {
    name: 'packets-shared',
    title: '3 packets, 2 CPUs, in place',
    covers: 'One address space: the application reads the buffer that the adapter filled.',
    pinned: { states: 12360, transitions: 32633 },
    shape: HANDED_ON,
  },
];

/** Long runs, by name only. */
export const LONG_PROOFS: readonly Proof[] = [
  {
    name: 'coherent-3x1',
    title: '3 CPUs, 1 line, adapter',
    covers: 'Three processors, one line, the adapter with every attribute, map and unmap.',
    pinned: { states: 2987132, transitions: 14679182 },
    shape: { cpus: 3, lines: 1, ...COHERENT },
  },
  {
    name: 'coherent-2x2-halves',
    title: '2 CPUs, 2 lines, all halves',
    covers: 'Two processors, two lines of one page, and the adapter; stores to any half.',
    pinned: { states: 21430412, transitions: 97297078 },
    shape: { cpus: 2, lines: 2, ...COHERENT },
  },
  {
    name: 'processors-3x2',
    title: '3 CPUs, 2 lines',
    covers: 'Three processors and two lines.',
    pinned: { states: 1935491, transitions: 7764672 },
    shape: { cpus: 3, lines: 2 },
  },
];

const in_ = (part: string, fault: string) => ({ [part]: { fault } });

const fault = (
  name: string,
  title: string,
  config: string,
  params: Setup['params'],
): FaultProof => {
  const proof = [...PROOFS, ...LONG_PROOFS].find((one) => one.name === config);
  if (!proof) throw new Error(`There is no configuration ${config}.`);
  return { name, title, config, shape: proof.shape, ...(params && { params }) };
};

/** Every defect that can be switched on, and where it shows. */
export const FAULTS: readonly FaultProof[] = [
  fault(
    'ok_while_dirty',
    'An owner answers OK while its line is dirty',
    'processors-2x1',
    in_('cache', 'ok_while_dirty'),
  ),
  fault(
    'ok_keeps_shared',
    'OK instead of shared while keeping a copy',
    'processors-2x1',
    in_('cache', 'ok_keeps_shared'),
  ),
  fault(
    'private_leaves_copy',
    'READ private leaves a shared copy',
    'processors-2x1',
    in_('cache', 'private_leaves_copy'),
  ),
  fault(
    'owner_stays_dirty',
    'The owner stays dirty after a copy to a READ shared',
    'processors-2x1',
    in_('cache', 'owner_stays_dirty'),
  ),
  fault(
    'copy_skips_memory',
    'A cache-to-cache copy does not update memory',
    'processors-2x1',
    in_('memory', 'copy_skips_memory'),
  ),
  fault(
    'victim_dropped',
    'A dirty victim is dropped',
    'processors-2x1',
    in_('cache', 'victim_dropped'),
  ),
  fault(
    'store_stays_clean',
    'A store hit does not set dirty',
    'processors-2x1',
    in_('cache', 'store_stays_clean'),
  ),
  fault(
    'buffer_not_snooped',
    'The write-back buffer is not snooped',
    'processors-2x1',
    in_('cache', 'buffer_not_snooped'),
  ),
  fault(
    'store_on_shared',
    'A store to a shared line without a bus transaction',
    'processors-2x1',
    in_('cache', 'store_on_shared'),
  ),
  fault(
    'old_state_in_miss',
    'A snoop during an own miss is answered from the old state',
    'processors-2x1',
    in_('cache', 'old_state_in_miss'),
  ),
  fault('wrong_index', 'A wrong virtual index in the directory', 'coherent-1x1', {
    services: { fault: 'wrong_index' },
    cache: { size: '8 KiB' },
  }),
  fault(
    'fast_on_ragged',
    'A fast write on a ragged edge whose other half is dirty',
    'coherent-1x1',
    in_('services', 'fast_on_ragged'),
  ),
  fault(
    'plain_fetch',
    'A safe write fetches its line with a plain read',
    'coherent-1x1',
    in_('adapter', 'plain_fetch'),
  ),
  fault(
    'ok_while_held',
    'The adapter answers OK at once while it holds the line',
    'coherent-1x1',
    in_('adapter', 'ok_while_held'),
  ),
  fault(
    'write_back_queued',
    "The adapter's write-back queues behind the request it stalls",
    'coherent-1x1',
    in_('adapter', 'write_back_queued'),
  ),
  fault(
    'purge_leaves_copy',
    'Purge writes leave shared copies',
    'coherent-1x1',
    in_('cache', 'purge_leaves_copy'),
  ),
  fault(
    'wrong_half',
    'The merge puts the half in the wrong place',
    'coherent-1x1',
    in_('adapter', 'wrong_half'),
  ),
  fault(
    'tlb_not_purged',
    'The TLB is not purged at unmap',
    'coherent-1x1',
    in_('services', 'tlb_not_purged'),
  ),
  fault(
    'purged_first',
    'The TLB is purged before the entry is cleared',
    'coherent-1x1',
    in_('services', 'purged_first'),
  ),
  fault(
    'prefetch_survives',
    'The prefetch buffer survives unmap',
    'coherent-1x1',
    in_('adapter', 'prefetch_survives'),
  ),
  fault(
    'prefetch_crosses',
    'Prefetch crosses the page',
    'coherent-1x1-end',
    in_('adapter', 'prefetch_crosses'),
  ),
  fault(
    'prefetch_on_written',
    'Prefetch on a page that the processor writes',
    'coherent-1x2',
    in_('services', 'prefetch_on_written'),
  ),
  fault(
    'lock_released',
    'Atomic mode is released between read and write',
    'coherent-1x1',
    in_('adapter', 'lock_released'),
  ),
  fault(
    'second_purge_omitted',
    'The second purge is omitted, with speculation',
    'noncoherent-1x2',
    in_('services', 'second_purge_omitted'),
  ),
  fault(
    'first_sync_omitted',
    'The first flush or purge is omitted',
    'noncoherent-2x1',
    in_('services', 'first_sync_omitted'),
  ),
  fault(
    'early_owner',
    'A descriptor changes hands before its bytes are written',
    'packets-shared',
    in_('ethernet', 'early_owner'),
  ),
  fault(
    'early_message',
    'A message is counted before it is written',
    'packets-shared',
    in_('kernel', 'early_message'),
  ),
  fault(
    'early_release',
    'A buffer goes back once its message is sent',
    'packets-shared',
    in_('tcpip', 'early_release'),
  ),
  fault(
    'released_twice',
    'A buffer goes back again with the next one',
    'packets-shared',
    in_('tcpip', 'released_twice'),
  ),
  fault(
    'lost_wake',
    'A thread looks, and falls asleep a call later',
    'packets-shared',
    in_('kernel', 'lost_wake'),
  ),
];
