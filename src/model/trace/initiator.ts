/**
 * Finds the initiator of an activity. A bus transfer is made by a bridge, but on behalf of the processor whose
 * store it carries: the causal chain is followed back to the first part that acts on its own, or to a transfer of a bus
 * that names its master.
 */
import type { PartType } from '../../engine/manifest';
import type { Span } from './lane';
import type { Trace } from './trace';

/** Kinds of parts that only forward what others started. */
const BETWEEN = new Set(['bus', 'adapter', 'mem']);
/** Sees every access and starts none. */
const CHECKER = 'dma_check';
/** Maximum length of the chain; beyond it the cause is unrelated work. */
const FARTHEST = 12;

const known = new WeakMap<Trace, Map<number, number | null>>();

interface Parts {
  readonly parts: readonly { readonly type: PartType }[];
}

/** Index of the initiating part of a span; the part named in its record if no other is found. */
export function initiatorOf(
  trace: Trace,
  { parts }: Parts,
  { seq, by }: Pick<Span, 'seq' | 'by'>,
): number | null {
  const acts = (part: number | null) => {
    const type = part === null ? null : parts[part]?.type;
    return type ? !BETWEEN.has(type.actor) && type.name !== CHECKER : false;
  };
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
    const master = trace.ownerOf(at);
    const actor = acts(record.part) ? record.part : acts(master) ? master : null;
    if (actor !== null) {
      origin = actor;
      break;
    }
    at = record.cause;
  }
  found.set(seq, origin);
  return origin;
}
