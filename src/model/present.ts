/** Which event the page speaks of: the one selected, or the newest that the needle has reached. */
import { player } from './opened';
import { selection } from './selection';

/**
 * The newest record at the needle. Who steps event by event sees each; to others the newest transaction
 * or told event is the present one.
 */
export function presentEvent(): number | null {
  const { seq } = player.now();
  const marks = player.recording()?.marks.transactions;
  const { unit } = player.state.getState();
  const newest = unit === 'event' || !marks ? seq : marks.lastTo(seq);
  return newest !== null && newest > 0 ? newest : null;
}

/** The event that an explanation is about. */
export const subject = (): number | null => selection.getState().event ?? presentEvent();

/** The present event as a sentence; empty before the first. */
export function presentSentence(): string {
  const event = presentEvent();
  return event === null ? '' : (player.trace()?.sentence(event) ?? '');
}
