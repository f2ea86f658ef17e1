/**
 * Pairs notable events of two runs: the n-th event of a kind in one run corresponds to the n-th of that kind in the
 * other.
 */
import type { Trace } from './trace';

export interface EventPair {
  /** Sequence number in run A. */
  readonly seq: number;
  readonly a: number;
  readonly b: number;
}

type Records = Pick<Trace, 'record'>;

const keyOf = (trace: Records, seq: number): string => {
  const record = trace.record(seq);
  return `${record?.part} ${record?.kind}`;
};

/** Times of paired events, in the order of run A. `seqs` are the events to pair. */
export function matchEvents(
  a: Records,
  b: Records,
  seqsA: readonly number[],
  seqsB: readonly number[],
): EventPair[] {
  const waiting = new Map<string, number[]>();
  for (const seq of seqsB) {
    const key = keyOf(b, seq);
    const same = waiting.get(key);
    if (same) same.push(seq);
    else waiting.set(key, [seq]);
  }
  const taken = new Map<string, number>();
  return seqsA.flatMap((seq) => {
    const key = keyOf(a, seq);
    const place = taken.get(key) ?? 0;
    const other = waiting.get(key)?.[place];
    if (other === undefined) return [];
    taken.set(key, place + 1);
    return [{ seq, a: a.record(seq)?.timePs ?? 0, b: b.record(other)?.timePs ?? 0 }];
  });
}
