/**
 * The table that an IOMMU walks: the memory location and contents of each entry, in a cache or in memory. Entry
 * formats are those of wasm/registers/iommu.json.
 */
import type { ParamName } from '../../engine/gen/names';
import { type EntryBits, IOMMU_ENTRY } from '../../engine/gen/registers';
import { coherentMachine, PAGE_BYTES, type RoleMachine } from './coherence-roles';

const [ENTRY_BYTES, TABLE_ENTRIES] = [8, 512];

export interface TableWalk {
  readonly unit: number;
  readonly memory: number;
  /** Row of the memory's directory view that holds an entry. */
  rowOf(entry: number): number;
  /** Size of the page mapped by an entry. */
  readonly pageBytes: number;
}

/** A decoded entry. */
export interface TableEntry {
  readonly valid: boolean;
  readonly page: number;
}

type Parts = RoleMachine['parts'];

function paramOf(parts: Parts, part: number, name: ParamName): number {
  const index = parts[part]?.type.params.findIndex((spec) => spec.name === name) ?? -1;
  return Number(parts[part]?.params[index]?.value ?? 0);
}

/** The table of a unit that is wired to memory; null for any other part. */
export function tableWalkOf(machine: RoleMachine, unit: number): TableWalk | null {
  const { parts, wires } = machine;
  const { memory } = coherentMachine(machine);
  const ends = (port: string) =>
    wires.find((wire) => wire.ends.some((end) => end.part === unit && end.port === port))?.ends;
  const service = ends('map')?.find(({ part }) => part !== unit)?.part;
  if (parts[unit]?.type.name !== 'iommu' || !ends('bus') || service === undefined) return null;
  if (!memory || memory.directory === null) return null;
  const upper = Math.ceil(paramOf(parts, service, 'entries') / TABLE_ENTRIES) * ENTRY_BYTES;
  const above = paramOf(parts, unit, 'levels') > 1 ? Math.ceil(upper / PAGE_BYTES) * PAGE_BYTES : 0;
  const first = (paramOf(parts, unit, 'table') + above - memory.directory) / ENTRY_BYTES;
  return {
    unit,
    memory: memory.part,
    rowOf: (entry) => first + entry,
    pageBytes: paramOf(parts, service, 'page'),
  };
}

const bitsOf = (word: number, from: number, to: number): number =>
  Math.floor(word / 2 ** (31 - to)) % 2 ** (to - from + 1);

const numberAt = (field: EntryBits | undefined, high: number, low: number): number =>
  (field?.bits ?? []).reduce(
    (value, [word, from, to]) =>
      value * 2 ** (to - from + 1) + bitsOf(word === 0 ? high : low, from, to),
    0,
  );

/** Decodes an entry of two words. */
export function tableEntryAt(high: number, low: number): TableEntry {
  const field = (name: string) => IOMMU_ENTRY.find((one) => one.name === name);
  return {
    valid: numberAt(field('valid'), high, low) > 0,
    page: numberAt(field('page'), high, low) * PAGE_BYTES,
  };
}
