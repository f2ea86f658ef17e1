/**
 * The whole run on one line: bus utilisation, notable events, the user's bookmarks, and the window of the
 * lanes. It is also the scrub bar.
 */
import type { OverviewSample } from '../../engine/api';
import { type Axis, linearAxis, type Tick } from '../axis';
import { windowTicks } from './timeline-axis';

export interface Busy {
  readonly from: number;
  readonly to: number;
}

/** Adds the busy part of a time range to the bins it overlaps. */
function spread(bins: number[], width: number, from: number, to: number, busy: number): void {
  for (let bin = Math.floor(from / width); bin < bins.length && bin * width < to; bin++) {
    const overlap = Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
    bins[bin] = Math.min(1, (bins[bin] ?? 0) + (Math.max(0, overlap) * busy) / width);
  }
}

/** Shares of busy time in equal parts of the run, from the exact trace. */
export function busyBySpans(spans: readonly Busy[], endPs: number, count: number): number[] {
  const bins = new Array<number>(count).fill(0);
  if (endPs > 0)
    for (const { from, to } of spans) spread(bins, endPs / count, from, Math.min(to, endPs), 1);
  return bins;
}

/**
 * The same from samples of a counter of busy time, for runs too long to be recorded completely. `weight`:
 * picoseconds per count (the cycle time, or less if several parts count together).
 */
export function busyBySamples(
  samples: readonly OverviewSample[],
  counter: number,
  endPs: number,
  count: number,
  weight = 1,
): number[] {
  const bins = new Array<number>(count).fill(0);
  for (let i = 1; i < samples.length && endPs > 0; i++) {
    const [before, after] = [samples[i - 1] as OverviewSample, samples[i] as OverviewSample];
    const length = after.timePs - before.timePs;
    const busy = (after.counters[counter] ?? 0) - (before.counters[counter] ?? 0);
    if (length > 0)
      spread(bins, endPs / count, before.timePs, after.timePs, (busy * weight) / length);
  }
  return bins;
}

export interface OverviewModel {
  readonly axis: Axis;
  /** Base line of the area, from which marks hang. */
  readonly base: number;
  readonly area: string;
  /** Short strokes under the base line, one per notable event. */
  readonly strokes: string;
  /** The same for violations. */
  readonly wrong: string;
  readonly ticks: readonly Tick[];
}

export interface OverviewInput {
  readonly width: number;
  readonly left: number;
  readonly right: number;
  readonly base: number;
  readonly height: number;
  /** Size of the labels, in px. */
  readonly type: number;
  readonly endPs: number;
  readonly use: readonly number[];
  /** Times of notable events. */
  readonly notable: readonly number[];
  /** Times of violations. */
  readonly wrong?: readonly number[];
}

export function overviewModel(input: OverviewInput): OverviewModel {
  const { left, base, height, type, use, notable } = input;
  const right = Math.max(left + 1, input.width - input.right);
  const axis = linearAxis(0, Math.max(1, input.endPs), left, right);
  return {
    axis,
    base,
    area: areaPath(use, left, right, base, height),
    strokes: strokesPath(notable, axis, base),
    wrong: strokesPath(input.wrong ?? [], axis, base),
    ticks: windowTicks(axis, Math.max(2, Math.floor((right - left) / (type * 9)))),
  };
}

function areaPath(
  use: readonly number[],
  left: number,
  right: number,
  base: number,
  height: number,
): string {
  if (use.length === 0) return '';
  const step = (right - left) / use.length;
  const at = (share: number) => (base - share * height).toFixed(1);
  const tops = use.map((share, bin) => {
    const x = left + bin * step;
    return `L${x.toFixed(1)} ${at(share)}L${(x + step).toFixed(1)} ${at(share)}`;
  });
  return `M${left} ${base}${tops.join('')}L${right.toFixed(1)} ${base}z`;
}

/** At most one stroke per pixel. */
function strokesPath(times: readonly number[], axis: Axis, base: number): string {
  let last = Number.NEGATIVE_INFINITY;
  let path = '';
  for (const time of times) {
    const x = Math.round(axis.at(time)) + 0.5;
    if (x - last < 2) continue;
    last = x;
    path += `M${x} ${base + 2}v4`;
  }
  return path;
}

/** Points of a sparkline of a counter's growth, newest at the right. */
export function sparkline(values: readonly number[], width: number, height: number): string {
  if (values.length < 2) return '';
  const most = Math.max(...values, 0);
  const least = Math.min(...values, 0);
  const range = most - least || 1;
  return values
    .map((value, index) => {
      const x = 1 + (index / (values.length - 1)) * (width - 4);
      const y = height - 2 - ((value - least) / range) * (height - 4);
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}
