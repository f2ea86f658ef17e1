import { useRef } from 'react';
import { loop } from '../base/loop';
import { route } from '../base/route';
import { createStore } from '../base/store';
import { following, type Window } from '../draw/run/timeline-axis';
import { stepShown } from '../model/lesson/answer-mask';
import { openLesson } from '../model/lesson/open-lesson';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { type Log, useFrameValue } from './useRun';

export const shownWindow = createStore<Window>({ from: 0, to: 0 });

const reading = new Set<Log>();

/**
 * Reads a slice of a log that lanes are drawn from now and the rest in the following frames. The lanes are drawn again
 * at the end: once, not after each slice.
 */
export function readForLanes(log: Log): void {
  if (reading.has(log) || log.update()) return;
  reading.add(log);
  const more = () => {
    if (!log.update()) return loop.once('advance', more);
    reading.delete(log);
    shownWindow.setState({ ...shownWindow.getState() }, true);
  };
  loop.once('advance', more);
}

/** Initial length of the lanes' window in seconds of playback: some tens of transactions. */
const FIRST_SECONDS = 12;
/** The same in a lab, which shows dozens of waits for a lock at once. */
const LAB_SECONDS = 60;
/** The opening that the window was made for, its latest edit, and the end of its run. */
let [openedAs, editedAs, endedAt] = [-1, -1, -1];

/** The interval that the shown step of the lesson frames, if the run reaches its end. */
function framedInterval(endPs: number): readonly [from: number, to: number] | null {
  const zoom = openLesson.getState()?.steps[stepShown.getState()]?.scene?.zoom;
  return zoom && zoom[1] <= endPs ? zoom : null;
}

/**
 * Moves the window to the playhead. A newly opened run gets a new window, that of the lesson's step if it frames one; a
 * window of the whole run grows with a run that becomes longer.
 */
export function followPlayhead(): void {
  const { opened: edited, endPs, speed, playing } = player.state.getState();
  const { opened } = session.getState();
  if (endPs <= 0) return;
  const { timePs } = player.now();
  let window = shownWindow.getState();
  const isCut = edited !== editedAs && window.to > endPs;
  const isNew = opened !== openedAs;
  const wasWhole = !isNew && endPs !== endedAt && window.from === 0 && window.to === endedAt;
  if (isNew || isCut || wasWhole) {
    const first = speed * (route.getState().view === 'lab' ? LAB_SECONDS : FIRST_SECONDS);
    const [from, to] = (isNew ? framedInterval(endPs) : null) ?? [0, first];
    window = { from, to: Math.min(endPs, wasWhole ? Math.max(to, window.to) : to) };
  }
  [openedAs, editedAs, endedAt] = [opened, edited, endPs];
  const next = following(window, timePs, endPs, playing);
  if (next.from !== shownWindow.getState().from || next.to !== shownWindow.getState().to)
    shownWindow.setState(next, true);
}

/**
 * The window of a given length that contains a time: `kept` while it does. In picoseconds; it starts at an
 * integer, so that its length is exact and repeated reads do not drift.
 */
export function windowAt(kept: Window, length: number, timePs: number, endPs: number): Window {
  const isOther = kept.to - kept.from !== length;
  const window = isOther ? { from: 0, to: length } : kept;
  const from = Math.round(following(window, timePs, Math.max(endPs, length), true).from);
  return isOther || from !== window.from ? { from, to: from + length } : kept;
}

/**
 * A window around the playhead that stays while the playhead is in it, or where it is while `follows` is false. Bounds are
 * whole picoseconds.
 */
export function usePlayheadWindow(length: number, follows = true): Window {
  const kept = useRef<Window>({ from: 0, to: 0 });
  return useFrameValue(() => {
    const { endPs } = player.state.getState();
    const isNew = kept.current.to - kept.current.from !== length;
    if (follows || isNew) kept.current = windowAt(kept.current, length, player.now().timePs, endPs);
    return kept.current;
  });
}
