/**
 * What a selection means to those who show lines and translations: an address of memory, a row of the I/O
 * TLB. A line is selected as view `address` of the part it was picked in, at its address.
 */
import { type CoherentMachine, chainOf } from './coherent';
import type { Selection } from './selection';
import type { Trace } from './trace';

export interface Places {
  readonly address: number | null;
  readonly chain: number | null;
}

const NOWHERE: Places = { address: null, chain: null };

/** Events on the side of memory name physical addresses, those of the adapter and behind it I/O addresses. */
function placesOfEvent(coherent: CoherentMachine, trace: Trace | null, seq: number): Places {
  const [record, event] = [trace?.record(seq), trace?.event(seq)];
  const field = event?.fields.find(({ as }) => as === 'address');
  if (!record || !field) return NOWHERE;
  const at = record[field.slot as 'a' | 'b' | 'c'];
  const { caches, memory, tlb } = coherent;
  if (tlb && record.part === tlb.part) return { address: null, chain: chainOf(tlb, at) };
  const isBus = event?.fields.some(({ name }) => name === 'master') ?? false;
  const isLine =
    isBus || record.part === memory?.part || caches.some(({ part }) => part === record.part);
  const isFollowed = memory !== null && at >= memory.from && at < memory.from + memory.bytes;
  return isLine && isFollowed ? { address: at, chain: null } : NOWHERE;
}

export function placesOf(coherent: CoherentMachine, trace: Trace | null, what: Selection): Places {
  const { part, view, index, event } = what;
  if (view === 'address') return { address: index, chain: null };
  if (view === 'tlb' && part === coherent.tlb?.part) return { address: null, chain: index };
  return event === null ? NOWHERE : placesOfEvent(coherent, trace, event);
}
