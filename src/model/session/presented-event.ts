/** The event that the page presents: the selected one, or the newest at the playhead. */
import { shell } from '../../base/shell-state';
import { player } from './open-run';
import { selection } from './selection';

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
  return newest ? newest : null;
}

/** The event that an explanation is about. */
export const subject = (): number | null => selection.getState().event ?? currentEvent();

/** The present event as a sentence; empty before the first. */
export function currentEventSentence(): string {
  const event = currentEvent();
  return event === null ? '' : (player.trace()?.sentence(event) ?? '');
}
