/** Axes: the position of a value on the sheet, and the values that get ticks. */
import { scaleLinear, scaleLog } from 'd3-scale';
import { bytes, fixed, significant, text, time } from '../base/format';

export interface Axis {
  readonly low: number;
  readonly high: number;
  at(value: number): number;
  valueAt(position: number): number;
}

export interface Tick {
  readonly value: number;
  readonly at: number;
  /** Empty where there is no room for a label. */
  readonly label: string;
  readonly major: boolean;
}

export function logAxis(low: number, high: number, from: number, to: number): Axis {
  const scale = scaleLog().domain([low, high]).range([from, to]);
  return { low, high, at: (value) => scale(value), valueAt: (at) => scale.invert(at) };
}

/** Logarithmic if the values grow by a roughly constant factor, else linear. */
export function axisFor(values: readonly number[], from: number, to: number): Axis {
  const spreadOfSteps = (places: readonly number[]) => {
    const gaps = places.slice(1).map((place, i) => place - (places[i] ?? place));
    return Math.max(...gaps) / Math.min(...gaps);
  };
  const [low = 0, high = 1] = [values[0], values.at(-1)];
  const grows = low > 0 && spreadOfSteps(values.map(Math.log)) < spreadOfSteps(values);
  return (grows ? logAxis : linearAxis)(low, high, from, to);
}

export function linearAxis(low: number, high: number, from: number, to: number): Axis {
  const scale = scaleLinear().domain([low, high]).range([from, to]);
  return { low, high, at: (value) => scale(value), valueAt: (at) => scale.invert(at) };
}

const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The nearest round number at or below (`-1`) or at or above (`1`); small edits do not change it. */
function roundTo(value: number, direction: -1 | 1): number {
  const decade = 10 ** Math.floor(Math.log10(value));
  const steps = STEPS.map((step) => step * decade);
  const found =
    direction < 0
      ? steps.findLast((step) => step <= value * (1 + 1e-9))
      : steps.find((step) => step >= value * (1 - 1e-9));
  return found ?? value;
}

/** The range of a logarithmic axis: a margin around the values, unchanged by small edits. */
export function logRange(values: readonly number[]): readonly [number, number] {
  const usable = values.filter((value) => Number.isFinite(value) && value > 0);
  if (usable.length === 0) return [1, 10];
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const value of usable) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [roundTo(low * 0.85, -1), roundTo(high * 1.4, 1)];
}

/** Ticks at 1, 2 and 5 of each decade; decades are major. A short axis has fewer labels. */
export function decadeTicks(axis: Axis, label: (value: number) => string): Tick[] {
  const ticks: Tick[] = [];
  const decade = Math.abs(axis.at(axis.low * 10) - axis.at(axis.low));
  const first = Math.floor(Math.log10(axis.low));
  const last = Math.ceil(Math.log10(axis.high));
  for (let power = first; power <= last; power++) {
    for (const step of [1, 2, 5]) {
      const value = step * 10 ** power;
      if (value < axis.low * 0.999 || value > axis.high * 1.001) continue;
      const major = step === 1;
      if (!major && decade < 28) continue;
      const named = major || decade > 60;
      ticks.push({ value, at: axis.at(value), label: named ? label(value) : '', major });
    }
  }
  return ticks;
}

/** Ticks at powers of two; every `every`th one is labelled. */
export function sizeTicks(axis: Axis, every: number): Tick[] {
  const ticks: Tick[] = [];
  const first = Math.ceil(Math.log2(axis.low) - 1e-9);
  const last = Math.floor(Math.log2(axis.high) + 1e-9);
  for (let power = first; power <= last; power++) {
    const value = 2 ** power;
    const major = (power - first) % every === 0;
    ticks.push({ value, at: axis.at(value), label: major ? text(bytes(value)) : '', major });
  }
  return ticks;
}

/** Ticks at the values themselves; of those closer than `gap` only the first is labelled. */
export function valueTicks(axis: Axis, values: readonly number[], gap: number): Tick[] {
  let last = Number.NEGATIVE_INFINITY;
  return values.map((value) => {
    const at = axis.at(value);
    const named = at - last >= gap;
    if (named) last = at;
    return { value, at, label: named ? plainLabel(value) : '', major: named };
  });
}

/** A step of 1, 2 or 5 times a power of ten that divides the length into at most `most` parts. */
export function niceStep(length: number, most: number): number {
  const least = length / Math.max(1, most);
  const decade = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((candidate) => candidate * decade >= least * (1 - 1e-9)) ?? 10;
  return step * decade;
}

/** Ticks of a time axis from zero, all in one unit, which is written at the first or the last tick. */
export function timeTicks(axis: Axis, most: number, unitAt: 'first' | 'last'): Tick[] {
  const step = niceStep(axis.high, most);
  const amount = Math.floor(axis.high / step + 1e-9);
  const { unit } = time(axis.high);
  const scale = { s: 1e12, ms: 1e9, µs: 1e6, ns: 1e3, ps: 1 }[unit] ?? 1;
  const decimals = Math.max(0, -Math.floor(Math.log10(step / scale) + 1e-9));
  return Array.from({ length: amount + 1 }, (_, index) => {
    const value = index * step;
    const named = unitAt === 'first' ? index === 0 : index === amount;
    const number = index === 0 ? '0' : fixed(value / scale, decimals);
    return {
      value,
      at: axis.at(value),
      label: named ? text({ value: number, unit }) : number,
      major: index === 0,
    };
  });
}

export const plainLabel = (value: number): string => significant(value, 3);
export const timeLabel = (ps: number): string => text(time(ps, 3));
