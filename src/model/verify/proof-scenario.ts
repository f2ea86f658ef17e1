/** Small nondeterministic machines as scenarios, so that they can be opened and counterexamples can be replayed. */

import { INVARIANTS } from '../../engine/explore';
import { RUNWAY_LINE } from '../../engine/gen/constants';
import {
  type LockShape,
  lockMachine,
  type OrderShape,
  orderMachine,
  type PacketShape,
  packetMachine,
} from './environments';

/** A machine to explore. */
export interface Setup {
  readonly shape: Shape | PacketShape | OrderShape | LockShape;
  /** Parameters that differ, by part: the defect. */
  readonly params?: Readonly<Record<string, Readonly<Record<string, string | boolean>>>>;
}

type Own = NonNullable<Setup['params']>;

/** Choices to replay, the number of events, and the description. */
interface Played {
  readonly way: Uint32Array;
  readonly steps: number;
  /** The violated invariant, by its name in the prover's manifest, and the address concerned. */
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
  /** Maximum pending transactions of each agent; default 1. */
  readonly pending?: number;
  /** Processors also flush and purge. */
  readonly orders?: boolean;
  /** Processors store only to first halves. */
  readonly firstHalf?: boolean;
  /** The line is the last of its page. */
  readonly atEnd?: boolean;
  /**
   * The device is a card behind a PCI bridge; bits are the prover's contracts of what it may do with its mappings.
   */
  readonly card?: number;
  /** Each line has its own mapping, and both may exist at once; the allocator of the addresses. */
  readonly pages?: 'own' | 'pooled';
  /**
   * The device is behind an IOMMU that walks its table in memory, past the caches or snooped, and the pooled
   * library makes its mappings.
   */
  readonly walks?: 'past' | 'snooped';
}

/** The first line: the first of a page, or the last. A second line is adjacent, so it may be on the next page. */
const LINE = 0x1000;
const DIRECTORY = '0x8000';
/** Bus address whose writes interrupt the first processor. */
const INTERRUPT = '0xfff80000';
const CACHE = { size: '64 B', virtual_offset: '0x0', buffer: 1 };

/** Nanoseconds per step in a replay. */
const STEP = 100;

type Place = readonly [x: number, y: number, width: number, height: number];

/** Titles and positions of the parts. */
function placesOf({
  cpus,
  card,
  pages,
  walks,
}: Shape): Readonly<Record<string, { title: string; at: Place }>> {
  const width = Math.floor((812 - (cpus - 1) * 16) / cpus);
  const caches = Array.from({ length: cpus }, (_, i) => {
    const at: Place = [24 + i * (width + 16), 64, width, 58];
    return [`cache${i}`, { title: `Cache ${i}`, at }] as const;
  });
  const adapter: Place = [328, 208, 508, 90];
  return {
    prover: { title: 'Testbench', at: [24, 4, 812, 42] },
    ...Object.fromEntries(caches),
    runway: { title: 'Runway', at: [24, 150, 812, 38] },
    memory: { title: 'Memory', at: [24, 208, 280, 90] },
    services: { title: 'I/O services', at: [24, 316, pages === 'pooled' ? 132 : 280, 42] },
    pools: { title: 'Pools', at: walks ? [24, 316, 280, 42] : [172, 316, 132, 42] },
    iommu: { title: 'IOMMU', at: adapter },
    adapter: { title: 'I/O adapter', at: card ? [328, 196, 508, 68] : adapter },
    hsc: { title: 'HSC', at: [328, 272, 508, 20] },
    bridge: { title: 'PCI bridge', at: [328, 300, 508, 34] },
    bus: { title: 'PCI bus', at: [328, 342, 508, 20] },
  };
}

/** Address of a walked table: next to the first line. */
const TABLE = LINE + 4096;

type Params = Readonly<Record<string, unknown>>;
type Add = (name: string, type: string, own: Params, tables?: object) => void;
type Wires = [string, string][];

/** Entries of the adapter's directory: one for each I/O page that may be allocated. */
const pagesOf = ({ pages }: Shape): number => (pages ? 16 : 2);

