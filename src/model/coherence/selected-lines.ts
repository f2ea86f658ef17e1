/**
 * Translates a selection for panels that show lines and translations: to a memory address, an I/O address and a row
 * of the I/O TLB. A selected line is stored as view `address` of the part in which it was picked. The TLB contents
 * at the playhead connect memory and I/O addresses.
 */

import type { Selection } from '../session/selection';
import type { Trace } from '../trace/trace';
import {
  blockOf,
  type CoherentMachine,
  chainOf,
  ioPageOf,
  PAGE_BYTES,
  type TlbRole,
} from './coherence-roles';

export interface Places {
  /** Memory address. */
  readonly address: number | null;
  /** Address used by devices. */
  readonly io: number | null;
  readonly chain: number | null;
}

/** Columns of the view `tlb` in a frame. */
export interface TlbColumns {
  column(field: string): ArrayLike<number> | undefined;
}

export const NOWHERE: Places = { address: null, io: null, chain: null };

/** Whether a part is the translating adapter or behind it: an I/O bus or a device. */
function isBehind({ machine, tlb }: CoherentMachine, part: number): boolean {
  if (tlb === null || !tlb.translates) return false;
  return part === tlb.part || tlb.bus === part || machine.parts[part]?.type.actor === 'device';
}

/** The memory address of an I/O address, if a TLB row holds its translation. */
export function physicalOf(tlb: TlbRole, rows: TlbColumns | null, io: number): number | null {
  const chain = chainOf(tlb, io);
  const at = (field: string) => rows?.column(field)?.[chain] ?? 0;
  if (!at('valid') || at('block') !== blockOf(tlb, io)) return null;
  return at('page') * PAGE_BYTES + (io % PAGE_BYTES);
}

/** The I/O address that a TLB row translates to a memory address. */
function ioOf(tlb: TlbRole, rows: TlbColumns | null, address: number): number | null {
  const [valid, page, block] = ['valid', 'page', 'block'].map((field) => rows?.column(field));
  const target = Math.floor(address / PAGE_BYTES);
  for (let chain = 0; chain < (page?.length ?? 0); chain++)
    if (valid?.[chain] && page?.[chain] === target)
      return ioPageOf(tlb, chain, block?.[chain] ?? 0) * PAGE_BYTES + (address % PAGE_BYTES);
  return null;
}

/** Completes addresses on both sides of the adapter, using the TLB at the playhead. */
export function joined({ tlb }: CoherentMachine, rows: TlbColumns | null, places: Places): Places {
  const { address, io } = places;
  if (!tlb || (address === null) === (io === null)) return places;
  if (io !== null) return { ...places, address: physicalOf(tlb, rows, io) };
  const found = ioOf(tlb, rows, address ?? 0);
  return found === null ? places : { ...places, io: found, chain: chainOf(tlb, found) };
}

/**
 * Events of memory-side parts contain physical addresses; events of the adapter and the parts behind it contain I/O
 * addresses.
 */
function placesOfEvent(coherent: CoherentMachine, trace: Trace | null, seq: number): Places {
  const [record, event] = [trace?.record(seq), trace?.event(seq)];
  const field = event?.fields.find(({ as }) => as === 'address');
  if (!record || !field) return NOWHERE;
  const at = record[field.slot as 'a' | 'b' | 'c'];
  const { caches, memory, tlb } = coherent;
  if (tlb && isBehind(coherent, record.part))
    return { address: null, io: at, chain: chainOf(tlb, at) };
  const isBus = event?.fields.some(({ name }) => name === 'master') ?? false;
  const isLine =
    isBus || record.part === memory?.part || caches.some(({ part }) => part === record.part);
  const isFollowed = memory !== null && at >= memory.from && at < memory.from + memory.bytes;
  return isLine && isFollowed ? { ...NOWHERE, address: at } : NOWHERE;
}

export function placesOf(coherent: CoherentMachine, trace: Trace | null, what: Selection): Places {
  const { part, view, index, event } = what;
  if (view === 'address') return { ...NOWHERE, address: index };
  if (view === 'tlb' && part === coherent.tlb?.part) return { ...NOWHERE, chain: index };
  return event === null ? NOWHERE : placesOfEvent(coherent, trace, event);
}
