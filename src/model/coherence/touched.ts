/** The query for what touched the selected place: a line, a translation, a packet, an event, or a part. */
import { address, integer } from '../../base/format';
import { RUNWAY_LINE } from '../../engine/gen/constants';
import type { CompiledMachine } from '../scenario/compiled';
import type { Selection } from '../session/selection';
import type { TlbRole } from './coherence-roles';
import type { Places } from './selected-lines';

export interface TouchedPlace {
  /** What it is, within a sentence: "line 0x100040". */
  readonly what: string;
  /** What its events do: "touched it", or "happened there". */
  readonly did: string;
  readonly query: string;
}

const range = (from: number, bytes: number): string =>
  `0x${from.toString(16)}-0x${(from + bytes - 1).toString(16)}`;

const lineOf = (at: number): number => at - (at % RUNWAY_LINE);

/** The line on either side of the adapter. */
function lineQuery({ address: memory, io }: Places): string {
  const sides = [memory, io].flatMap((at) => (at === null ? [] : [range(lineOf(at), RUNWAY_LINE)]));
  return sides.join(' OR ');
}

/** What is selected, and the query for its events; null if nothing is selected. */
export function touchedPlace(
  { parts }: CompiledMachine,
  tlb: TlbRole | null,
  { part, view, index, event }: Selection,
  places: Places,
): TouchedPlace | null {
  const named = parts[part ?? -1];
  if (view === 'address' && index !== null)
    return {
      what: `line ${address(lineOf(index))}`,
      did: 'touched it',
      query: lineQuery(places),
    };
  if (view === 'tlb' && index !== null && tlb && part === tlb.part)
    return {
      what: `row ${integer(index)} of the I/O TLB`,
      did: 'touched it',
      query: `part=${named?.name} chain:${index}`,
    };
  if (view === 'entry' && index !== null)
    return {
      what: `translation of entry ${integer(index)}`,
      did: 'touched it',
      query: `part=${named?.name} entry:${index}`,
    };
  if (view === 'packet' && index !== null)
    return { what: `packet ${integer(index)}`, did: 'touched it', query: `packet:${index}` };
  if (event !== null)
    return { what: `event ${integer(event)}`, did: 'came of it', query: `cause:${event}` };
  // The part's name stands above.
  return named
    ? { what: 'newest event', did: 'happened there', query: `part=${named.name}` }
    : null;
}
