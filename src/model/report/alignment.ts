/**
 * How two runs are aligned on the common clock: at their starts, at the same event, or at their divergence. One of
 * them is then delayed.
 */
import type { Comparison, Divergence, Kept, Records } from './comparison';

export type Alignment =
  | { readonly by: 'start' | 'parting' }
  /** An event of run A, and its counterpart in run B. */
  | { readonly by: 'event'; readonly seq: number };

/** Delay of each run on the common clock; one of them is 0. */
export interface Lead {
  readonly a: number;
  readonly b: number;
}

export const TOGETHER: Lead = { a: 0, b: 0 };

/** Parses the form in an address: "parting", or the number of an event. */
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
  const original = a.record(seq);
  if (!original) return null;
  const isLike = (trace: Records, at: number) => {
    const record = trace.record(at);
    return record?.part === original.part && record.kind === original.kind;
  };
  let nth = 0;
  for (let at = a.first; at <= seq; at++) if (isLike(a, at)) nth++;
  for (let at = b.first; at <= b.last; at++) if (isLike(b, at) && --nth === 0) return at;
  return null;
}

/** Times of the aligned moments in both runs; null if one run has none. */
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

/** Null if the runs cannot be aligned. */
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

/** Records per slice, after which the page may draw. */
const SLICE = 4096;
/** Number of consecutive events with equal lag that count as "in step". */
const IN_STEP = 3;

const keyOf = (trace: Records, seq: number): string => {
  const record = trace.record(seq);
  return `${record?.part} ${record?.kind}`;
};

/**
 * The first event after a time on the common clock at which the lag between the runs changes, or at which one run
 * does something that the other does not. The n-th event of a kind in one run is compared with the n-th of that
 * kind in the other. Events while the runs are out of step are skipped. Null if there is none in the stored
 * records.
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
