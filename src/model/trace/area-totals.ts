/** What some lanes did within a time interval, by part and kind. */
import type { EventSpec } from '../../engine/manifest';
import { sentenceOfAny, type TracedMachine } from './event-text';
import type { Lane } from './lane';
import type { Slot } from './rows';
import type { Trace } from './trace';

export interface AreaRow {
  readonly part: number;
  /** A state of a lane, or an event that begins none. */
  readonly kind: string;
  readonly count: number;
  readonly bytes: number;
  /** Time in this state, and the longest stretch of it; zero for events. In picoseconds. */
  readonly timePs: number;
  readonly longestPs: number;
}

type Open = { -readonly [K in keyof AreaRow]: AreaRow[K] };

const bytesIn = ({ fields }: EventSpec): Slot | null =>
  (fields.find(({ name, as }) => name === 'bytes' && as === 'bytes')?.slot as Slot) ?? null;

/**
 * Rows by part and kind: those that took most time first, then those that came most often. A state counts if it overlaps
 * the interval, with the part of its time that lies within.
 */
export function areaTotals(
  machine: TracedMachine,
  trace: Trace,
  lanes: readonly Lane[],
  { from, to }: { readonly from: number; readonly to: number },
): AreaRow[] {
  const rows = new Map<string, Open>();
  const rowOf = (part: number, kind: string): Open => {
    const key = `${part} ${kind}`;
    const known = rows.get(key) ?? { part, kind, count: 0, bytes: 0, timePs: 0, longestPs: 0 };
    rows.set(key, known);
    return known;
  };
  const begun = new Set<number>();
  for (const lane of lanes)
    for (const span of lane.between(from, to)) {
      const event = trace.event(span.seq);
      const slot = event && bytesIn(event);
      const row = rowOf(lane.part, span.state.title);
      const timePs = Math.min(span.to, to) - Math.max(span.from, from);
      row.count++;
      row.bytes += slot ? trace.valueOf(span.seq, slot) : 0;
      row.timePs += timePs;
      row.longestPs = Math.max(row.longestPs, timePs);
      begun.add(span.seq);
    }
  const parts = new Set(lanes.map(({ part }) => part));
  const first = Math.max(trace.first, trace.indexAt(from - 1) + 1);
  for (let seq = first; seq <= trace.last && trace.timeOf(seq) <= to; seq++) {
    const part = trace.partOf(seq);
    const event = trace.event(seq);
    if (!event || event.lane || !parts.has(part) || begun.has(seq)) continue;
    const slot = bytesIn(event);
    const row = rowOf(part, sentenceOfAny(event, machine.parts[part]?.title ?? ''));
    row.count++;
    row.bytes += slot ? trace.valueOf(seq, slot) : 0;
  }
  return [...rows.values()].sort((a, b) => b.timePs - a.timePs || b.count - a.count);
}
