/**
 * What is new in a list of events: an event whose kind none of the events shortly before it has. A lecture goes from
 * one to the next, so that repeats collapse.
 */

/** Number of events for which a kind is remembered: longer than the patterns that repeat in a loop. */
const RECENT = 16;

type Kinds = ArrayLike<number>;

function isNew(kinds: Kinds, at: number): boolean {
  for (let i = Math.max(0, at - RECENT); i < at; i++) if (kinds[i] === kinds[at]) return false;
  return true;
}

/** Index of the first new event after or before an index; -1 if there is none. */
export function nextNew(kinds: Kinds, from: number, by: 1 | -1): number {
  for (let at = from + by; at >= 0 && at < kinds.length; at += by) if (isNew(kinds, at)) return at;
  return -1;
}

/** Number of events of the same kind before the next new event. */
export function moreLikeIt(kinds: Kinds, at: number): number {
  const next = nextNew(kinds, at, 1);
  const end = next < 0 ? kinds.length : next;
  let more = 0;
  for (let i = at + 1; i < end; i++) if (kinds[i] === kinds[at]) more++;
  return more;
}
