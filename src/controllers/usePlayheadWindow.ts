import { useRef } from 'react';
import { following, type Window } from '../draw/run/timeline-axis';
import { player } from '../model/session/open-run';
import { useFrameValue } from './useRun';

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
