import { useRef } from 'react';
import { route } from '../base/route';
import { createStore } from '../base/store';
import { following, type Window } from '../draw/run/timeline-axis';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { useFrameValue } from './useRun';

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

/**
 * The window of a length that shows a time: the one that is kept, as long as that does. All in picoseconds; it begins
 * at a whole one, so that its length is exact and it does not wander from one reading to the next.
 */
export function windowAt(kept: Window, length: number, timePs: number, endPs: number): Window {
  const isOther = kept.to - kept.from !== length;
  const window = isOther ? { from: 0, to: length } : kept;
  const from = Math.round(following(window, timePs, Math.max(endPs, length), true).from);
  return isOther || from !== window.from ? { from, to: from + length } : kept;
}

/** A stretch of time around the playhead, a whole number of picoseconds, which stays while the playhead is in it. */
export function usePlayheadWindow(length: number): Window {
  const kept = useRef<Window>({ from: 0, to: 0 });
  return useFrameValue(() => {
    const { endPs } = player.state.getState();
    kept.current = windowAt(kept.current, length, player.now().timePs, endPs);
    return kept.current;
  });
}
