/**
 * The map of a machine's addresses: the windows that its parts answer on each bus, the stretches of memory that
 * parameters set aside, and what the programs access. Dragging a region changes its parameters.
 */
import type { AddressSpec } from '../../engine/manifest';
import { Addresses } from '../scenario/address-map';
import type { CompiledParam } from '../scenario/compiled';
import { nearestLegal } from '../scenario/param-rules';
import { type ItemFile, isLoop } from '../scenario/program-loops';
import { toInteger, toText } from '../scenario/values';
import { setPartParam, threadsOf } from './build-file';
import type { BuildFile } from './build-types';
import type { Draft, DraftPart } from './draft';

export interface AddressRegion {
  readonly id: string;
  /** Index of the part in the draft. */
  readonly part: number;
  /** "registers", "memory", "bytes tracked". */
  readonly title: string;
  readonly from: bigint;
  /** Exclusive. */
  readonly end: bigint;
  /** A part answers there, so that no other may. */
  readonly isClaim: boolean;
  /** Names of the parameters with the first address and the size; null for what they cannot change. */
  readonly fromParam: string | null;
  readonly bytesParam: string | null;
  /** Its size is not known: it is drawn as its first word. */
  readonly isPoint?: true;
}

/** Regions seen from one place: on a bus, in memory, or by programs. */
export interface AddressSpace {
  readonly id: string;
  readonly title: string;
  readonly regions: readonly AddressRegion[];
}

export interface AddressOverlap {
  readonly space: string;
  readonly regions: readonly [string, string];
  readonly from: bigint;
  readonly end: bigint;
}

const PAGE = 4096n;
/** What a load or store of a device register accesses. */
const WORD = 4n;
/** Programs with more rows are shown by their first ones. */
const MAX_ROWS = 200;
/** More ranges that programs access are joined, until they can be told apart on the map. */
const MAX_RANGES = 6;

const paramOf = (part: DraftPart, name: string | undefined): CompiledParam | undefined =>
  part.params.find(({ spec }) => spec.name === name);

/** A parameter that a drag may change: one with a value of its own, not a variable's. */
const settable = (part: DraftPart, name: string | undefined): string | null => {
  const param = paramOf(part, name);
  return param && !param.variable ? param.spec.name : null;
};

const term = (part: DraftPart, name = '0'): bigint => paramOf(part, name)?.value ?? BigInt(name);

/** The bus, or the bridge to several buses, on which a window is seen; null if it is seen on none. */
function spaceOf(draft: Draft, addresses: Addresses, part: number, { at }: AddressSpec) {
  const [[, peer] = []] = addresses.peersAt(part, at.port, at.index);
  const bus = peer && draft.parts[peer.part];
  if (!peer || !bus) return null;
  const port = bus.type.ports.find(
    ({ first, count }) => peer.slot >= first && peer.slot < first + count,
  )?.name;
  const passes = bus.type.addresses?.some(
    ({ to, from, numbered }) => to?.port === port && from === undefined && !numbered,
  );
  return passes ? { id: `bus ${bus.name}`, title: bus.title } : null;
}

function windows(draft: Draft): Map<string, AddressSpace> {
  const addresses = new Addresses(draft.parts, draft.wires);
  const spaces = new Map<string, AddressSpace>();
  draft.parts.forEach((part, index) => {
    for (const spec of part.type.addresses ?? []) {
      if (spec.from === undefined || !spec.region) continue;
      const from = term(part, spec.from);
      if (spec.none !== undefined && from === BigInt(spec.none)) continue;
      if (spec.requiresWired && addresses.peersAt(index, spec.requiresWired).length === 0) continue;
      const space = spaceOf(draft, addresses, index, spec);
      if (!space) continue;
      const bytes = term(part, spec.bytes) * BigInt(spec.times ?? 1);
      const { regions } = spaces.get(space.id) ?? { regions: [] };
      const region: AddressRegion = {
        id: `${part.name} ${spec.region} ${space.id}`,
        ...{ part: index, title: spec.region, from, end: from + bytes, isClaim: true },
        fromParam: settable(part, spec.from),
        bytesParam: spec.times ? null : settable(part, spec.bytes),
      };
      spaces.set(space.id, { ...space, regions: [...regions, region] });
    }
  });
  return spaces;
}