/** The adapter and the mapping services of its device. */
function addAdapter(add: Add, wires: Wires, { adapter: mode, pages, card }: Shape): void {
  const geometry = { page_bits: 4, chain_shift: 15, directory: DIRECTORY, virtual_offset: '0x0' };
  add('adapter', 'io_adapter', { ...geometry, mode, rows: 2, buffers: card ? 2 : 1 });
  add('services', 'io_services', { ...geometry, mode, ...(pages && { rows: 2 }) });
  wires.push(['adapter.bus', 'runway.agent8'], ['prover.front', 'cache0.front']);
  wires.push(['prover.services', 'services.cpu0']);
  if (pages !== 'pooled') return;
  const pool = { entries: 3, page: '4 KiB', pools: 1, ends: 'mended', spread: false };
  add('pools', 'iommu_map', { ...pool, flush: 'lazy_mended' });
  wires.push(['services.allocator', 'pools.lends']);
}

/** An IOMMU with one TLB entry, and the service that stores its table entries. */
function addWalks(add: Add, wires: Wires, walks: Shape['walks']): void {
  const table = `0x${TABLE.toString(16)}`;
  const unit = { table, levels: 1, cached: 1, places: 1, snoops: walks === 'snooped' };
  add('iommu', 'iommu', { ...unit, virtual_offset: '0x0' });
  const pool = { entries: 3, page: '4 KiB', base: '0x0', pools: 1, ends: 'mended', spread: false };
  const free = { map_call: '0 ps', demap_call: '0 ps', flush_entries: walks === 'past' };
  add('pools', 'iommu_map', { ...pool, ...free, flush: 'each' });
  wires.push(['iommu.bus', 'runway.agent8'], ['pools.iommu', 'iommu.map']);
  wires.push(['prover.dma', 'iommu.dma0'], ['prover.front', 'cache0.front']);
  wires.push(['prover.services', 'pools.cpu0']);
}

/** The parts between the adapter and a card: HSC, the bridge in its slot, and PCI. */
function addBridge(add: Add, wires: Wires): void {
  add('hsc', 'hsc', {});
  add('bridge', 'hsc_pci', { lines: 1, prefetch: 0, posts: 2, accesses: 2, interrupt: INTERRUPT });
  add('bus', 'pci', {});
  wires.push(['hsc.adapter', 'adapter.hsc'], ['bridge.hsc', 'hsc.slot0']);
  wires.push(['bridge.pci', 'bus.slot0'], ['prover.pci', 'bus.slot1']);
  wires.push(['prover.raise', 'bridge.irq0'], ['cache0.irq', 'prover.irq']);
}

export const handsPacketsOn = (shape: Setup['shape']): shape is PacketShape => 'packets' in shape;

export const withLocks = (shape: Setup['shape']): shape is LockShape => 'rounds' in shape;

export const isOrderProof = (shape: Setup['shape']): shape is OrderShape => 'between' in shape;

const OF_PACKETS = INVARIANTS.indexOf('readers get what was sent');
const OF_ORDER = INVARIANTS.indexOf('a flag is visible only after what was stored before it');
const OF_LOCKS = INVARIANTS.indexOf(
  'a waiter for a lock is delayed by no thread of lower priority but the owner',
);

/** The invariants of a machine: those of caches and adapter, of packets, of locks, or of ordering. */
export function invariantsOf(of: Setup | undefined): readonly (typeof INVARIANTS)[number][] {
  if (of && handsPacketsOn(of.shape))
    return [...INVARIANTS.slice(OF_PACKETS, OF_ORDER), 'no deadlock'];
  if (of && withLocks(of.shape)) return [...INVARIANTS.slice(OF_LOCKS), 'no deadlock'];
  if (!of || !isOrderProof(of.shape)) return INVARIANTS.slice(1, OF_PACKETS);
  return [
    ...(of.shape.between === 'rope' ? (['one writer or many readers'] as const) : []),
    'each device read gets the newest write',
    'once software learns that a device is done, the data is there',
    ...INVARIANTS.slice(OF_ORDER, OF_LOCKS),
  ];
}

/** The prover's parameters for a replay, and the table of choices. */
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

export function proofScenario({ shape, params = {} }: Setup, played?: Played): string {
  if (handsPacketsOn(shape)) return packetScenario(shape, params, played);
  if (withLocks(shape)) return lockScenario(shape, params, played);
  return isOrderProof(shape)
    ? orderScenario(shape, params, played)
    : coherentScenario(shape, params, played);
}

