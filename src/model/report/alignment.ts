/**
 * What of two runs is set side by side: their starts, the same event in both, or the point at which they part. On the
 * common clock one of them then begins later.
 */
import type { Comparison, Divergence, Records } from './comparison';

export type Alignment =
  | { readonly by: 'start' | 'parting' }
  /** An event of A, and the same one in B. */
  | { readonly by: 'event'; readonly seq: number };

/** How much later each run begins on the common clock; one of them is 0. */
export interface Lead {
  readonly a: number;
  readonly b: number;
}

export const TOGETHER: Lead = { a: 0, b: 0 };

/** As it stands in an address: "parting", or the number of an event. */
export function parseAlignment(text: string | undefined): Alignment {
  if (text === 'parting') return { by: 'parting' };
  return text !== undefined && /^[1-9]\d*$/.test(text)
    ? { by: 'event', seq: Number(text) }
    : { by: 'start' };
}

export function formatAlignment(alignment: Alignment): string | null {
  if (alignment.by === 'event') return String(alignment.seq);
  return alignment.by === 'parting' ? 'parting' : null;
}

/** The same event in another run: the n-th of its kind in its part. */
export function sameIn(a: Records, b: Records, seq: number): number | null {
  const wanted = a.record(seq);
  if (!wanted) return null;
  const isLike = (trace: Records, at: number) => {
    const record = trace.record(at);
    return record?.part === wanted.part && record.kind === wanted.kind;
  };
  let nth = 0;
  for (let at = a.first; at <= seq; at++) if (isLike(a, at)) nth++;
  for (let at = b.first; at <= b.last; at++) if (isLike(b, at) && --nth === 0) return at;
  return null;
}

/** Times of what is set side by side, in either run; null where one of them has it not. */
function anchorOf(
  alignment: Alignment,
  a: Records,
  b: Records,
  parting: Divergence | null,
): readonly [number, number] | null {
  const seqs =
    alignment.by === 'event'
      ? [alignment.seq, sameIn(a, b, alignment.seq)]
      : [parting?.a ?? null, parting?.b ?? null];
  const [x, y] = [a.record(seqs[0] ?? 0)?.timePs, b.record(seqs[1] ?? 0)?.timePs];
  return x === undefined || y === undefined ? null : [x, y];
}

/** Null where there is nothing to align by. */
export function leadOf(
  alignment: Alignment,
  { a, b }: Pick<Comparison, 'a' | 'b'>,
  parting: Divergence | null,
): Lead | null {
  if (alignment.by === 'start') return TOGETHER;
  const [one, two] = [a?.recording?.trace, b?.recording?.trace];
  const anchor = one && two ? anchorOf(alignment, one, two, parting) : null;
  if (!anchor) return null;
  const [inA, inB] = anchor;
  return { a: Math.max(0, inB - inA), b: Math.max(0, inA - inB) };
}
