import { useRef } from 'react';
import { following, type Window } from '../draw/run/timeline-axis';
import { player } from '../model/session/opened';
import { useFrameValue } from './useRun';

/** A stretch of time around the needle, which stays while the needle is in it. */
export function useNeedleWindow(length: number): Window {
  const kept = useRef<Window>({ from: 0, to: 0 });
  return useFrameValue(() => {
    const endPs = Math.max(player.state.getState().endPs, length);
    const isOther = kept.current.to - kept.current.from !== length;
    const window = isOther ? { from: 0, to: length } : kept.current;
    const next = following(window, player.now().timePs, endPs, true);
    if (isOther || next.from !== kept.current.from) kept.current = next;
    return kept.current;
  });
}
