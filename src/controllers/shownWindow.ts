/** The stretch of time that the lanes show. It follows the playhead and is no part of the session. */
import { route } from '../base/route';
import { createStore } from '../base/store';
import { following, type Window } from '../draw/run/timeline-axis';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';

export const shownWindow = createStore<Window>({ from: 0, to: 0 });

/** Lanes show this much at first: some tens of transactions. */
const FIRST_SECONDS = 12;
/** There are dozens of waits for a lock, so a lab shows more of them at a time. */
const LAB_SECONDS = 60;
/** The opening that the window was made for, and the newest edit of it. */
let [openedAs, editedAs] = [-1, -1];

/** Brings the window to the playhead; a run that was just opened gets a window of its own. */
export function followPlayhead(): void {
  const { opened: edited, endPs, speed, playing } = player.state.getState();
  const { opened } = session.getState();
  if (endPs <= 0) return;
  const { timePs } = player.now();
  let window = shownWindow.getState();
  if (opened !== openedAs || (edited !== editedAs && window.to > endPs)) {
    window = {
      from: 0,
      to: Math.min(endPs, speed * (route.getState().view === 'lab' ? LAB_SECONDS : FIRST_SECONDS)),
    };
  }
  [openedAs, editedAs] = [opened, edited];
  const next = following(window, timePs, endPs, playing);
  if (next.from !== shownWindow.getState().from || next.to !== shownWindow.getState().to)
    shownWindow.setState(next, true);
}