/** Stretches of memory that two parameters give: where a table stands, which bytes are tracked or uncached. */
function inMemory(draft: Draft): AddressRegion[] {
  return draft.parts.flatMap((part, index) => {
    const { values } = part.type;
    const named = part.params
      .filter(({ spec }) => spec.type === 'address' && spec.name.endsWith('_from'))
      .map(({ spec: { name } }) => ({ from: name, bytes: name.slice(0, -'_from'.length) }));
    return [...named, ...(values ? [values] : [])].flatMap((pair): AddressRegion[] => {
      const [from, bytes] = [paramOf(part, pair.from), paramOf(part, pair.bytes)];
      if (!from || bytes?.spec.type !== 'bytes' || bytes.value === 0n) return [];
      const title = (pair === values ? from : bytes).spec.title;
      return [
        {
          id: `${part.name} ${pair.from}`,
          ...{ part: index, title, from: from.value, end: from.value + bytes.value },
          isClaim: false,
          fromParam: settable(part, pair.from),
          bytesParam: settable(part, pair.bytes),
        },
      ];
    });
  });
}

/** Addresses that are limits or differences, not places. */
const NO_PLACES: ReadonlySet<string> = new Set(['reach', 'virtual_offset']);

/** Single addresses that parameters give, such as an interrupt register: only the first word of each is known. */
function points(draft: Draft, known: readonly AddressRegion[]): AddressRegion[] {
  return draft.parts.flatMap((part, index) =>
    part.params.flatMap(({ spec, value }): AddressRegion[] => {
      const { name, type, title } = spec;
      const isKnown = known.some((one) => one.part === index && one.fromParam === name);
      const isFree = type === 'address' && !NO_PLACES.has(name) && !name.endsWith('_from');
      if (!isFree || isKnown || value === 0n) return [];
      const id = `${part.name} ${name}`;
      const at = { part: index, title, from: value, end: value + WORD, isClaim: false };
      return [{ id, ...at, fromParam: settable(part, name), bytesParam: null, isPoint: true }];
    }),
  );
}

const plainRows = (items: readonly ItemFile[]): Record<string, unknown>[] =>
  items.flatMap((item) => (isLoop(item) ? plainRows(item.rows) : [item]));

function numberIn(value: unknown, type: string): bigint | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const found = toInteger(value, type, {});
  return typeof found === 'bigint' ? found : null;
}

interface Access {
  readonly from: bigint;
  end: bigint;
  readonly parts: Set<number>;
}

/** Ranges, from low to high, of which neighbours less than `apart` apart are one. */
function joinedWithin(ranges: readonly Access[], apart: bigint): readonly Access[] {
  const joined: Access[] = [];
  for (const { from, end, parts } of ranges) {
    const last = joined.at(-1);
    if (last && from - last.end < apart) {
      last.end = end > last.end ? end : last.end;
      for (const part of parts) last.parts.add(part);
    } else joined.push({ from, end, parts: new Set(parts) });
  }
  return joined;
}

/** What programs access, without addresses that depend on variables. Neighbours are joined. */
function accessed(file: BuildFile, draft: Draft): AddressRegion[] {
  const ranges = draft.parts
    .flatMap(({ name }, part) =>
      threadsOf(file, name)
        .flatMap(plainRows)
        .slice(0, MAX_ROWS)
        .flatMap((row) =>
          ['from', 'to'].flatMap((field): Access[] => {
            const from = numberIn(row[field], 'address');
            const bytes = numberIn(row.bytes, 'bytes') ?? WORD;
            return from === null || bytes === 0n
              ? []
              : [{ from, end: from + bytes, parts: new Set([part]) }];
          }),
        ),
    )
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  let apart = PAGE;
  let joined = joinedWithin(ranges, apart);
  for (; joined.length > MAX_RANGES; joined = joinedWithin(ranges, apart)) apart *= 2n;
  return joined.map(({ from, end, parts }): AddressRegion => {
    const titles = [...parts].map((part) => draft.parts[part]?.title ?? '');
    return {
      id: `accessed ${from}`,
      ...{ part: [...parts][0] ?? 0, title: `accessed by ${titles.join(', ')}`, from, end },
      ...{ isClaim: false, fromParam: null, bytesParam: null },
    };
  });
}

