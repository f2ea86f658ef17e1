/**
 * Finds the coherent parts of a machine: caches with line states, memory that tracks writes, an adapter with an I/O
 * TLB. Parts are recognized by their manifests, not by name.
 */
import { RUNWAY_LINE } from '../../engine/gen/constants';
import type { ParamName, ViewField, ViewName } from '../../engine/gen/names';
import type { PartType } from '../../engine/manifest';
import type { CompiledMachine } from '../scenario/compiled';
import { portOwner, type TracedWire } from '../trace/event-text';

interface RolePart {
  readonly title: string;
  readonly type: PartType;
  readonly params: readonly { readonly value: bigint }[];
}

export interface RoleMachine {
  readonly parts: readonly RolePart[];
  readonly wires: readonly TracedWire[];
}

export interface CacheRole {
  readonly part: number;
  readonly title: string;
  readonly lineBytes: number;
  readonly ways: number;
}

/** Memory that tracks writes in a window of addresses. */
export interface MemoryRole {
  readonly part: number;
  readonly title: string;
  readonly from: number;
  readonly bytes: number;
  /** Address of the first entry of the I/O page directory, if the memory shows it. */
  readonly directory: number | null;
}

/** Layout of an I/O virtual address: [ chain | block | 12 bits within the page ]. */
export interface TlbGeometry {
  readonly rows: number;
  readonly chainShift: number;
}

export interface TlbRole extends TlbGeometry {
  readonly part: number;
  readonly title: string;
  /** Devices use I/O addresses, which the adapter translates. */
  readonly translates: boolean;
  /** The bus of the devices; null if there is none. */
  readonly bus: number | null;
  /** The part at a slot of the I/O bus; null if none. */
  device(slot: number): number | null;
}

export interface CoherentMachine {
  readonly machine: RoleMachine;
  readonly caches: readonly CacheRole[];
  readonly memory: MemoryRole | null;
  readonly tlb: TlbRole | null;
}

export const PAGE_BYTES = 4096;
export const PAGE_LINES = PAGE_BYTES / RUNWAY_LINE;

const shows = ({ views }: PartType, name: ViewName, ...fields: ViewField[]): boolean =>
  views.some(
    (view) =>
      view.name === name && fields.every((field) => view.fields.some((at) => at.name === field)),
  );

const param = (part: RolePart, name: ParamName): number =>
  Number(part.params[part.type.params.findIndex((spec) => spec.name === name)]?.value ?? 0);

/** Name of a parameter's choice; null if it has none. */
function member({ type, params }: RolePart, name: ParamName): string | null {
  const index = type.params.findIndex((spec) => spec.name === name);
  const members = type.enums[type.params[index]?.type ?? ''];
  return members?.[Number(params[index]?.value ?? 0)]?.name ?? null;
}

const isCache = ({ type }: RolePart): boolean =>
  shows(type, 'lines', 'tag', 'state') && shows(type, 'rows', 'state', 'protocol_event', 'next');

function memoryRole(part: RolePart, index: number): MemoryRole | null {
  if (!shows(part.type, 'cells', 'write', 'newest')) return null;
  const directory = shows(part.type, 'directory', 'low', 'high') ? param(part, 'directory') : null;
  const [from, bytes] = [param(part, 'tracked_from'), param(part, 'tracked')];
  return { part: index, title: part.title, from, bytes, directory };
}

function tlbRole(machine: RoleMachine, part: RolePart, index: number): TlbRole | null {
  if (!shows(part.type, 'tlb', 'valid', 'block', 'lookups', 'misses')) return null;
  const bus = busBehind(machine, index);
  return {
    part: index,
    title: part.title,
    rows: Math.max(1, param(part, 'rows')),
    chainShift: param(part, 'chain_shift'),
    translates: member(part, 'mode') !== 'none' && member(part, 'mode') !== 'snooped',
    bus,
    device: (slot) => {
      if (bus === null || machine.parts[bus]?.type.actor !== 'bus') return bus;
      const found = portOwner(machine, bus, slot);
      return found < 0 || found === index ? null : found;
    },
  };
}

/** The I/O bus: the adapter's other bus, to which devices are wired. It may be a single device. */
function busBehind({ wires }: RoleMachine, adapter: number): number | null {
  for (const { ends } of wires)
    for (const [own, other] of [ends, [ends[1], ends[0]] as const])
      if (own.part === adapter && own.port === 'hsc') return other.part;
  return null;
}

const first = <T>(values: readonly (T | null)[]): T | null =>
  values.find((value) => value !== null) ?? null;

function findRoles(machine: RoleMachine): CoherentMachine {
  const { parts } = machine;
  const caches = parts.flatMap((part, index): CacheRole[] =>
    isCache(part)
      ? [
          {
            part: index,
            title: part.title,
            lineBytes: param(part, 'line') || RUNWAY_LINE,
            ways: param(part, 'ways') || 1,
          },
        ]
      : [],
  );
  return {
    machine,
    caches,
    memory: first(parts.map(memoryRole)),
    tlb: first(parts.map((part, index) => tlbRole(machine, part, index))),
  };
}

const known = new WeakMap<RoleMachine, CoherentMachine>();

/** The roles in a machine; memoized per machine. */
export function coherentMachine(machine: RoleMachine): CoherentMachine {
  const roles = known.get(machine) ?? findRoles(machine);
  known.set(machine, roles);
  return roles;
}

/** View requests by part and view name; views that a part does not have are left out. */
export function viewsOf(
  { machine }: CoherentMachine,
  views: readonly (readonly [part: number, ...views: string[]])[],
) {
  return views.flatMap(([part, ...names]) =>
    names.flatMap((name) => {
      const view = machine.parts[part]?.type.views.findIndex((spec) => spec.name === name) ?? -1;
      return view < 0 ? [] : [{ part, view }];
    }),
  );
}

/** TLB row of an I/O address. */
export const chainOf = ({ rows, chainShift }: TlbGeometry, ioAddress: number): number =>
  Math.floor(ioAddress / 2 ** chainShift) % rows;

const lowBits = ({ chainShift }: TlbGeometry): number => 2 ** Math.max(0, chainShift - 12);

/** The page number without the chain: the tag of a row. */
export function blockOf(tlb: TlbGeometry, ioAddress: number): number {
  const [page, low] = [Math.floor(ioAddress / PAGE_BYTES), lowBits(tlb)];
  return Math.floor(page / (low * tlb.rows)) * low + (page % low);
}

/** The I/O page number translated by a row with this tag: the index of the page directory entry. */
export function ioPageOf(tlb: TlbGeometry, chain: number, block: number): number {
  const low = lowBits(tlb);
  return (Math.floor(block / low) * tlb.rows + chain) * low + (block % low);
}

/** The part whose queue follows the PCI ordering rules. */
export function orderedPart({ parts }: Pick<CompiledMachine, 'parts'>): number | null {
  const found = parts.find(({ type }) => type.name === 'lba');
  return found ? found.index : null;
}
