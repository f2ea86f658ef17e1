/** Ticks and windows of a time axis that need not begin at zero. */
import { fixed, text, time } from '../../base/format';
import { clamp } from '../../base/geometry';
import { type Axis, niceStep, type Tick } from '../axis';

const SCALES: Readonly<Record<string, number>> = { s: 1e12, ms: 1e9, µs: 1e6, ns: 1e3, ps: 1 };

/** Round times within the axis, all in one unit, written at the first of them. */
export function windowTicks(axis: Axis, most: number): Tick[] {
  const length = axis.high - axis.low;
  if (!(length > 0)) return [];
  const step = niceStep(length, most);
  const { unit } = time(axis.high);
  const scale = SCALES[unit] ?? 1;
  const decimals = Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9));
  const first = Math.max(0, Math.ceil(axis.low / step - 1e-9));
  const last = Math.floor(axis.high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const value = (first + index) * step;
    const number = value === 0 ? '0' : fixed(value / scale, decimals);
    const label = index === 0 ? text({ value: number, unit }) : number;
    return { value, at: axis.at(value), label, major: index === 0 };
  });
}

export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Shortest window, in picoseconds. */
const SHORTEST = 1000;

/** The window scaled around a time that keeps its position. */
export function zoomed(window: Window, at: number, factor: number, endPs: number): Window {
  const length = clamp((window.to - window.from) * factor, SHORTEST, Math.max(endPs, SHORTEST));
  const share = (at - window.from) / (window.to - window.from);
  return moved({ from: at - share * length, to: at + (1 - share) * length }, 0, endPs);
}

/** The window moved by a time, kept within the run. */
export function moved({ from, to }: Window, by: number, endPs: number): Window {
  const length = to - from;
  const start = clamp(from + by, 0, Math.max(0, endPs - length));
  return { from: start, to: start + length };
}

/** Position of the playhead in a window that follows it, as a share. */
const PLAYHEAD = 0.66;

/** The window that shows a time: unchanged if it does, else moved as little as reads well. */
export function following(window: Window, timePs: number, endPs: number, playing: boolean): Window {
  const length = window.to - window.from;
  const share = (timePs - window.from) / length;
  const atEnd = window.to >= endPs && share <= 1;
  if (share >= 0 && (share <= PLAYHEAD || atEnd) && playing) return window;
  if (!playing && share >= 0 && share <= 1) return window;
  return moved(
    { from: timePs - PLAYHEAD * length, to: timePs + (1 - PLAYHEAD) * length },
    0,
    endPs,
  );
}
