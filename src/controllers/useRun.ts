/**
 * The opened run in components. Frames come sixty times a second and never become React state: what is
 * drawn listens to them, and text is read again at most ten times a second.
 */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { loop } from '../base/loop';
import { answerMask } from '../model/lesson/answer-mask';
import { attachOpenRun, player } from '../model/session/open-run';

const TEXT_INTERVAL_MS = 100;

/** Shows the run of the session while the component is there, and wants it. */
export function useRun(wanted = true): typeof player {
  useEffect(() => (wanted ? attachOpenRun() : undefined), [wanted]);
  return player;
}

/**
 * Calls `draw` in the given phase of the next animation frame, after each frame of the run and when the question
 * covers something else.
 */
export function useFrames(phase: 'dom' | 'canvas', draw: () => void): void {
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => {
    let alive = true;
    const run = () => {
      if (alive) latest.current();
    };
    const ask = () => loop.once(phase, run);
    ask();
    const stops = [player.onFrame(ask), answerMask.subscribe(ask)];
    return () => {
      alive = false;
      for (const stop of stops) stop();
    };
  }, [phase]);
}

/**
 * A text or a small value of the present frame. `read` must give something that compares by identity: a
 * string, a number, or the same object while nothing changed.
 */
export function useFrameValue<T>(read: () => T): T {
  const [hub] = useState(throttledFrames);
  return useSyncExternalStore(hub.subscribe, read, read);
}

/** Tells of frames at most ten times a second, and of the last one always. */
function throttledFrames() {
  const subscribe = (listener: () => void) => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let last = 0;
    const tell = () => {
      timer = null;
      last = performance.now();
      listener();
    };
    const later = () => {
      if (timer !== null) return;
      const wait = last + TEXT_INTERVAL_MS - performance.now();
      if (wait <= 0) tell();
      else timer = setTimeout(tell, wait);
    };
    const stops = [player.onFrame(later), answerMask.subscribe(tell)];
    return () => {
      for (const stop of stops) stop();
      if (timer !== null) clearTimeout(timer);
    };
  };
  return { subscribe };
}
