/**
 * The open run in components. Frames come sixty times a second and never become React state: drawings
 * subscribe to them, and text is read again at most ten times a second.
 */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { fixed, NARROW_SPACE, type Quantity, time } from '../base/format';
import { loop } from '../base/loop';
import { answerMask, decisionTime } from '../model/lesson/answer-mask';
import { attachOpenRun, player } from '../model/session/open-run';
import { session } from '../model/session/session';
import type { Trace } from '../model/trace/trace';
import { useStore } from './useStore';

const TEXT_INTERVAL_MS = 100;

/** Shows the run of the session while the component is mounted and `wanted`. */
export function useRun(enabled = true): typeof player {
  useEffect(() => (enabled ? attachOpenRun() : undefined), [enabled]);
  return player;
}

/**
 * Calls `draw` in the given phase of the next animation frame: after each frame of the run and each change of
 * the answer mask.
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
    const stops = [player.onFrame(ask), answerMask.subscribe(ask), decisionTime.subscribe(ask)];
    return () => {
      alive = false;
      for (const stop of stops) stop();
    };
  }, [phase]);
}

/**
 * A text or small value of the present frame. `read` must return a value that compares by identity: a string,
 * a number, or the same object while nothing changed.
 */
export function useFrameValue<T>(read: () => T): T {
  const [hub] = useState(throttledFrames);
  return useSyncExternalStore(hub.subscribe, read, read);
}

/** Notifies of frames at most ten times a second, and always of the last one. */
function throttledFrames() {
  const subscribe = (listener: () => void) => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let last = 0;
    const notify = () => {
      timer = null;
      last = performance.now();
      listener();
    };
    const throttle = () => {
      if (timer !== null) return;
      const wait = last + TEXT_INTERVAL_MS - performance.now();
      if (wait <= 0) notify();
      else timer = setTimeout(notify, wait);
    };
    const stops = [player.onFrame(throttle), answerMask.subscribe(notify)];
    return () => {
      for (const stop of stops) stop();
      if (timer !== null) clearTimeout(timer);
    };
  };
  return { subscribe };
}

export interface Log {
  /** Reads a slice of the trace; false while there is more. */
  update(): boolean;
}

const reading = new Set<Log>();

/**
 * Reads a slice of the open run's trace now and the rest in the following frames. However many components
 * call it, the log changes once per frame. Subscribers are notified at the end; reading stops when another
 * run is opened.
 */
function readOn(log: Log, trace: Trace): void {
  if (reading.has(log) || log.update()) return;
  reading.add(log);
  const more = () => {
    const isOpen = player.trace() === trace;
    if (isOpen && !log.update()) return loop.once('advance', more);
    reading.delete(log);
    if (isOpen) player.refresh();
  };
  loop.once('advance', more);
}

/** A log of the open run's trace, read up to date; null without a trace or log. */
export function logNow<Kept extends Log>(of: (trace: Trace) => Kept | null): Kept | null {
  const trace = player.trace();
  const log = trace && of(trace);
  if (log && trace) readOn(log, trace);
  return log;
}

/** The same in a component, rendered again when the trace grows or `seen(log)` changes. */
export function useLog<Kept extends Log>(
  of: (trace: Trace) => Kept | null,
  seen: (log: Kept) => string | number,
): Kept | null {
  useStore(player.state, (state) => state.recorded);
  useFrameValue(() => {
    const log = logNow(of);
    return log ? seen(log) : 0;
  });
  return logNow(of);
}

export const NO_COMMANDS = 'without the changes made during the run';

/**
 * A note for comparisons while the open run has commands: they apply after a number of events of this run, so
 * other runs do not have them. Null without commands.
 */
export const useLiveCommands = (runs = 'other runs'): string | null =>
  useStore(session, ({ commands }) => (commands.length > 0 ? `${runs} go ${NO_COMMANDS}` : null));

const SCALES: Readonly<Record<string, readonly [size: number, decimals: number]>> = {
  s: [1e12, 6],
  ms: [1e9, 6],
  µs: [1e6, 3],
  ns: [1e3, 1],
  ps: [1, 0],
};

/** Decimals in threes, as the digits before the point: "31.196 518". */
const inThrees = (value: string): string => value.replace(/(\.\d{3})(\d+)$/, `$1${NARROW_SPACE}$2`);

/**
 * A time of the open run, to the nanosecond, in the unit of the ruler, so that digits keep their places. Only the
 * first microseconds of a run of milliseconds use a shorter unit.
 */
export function runTime(timePs: number, endPs = player.state.getState().endPs): Quantity {
  const longest = Math.max(endPs, timePs, 1);
  const natural = time(longest).unit;
  const tooShort = (unit: string) => timePs < (SCALES[unit]?.[0] ?? 1);
  const long = natural === 's' && tooShort('s') ? 'ms' : natural;
  const unit = long === 'ms' && tooShort('ms') ? 'µs' : long;
  if (timePs === 0) return { value: '0', unit };
  const [size, decimals] = SCALES[unit] ?? [1, 0];
  return { value: inThrees(fixed(timePs / size, decimals)), unit };
}
