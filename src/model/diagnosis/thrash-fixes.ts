/**
 * Suggested fixes for I/O TLB thrashing: another allocator, more rows, or a driver hint about the order of buffers.
 * A run shows which of them helps.
 */

import type { ParamName } from '../../engine/gen/names';
import type { TlbRole } from '../coherence/coherence-roles';
import { type CompiledMachine, type CompiledPart, settingOf } from '../scenario/compiled';
import { allPrograms } from '../scenario/program-overrides';
import type { Assignment, Scenario, Value } from '../scenario/scenario-types';
import type { Fix } from './fixes';

const PAGE_BITS = 12;

const numberIn = (part: CompiledPart, name: ParamName): number | null => {
  const setting = settingOf(part, name);
  return setting === null ? null : Number(setting);
};

/** The other allocators of the mapping services. */
function allocators({ parts, wires }: CompiledMachine): Fix[] {
  return parts.flatMap((part) => {
    const now = settingOf(part, 'allocator');
    if (now === null || !part.type.executes?.includes('map')) return [];
    const isWired = wires.some(({ ends }) =>
      ends.some((end) => end.part === part.index && end.port === 'allocator'),
    );
    return (part.type.enums.allocator ?? [])
      .filter(({ name }) => name !== now && (name !== 'wired' || isWired))
      .map(({ name, title }) => ({ title, edits: { [`${part.name}.allocator`]: name } }));
  });
}

/** Address bits within a range; a chain ID in lower bits would split ranges. */
const rangeBits = ({ parts }: CompiledMachine): number =>
  PAGE_BITS + Math.log2(Math.max(1, ...parts.map((part) => numberIn(part, 'range_pages') ?? 1)));

/** More rows and as many chains: an address then has one more bit of chain and one less of block. */
function moreRows(machine: CompiledMachine, tlb: TlbRole): Fix[] {
  const adapter = machine.parts[tlb.part];
  const bits = adapter && numberIn(adapter, 'page_bits');
  if (!adapter || !bits) return [];
  const most = 2 ** (bits + PAGE_BITS - rangeBits(machine));
  return [...new Set([tlb.rows * 2, most])]
    .filter((rows) => rows > tlb.rows && rows <= most)
    .map((rows) => {
      const shift = Math.min(tlb.chainShift, bits + PAGE_BITS - Math.log2(rows));
      const divided = machine.parts.filter((part) => numberIn(part, 'chain_shift') !== null);
      const edits: [string, Value][] = divided.flatMap(({ name }) => [
        [`${name}.rows`, rows],
        [`${name}.chain_shift`, shift],
      ]);
      const each = rows === most ? ', one for each range' : '';
      return { title: `${rows} rows${each}`, edits: Object.fromEntries(edits) };
    });
}

const MAPPING = new Set(['map', 'map_buffer', 'dma_in', 'dma_out']);

const maps = ({ do: what }: Assignment): boolean => MAPPING.has(String(what));

/** Drivers' programs with a first row that declares sequential buffers. */
function inSequence({ parts }: CompiledMachine, data: Scenario): Fix[] {
  if (!parts.some(({ type }) => type.executes?.includes('set_attributes'))) return [];
  const changed = allPrograms(data).flatMap(([name, rows]) => {
    const fields = rows.map((row) => row.fields);
    const isPlain = fields.every(({ do: what }) => what !== 'thread' && what !== 'set_attributes');
    return isPlain && fields.some(maps)
      ? [[name, [{ do: 'set_attributes', count: 1 }, ...fields]] as const]
      : [];
  });
  const title = 'Drivers say that their devices take buffers in sequence';
  return changed.length === 0 ? [] : [{ title, edits: {}, programs: Object.fromEntries(changed) }];
}

export const thrashFixes = (machine: CompiledMachine, tlb: TlbRole, data: Scenario): Fix[] => [
  ...allocators(machine),
  ...moreRows(machine, tlb),
  ...inSequence(machine, data),
];