/** Spaces with their regions from low to high addresses: buses first, then memory, single addresses, then programs. */
export function addressSpaces(file: BuildFile | null, draft: Draft): AddressSpace[] {
  const memory = inMemory(draft);
  const onBuses = [...windows(draft).values()];
  const known = [...memory, ...onBuses.flatMap(({ regions }) => regions)];
  const programs = file ? accessed(file, draft) : [];
  const all = [
    ...onBuses,
    { id: 'memory', title: 'In memory', regions: memory },
    { id: 'points', title: 'Single addresses', regions: points(draft, known) },
    { id: 'programs', title: 'Programs', regions: programs },
  ].filter(({ regions }) => regions.length > 0);
  return all.map((space) => ({
    ...space,
    regions: space.regions.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0)),
  }));
}

/** Where two parts answer on one bus. */
export function overlapsIn(spaces: readonly AddressSpace[]): AddressOverlap[] {
  return spaces.flatMap(({ id: space, regions }) =>
    regions
      .filter(({ isClaim }) => isClaim)
      .flatMap((a, i, claims) =>
        claims.slice(i + 1).flatMap((b): AddressOverlap[] => {
          const from = a.from > b.from ? a.from : b.from;
          const end = a.end < b.end ? a.end : b.end;
          return from < end ? [{ space, regions: [a.id, b.id], from, end }] : [];
        }),
      ),
  );
}

export interface RegionEdit {
  readonly from: bigint;
  readonly bytes: bigint;
}

/** What is dragged: the whole region, or one of its edges. */
export type RegionGrip = 'block' | 'start' | 'end';

const lowestBit = (value: bigint): bigint => (value > 0n ? value & -value : 1n);

/** The largest power of two that a region's place and size keep, at least a page if they do: a natural step. */
export const stepOf = ({ from, end }: AddressRegion): bigint => {
  const natural = lowestBit(end - from);
  const step = natural < PAGE ? natural : PAGE;
  return from % natural === 0n ? natural : step;
};

const limited = (value: bigint, part: DraftPart, name: string): bigint => {
  const param = paramOf(part, name);
  if (!param) return value;
  const [min, max] = [BigInt(param.spec.min), BigInt(param.spec.max)];
  const inside = value < min ? min : value > max ? max : value;
  return nearestLegal(inside, param.spec, (other) => paramOf(part, other)?.value ?? 0n);
};

/** The place and size that a grip at an address gives a region, as its parameters allow them. */
export function editedRegion(
  region: AddressRegion,
  part: DraftPart,
  grip: RegionGrip,
  to: bigint,
): RegionEdit {
  const { from, end, fromParam, bytesParam } = region;
  const bytes = end - from;
  if (grip === 'block')
    return { from: fromParam ? limited(to < 0n ? 0n : to, part, fromParam) : from, bytes };
  if (!bytesParam) return { from, bytes };
  const wanted = grip === 'end' ? to - from : end - to;
  const size = limited(wanted < 1n ? 1n : wanted, part, bytesParam);
  if (grip === 'end' || !fromParam) return { from, bytes: size };
  const start = end - size;
  return { from: limited(start < 0n ? 0n : start, part, fromParam), bytes: size };
}

/** The file with a region's new place and size. */
export function withRegion(
  file: BuildFile,
  part: DraftPart,
  { from, end, fromParam, bytesParam }: AddressRegion,
  edit: RegionEdit,
): BuildFile {
  const set = (now: BuildFile, name: string | null, value: bigint, before: bigint) => {
    const param = name === null ? undefined : paramOf(part, name);
    if (!param || value === before) return now;
    return setPartParam(now, part.name, param.spec.name, toText(value, param.spec.type, {}));
  };
  const placed = set(file, fromParam, edit.from, from);
  return set(placed, bytesParam, edit.bytes, end - from);
}
