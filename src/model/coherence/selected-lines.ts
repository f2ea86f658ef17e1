/**
 * What a selection means to those who show lines and translations: an address of memory, an I/O address, a
 * row of the I/O TLB. A line is selected as view `address` of the part it was picked in, at its address.
 * What the TLB holds at the playhead joins the two sides.
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
  /** Address in memory. */
  readonly address: number | null;
  /** Address as devices use it. */
  readonly io: number | null;
  readonly chain: number | null;
}

/** Columns of the view `tlb`, as a frame brings them. */
export interface TlbColumns {
  column(field: string): ArrayLike<number> | undefined;
}

export const NOWHERE: Places = { address: null, io: null, chain: null };

/** The adapter that translates, and what lies behind it: I/O buses and devices. */
function isBehind({ machine, tlb }: CoherentMachine, part: number): boolean {
  if (tlb === null || !tlb.translates) return false;
  return part === tlb.part || tlb.bus === part || machine.parts[part]?.type.actor === 'device';
}

/** Where an I/O address leads in memory, if a row of the TLB holds its translation. */
export function physicalOf(tlb: TlbRole, rows: TlbColumns | null, io: number): number | null {
  const chain = chainOf(tlb, io);
  const at = (field: string) => rows?.column(field)?.[chain] ?? 0;
  if (!at('valid') || at('block') !== blockOf(tlb, io)) return null;
  return at('page') * PAGE_BYTES + (io % PAGE_BYTES);
}

/** The I/O address that a row of the TLB leads from to an address of memory. */
function ioOf(tlb: TlbRole, rows: TlbColumns | null, address: number): number | null {
  const [valid, page, block] = ['valid', 'page', 'block'].map((field) => rows?.column(field));
  const wanted = Math.floor(address / PAGE_BYTES);
  for (let chain = 0; chain < (page?.length ?? 0); chain++)
    if (valid?.[chain] && page?.[chain] === wanted)
      return ioPageOf(tlb, chain, block?.[chain] ?? 0) * PAGE_BYTES + (address % PAGE_BYTES);
  return null;
}

/** The same place on both sides of the adapter, as the TLB translates at the playhead. */
export function joined({ tlb }: CoherentMachine, rows: TlbColumns | null, places: Places): Places {
  const { address, io } = places;
  if (!tlb || (address === null) === (io === null)) return places;
  if (io !== null) return { ...places, address: physicalOf(tlb, rows, io) };
  const found = ioOf(tlb, rows, address ?? 0);
  return found === null ? places : { ...places, io: found, chain: chainOf(tlb, found) };
}

/** Events on the side of memory name physical addresses, those of the adapter and behind it I/O addresses. */
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
