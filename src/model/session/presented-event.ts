/** The event that the page presents: the selected one, or the one at the playhead. */
import { shell } from '../../base/shell-state';
import { player } from './open-run';
import { selection } from './selection';

/**
 * The last notable event at the time of a record, if all of that time is played: a bus that falls idle at the same
 * moment is not what happens there. Else the record itself.
 */
function notableAt(newest: number): number {
  const trace = player.trace();
  const notable = player.recording()?.marks.notable.lastTo(newest);
  const timePs = trace?.record(newest)?.timePs;
  if (!notable || trace?.record(notable)?.timePs !== timePs) return newest;
  return trace?.record(newest + 1)?.timePs === timePs ? newest : notable;
}

/**
 * Between two events, if the first only made a part idle, what other parts still do: the newest record that began any
 * of it. Else the record itself.
 */
function underWayAfter(seq: number): number {
  const trace = player.trace();
  const { timePs } = player.now();
  if (!trace || trace.timeOf(seq) === timePs) return seq;
  if (!trace.lanes.some((lane) => lane.idledBy(timePs, seq) === seq)) return seq;
  const begun = trace.lanes.flatMap((lane) => lane.at(timePs, seq)?.seq ?? []);
  return Math.max(...begun, 0) || seq;
}

/** For a hall: the last notable event, until a transaction begins after it. */
function presentedInLecture(seq: number): number | null {
  const { marks, trace } = player.recording() ?? {};
  const notable = marks?.notable.lastTo(seq) ?? null;
  const begun = marks?.transactions.lastTo(seq) ?? null;
  if (!trace || notable === null || begun === null) return notable ?? begun;
  return trace.timeOf(begun) > trace.timeOf(notable) ? begun : notable;
}

/**
 * The newest record at the playhead. When stepping by events every record counts, otherwise only transactions; in
 * projector mode notable events come first.
 */
export function currentEvent(): number | null {
  const { seq } = player.now();
  const marks = player.recording()?.marks;
  const { unit, playing } = player.state.getState();
  if (shell.getState().lecture) return presentedInLecture(seq);
  const byEvents = unit === 'event' && !playing;
  const newest = byEvents ? seq : marks?.transactions.lastTo(seq);
  const presented = newest ? notableAt(newest) : null;
  return presented !== null && byEvents ? underWayAfter(presented) : presented;
}

/** The event that an explanation is about. */
export const subject = (): number | null => selection.getState().event ?? currentEvent();

/** The present event as a sentence; empty before the first. */
export function currentEventSentence(): string {
  const event = currentEvent();
  return event === null ? '' : (player.trace()?.sentence(event) ?? '');
}
