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
 * The newest record at the playhead. When stepping by events every record counts, otherwise only transactions; in
 * projector mode only notable events.
 */
export function currentEvent(): number | null {
  const { seq } = player.now();
  const marks = player.recording()?.marks;
  const { unit, playing } = player.state.getState();
  if (shell.getState().lecture) return marks?.notable.lastTo(seq) ?? null;
  const newest = unit === 'event' && !playing ? seq : marks?.transactions.lastTo(seq);
  return newest ? notableAt(newest) : null;
}

/** The event that an explanation is about. */
export const subject = (): number | null => selection.getState().event ?? currentEvent();

/** The present event as a sentence; empty before the first. */
export function currentEventSentence(): string {
  const event = currentEvent();
  return event === null ? '' : (player.trace()?.sentence(event) ?? '');
}