/** An unwired prover: it makes the order of events nondeterministic. */
function freeOrder(place: object, played: Played | undefined) {
  const replay = playing(played);
  return { ...place, type: 'prover', ...replay, params: { step: `${STEP} ns`, ...replay.params } };
}

const restOf = (played: Played | undefined) => ({
  until: lasts(played),
  metrics: {},
  view: { kind: 'machine' },
});

function packetScenario(shape: PacketShape, params: Own, played?: Played): string {
  const { machine, prover, ...runs } = packetMachine(shape, params);
  return JSON.stringify({
    ...headOf(`State space: ${shape.packets} packets, ${shape.ring} buffers`, played),
    system: 'soc',
    machine: { ...machine, parts: { ...machine.parts, prover: freeOrder(prover, played) } },
    ...runs,
    ...restOf(played),
  });
}

function lockScenario(shape: LockShape, params: Own, played?: Played): string {
  const { machine, prover, ...runs } = lockMachine(shape, params);
  return JSON.stringify({
    ...headOf('State space: three threads, one lock', played),
    system: 'soc',
    machine: { ...machine, parts: { ...machine.parts, prover: freeOrder(prover, played) } },
    ...runs,
    ...restOf(played),
  });
}

function orderScenario(shape: OrderShape, params: Own, played?: Played): string {
  const { parts, wires, prover } = orderMachine(shape, params);
  return JSON.stringify({
    ...headOf(
      shape.between === 'rope'
        ? 'State space: processors, a rope and a card'
        : 'State space: a host, a bridge and a card',
      played,
    ),
    system: 'zx1',
    machine: { parts: { ...parts, prover: freeOrder(prover, played) }, wires },
    ...restOf(played),
  });
}

/** A machine of provers: memory comes first, because its shadow memory names the writes. */
function coherentScenario(shape: Shape, params: Own, played?: Played): string {
  const { cpus, lines, adapter, card, pages, walks, speculate = 0 } = shape;
  const line = shape.atEnd || pages ? LINE + 4096 - RUNWAY_LINE : LINE;
  const at = (address: number) => `0x${address.toString(16)}`;
  const parts: Record<string, object> = {};
  const wires: Wires = [['runway.memory', 'memory.bus']];
  const places = placesOf(shape);
  const add: Add = (name, type, own, tables) => {
    const { title, at: place } = places[name] ?? {};
    parts[name] = { type, title, at: place, params: { ...own, ...params[name] }, tables };
  };
  add('memory', 'memory_controller', {
    tracked_from: at(line),
    tracked: `${(lines + (walks ? 1 : 0)) * RUNWAY_LINE} B`,
    written: true,
    directory: adapter === 'coherent' ? DIRECTORY : walks ? at(TABLE) : '0x0',
    directory_bytes: adapter === 'coherent' ? `${8 * pagesOf(shape)} B` : walks ? '32 B' : '0 B',
    ...(walks === 'past' && { two_values: true }),
  });
  add('runway', 'runway', { arbitration: 0, pending: shape.pending ?? 1 });
  for (let i = 0; i < cpus; i++) {
    const interrupt = card && i === 0 ? { interrupt: INTERRUPT } : {};
    add(`cache${i}`, 'snoop_cache', { ...CACHE, ...interrupt, speculate, ...params.cache });
    wires.push([`prover.cpu${i}`, `cache${i}.cpu`], [`cache${i}.bus`, `runway.agent${i}`]);
  }
  if (adapter) addAdapter(add, wires, shape);
  if (walks) addWalks(add, wires, walks);
  if (card) addBridge(add, wires);
  else if (adapter) wires.push(['prover.hsc', 'adapter.hsc']);
  const choices = {
    lines,
    line_0: at(line),
    line_1: at(line + (walks ? 2 : 1) * RUNWAY_LINE),
    coherent: adapter !== 'none',
    orders: shape.orders ?? false,
    first_half: shape.firstHalf ?? false,
    ...(card && { contracts: card }),
    ...(pages && { pages: true }),
    step: `${STEP} ns`,
  };
  const replay = playing(played);
  add('prover', 'prover', { ...choices, ...replay.params }, replay.tables);
  return JSON.stringify({
    ...headOf(`State space: ${cpus} processors, ${lines} ${lines > 1 ? 'lines' : 'line'}`, played),
    system: 'hp',
    machine: { parts, wires },
    until: lasts(played),
    metrics: {},
    view: { kind: 'machine' },
  });
}
