/** Transactions on buses, as they are counted for the processor that causes them. */
import type { EventSpec } from '../../engine/manifest';
import type { TracedMachine } from '../trace/event-text';
import { stateSetBy } from '../trace/lane';
import { fieldIn, type Trace, type TraceRecord } from '../trace/trace';

/** The second half of a split transaction and cache-to-cache transfers. */
const ANSWERS = new Set(['return', 'short_return', 'copy']);

/** The title of the transaction that a record of a bus starts; null if it starts none. */
export function startsTransaction(
  trace: Trace,
  { parts }: TracedMachine,
  event: EventSpec,
  record: TraceRecord,
): string | null {
  const { part } = record;
  if (!event.lane?.set || parts[part]?.type.actor !== 'bus') return null;
  const states = trace.lane(part, event.lane.track ?? '')?.states ?? [];
  const state = states[stateSetBy(event, states, (name) => fieldIn(event, record, name) ?? 0)];
  return state && !ANSWERS.has(state.name) ? state.title : null;
}
