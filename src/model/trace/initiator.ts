/**
 * On whose behalf something happens. A bus transfer is done by a bridge, but for the processor whose store
 * it carries: the chain of causes is followed back to the first part that acts of its own accord.
 */
import type { PartType } from '../../engine/manifest';
import type { Span } from './lane';
import type { Trace } from './trace';

/** Kinds of parts that only pass on what others began. */
const BETWEEN = new Set(['bus', 'adapter', 'mem']);
/** Farther back it would not be the same piece of work any more. */
const FARTHEST = 8;

const known = new WeakMap<Trace, Map<number, number | null>>();

interface Parts {
  readonly parts: readonly { readonly type: PartType }[];
}

/** Index of the part that a span is due to; the one its record names if no other is found. */
export function initiatorOf(trace: Trace, { parts }: Parts, { seq, by }: Span): number | null {
  const acts = (part: number | null) =>
    part !== null && !BETWEEN.has(parts[part]?.type.actor ?? 'bus');
  if (by === null || acts(by)) return by;
  const found = known.get(trace) ?? new Map<number, number | null>();
  known.set(trace, found);
  const before = found.get(seq);
  if (before !== undefined) return before;
  let at = trace.record(seq)?.cause ?? 0;
  let origin: number | null = by;
  for (let step = 0; step < FARTHEST && at > 0; step++) {
    const record = trace.record(at);
    if (!record) break;
    if (acts(record.part)) {
      origin = record.part;
      break;
    }
    at = record.cause;
  }
  found.set(seq, origin);
  return origin;
}
