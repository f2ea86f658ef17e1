/**
 * The line that the bus is transferring at the playhead, for the view that follows the bus and for highlights
 * in other drawings.
 */
import { useCallback, useSyncExternalStore } from 'react';
import { loop } from '../base/loop';
import type { CoherentMachine } from '../model/coherence/coherence-roles';
import { type LineEvent, type LineStory, lineStory } from '../model/coherence/line-story';
import { answerMask } from '../model/lesson/answer-mask';
import { player } from '../model/session/open-run';
import { logNow } from './useRun';

/** Events of one moment share at most this much of the time until the next. */
const SHARED_PS = 60_000;

/** The events of the open run's lines; null without a trace or without snooping caches. */
export const storyNow = (coherent: CoherentMachine): LineStory | null =>
  coherent.caches.length > 0 ? logNow((trace) => lineStory(trace, coherent)) : null;

/** Index of the event at the playhead; -1 before the first. */
export function playedIndex(story: LineStory): number {
  const { timePs, seq } = player.now();
  return Math.min(story.indexShownAt(timePs, SHARED_PS), story.indexAt(seq));
}

/** The event at the playhead; null before the first. */
export function lineInPlay(coherent: CoherentMachine): LineEvent | null {
  const story = storyNow(coherent);
  return story?.events[playedIndex(story)] ?? null;
}

/** A value read in each animation frame of the run. It must compare by identity while nothing changes. */
export function useEachFrame<T>(read: () => T): T {
  const subscribe = useCallback((listener: () => void) => {
    const ask = () => loop.once('dom', listener);
    const stops = [player.onFrame(ask), player.state.subscribe(ask), answerMask.subscribe(ask)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return useSyncExternalStore(subscribe, read, read);
}
