/**
 * What of two runs is set side by side: their starts, the same event in both, or the point at which they part. On the
 * common clock one of them then begins later.
 */
import type { Comparison, Divergence, Kept, Records } from './comparison';

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

/** Records looked at before the page may breathe. */
const SLICE = 4096;
/** So many events in a row, each as much later than its like as the one before it, and the runs are in step. */
const IN_STEP = 3;

const keyOf = (trace: Records, seq: number): string => {
  const record = trace.record(seq);
  return `${record?.part} ${record?.kind}`;
};

/**
 * The first event after a time on the common clock at which one run falls behind the other, catches up, or does what the other does not:
 * the n-th event of a kind in one run is held against the n-th of that kind in the other. What comes while they are
 * out of step is passed over. Null if there is none as far as both are kept.
 */
export async function nextDifference(
  { trace: a }: Kept,
  { trace: b, cut }: Kept,
  afterPs: number,
  breathe: () => Promise<unknown>,
  lead: Lead = TOGETHER,
): Promise<Divergence | null> {
  const places = new Map<string, number[]>();
  for (let seq = b.first; seq <= b.last; seq++) {
    const key = keyOf(b, seq);
    const same = places.get(key);
    if (same) same.push(seq);
    else places.set(key, [seq]);
    if (seq % SLICE === 0) await breathe();
  }
  const taken = new Map<string, number>();
  let [lag, inStep]: [number | null, number] = [0, 0];
  for (let seq = a.first; seq <= a.last; seq++) {
    if (seq % SLICE === 0) await breathe();
    const key = keyOf(a, seq);
    const place = taken.get(key) ?? 0;
    taken.set(key, place + 1);
    const other = places.get(key)?.[place] ?? null;
    if (other === null && cut) return null;
    const [here, there] = [a.record(seq)?.timePs ?? 0, other && b.record(other)?.timePs];
    const now = there === null || there === undefined ? null : there - here;
    if (now !== null && now === lag) {
      inStep++;
      continue;
    }
    const timePs = Math.min(here, there ?? here);
    const onClock = Math.min(here + lead.a, (there ?? Number.POSITIVE_INFINITY) + lead.b);
    if (onClock > afterPs && inStep >= IN_STEP) return { timePs, a: seq, b: other };
    [lag, inStep] = [now, 0];
  }
  return null;
}
