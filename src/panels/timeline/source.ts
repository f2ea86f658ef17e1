/** A list of events by index, and navigation to them. */

import { rank } from '../../base/sorted';
import { createStore } from '../../base/store';
import { player } from '../../model/session/open-run';
import type { Listed } from '../../model/session/recorder';
import { select } from '../../model/session/selection';

/** Times of the hits, as marks of the time bar. */
export const eventHits = createStore<{ readonly timesPs: readonly number[] }>({ timesPs: [] });

export interface Source {
  readonly length: number;
  seqAt(index: number): number;
  /** How many of them have happened up to a record. */
  countTo(seq: number): number;
}

export function sourceOf(listed: Listed): Source {
  const recording = player.recording();
  const { trace } = recording ?? {};
  if (!recording || !trace) return { length: 0, seqAt: () => 0, countTo: () => 0 };
  if (listed === 'all') {
    const { first, last } = trace;
    return {
      length: Math.max(0, last - first + 1),
      seqAt: (index) => first + index,
      countTo: (seq) => Math.max(0, seq - first + 1),
    };
  }
  // Of a very long run only the records around the playhead are kept.
  const marks = recording.marks[listed];
  const from = marks.countTo(trace.first - 1);
  return {
    length: Math.max(0, marks.countTo(trace.last) - from),
    seqAt: (index) => marks.slice(from + index, from + index + 1)[0] ?? 0,
    countTo: (seq) => Math.max(0, marks.countTo(Math.min(seq, trace.last)) - from),
  };
}

/** A list of the events found. */
export const sourceOfFound = (found: readonly number[]): Source => ({
  length: found.length,
  seqAt: (index) => found[index] ?? 0,
  countTo: (seq) => rank(found, seq, true),
});

export function choose(seq: number): void {
  select({ part: player.trace()?.record(seq)?.part ?? null, event: seq });
}

export function goTo(seq: number): void {
  const record = player.trace()?.record(seq);
  if (!record) return;
  player.pause();
  void player.toTime(record.timePs);
}
