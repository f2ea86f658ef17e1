/**
 * Cost bars: the time of one transfer by kind of cost, a bar per method, on a linear time axis from zero. A
 * thin line under each bar marks when the processor is busy.
 */
import { fixed, time } from '../../base/format';
import type { CostKind } from '../../model/trace/time-breakdown';
import { type Axis, linearAxis, type Tick, timeTicks } from '../axis';
import { widthOf } from '../text-width';

/** Name of each kind of cost in all views. */
export const COST_NAMES: Readonly<Record<CostKind, string>> = {
  software: 'call, driver, interrupt',
  words: 'word by word',
  copy: 'through the cache',
  device: 'device moves data',
  work: 'own work',
  waiting: 'waiting',
};

interface CostSpan {
  readonly fromPs: number;
  readonly toPs: number;
}

export interface CostInput {
  readonly id: string;
  readonly title: string;
  readonly hue: number;
  /** Null while a question of the lesson asks for it. */
  readonly totalPs: number | null;
  readonly segments: readonly (CostSpan & { readonly cost: CostKind })[];
  readonly busy: readonly CostSpan[];
}

interface Segment {
  readonly x: number;
  readonly width: number;
  readonly cost: CostKind;
}

export interface CostRow {
  readonly id: string;
  readonly hue: number;
  readonly title: { readonly x: number; readonly y: number; readonly text: string };
  readonly y: number;
  readonly height: number;
  /** Its length says nothing: a question of the lesson asks for it. */
  readonly sealed: boolean;
  /** The whole transfer; its segments are added once the run was recorded. */
  readonly whole: { readonly x: number; readonly width: number };
  readonly segments: readonly Segment[];
  readonly busy: readonly { readonly x: number; readonly width: number }[];
  readonly total: {
    readonly x: number;
    readonly y: number;
    readonly text: string;
    /** Inside the end of its bar, in the colour of the sheet. */
    readonly inside: boolean;
  };
}

export interface CostModel {
  readonly width: number;
  readonly height: number;
  readonly axis: { readonly y: number; readonly from: number };
  readonly ticks: readonly Tick[];
  readonly rows: readonly CostRow[];
}

const BAR = 13;
const PAIR_GAP = 7;
const ROW = 33;
const FIRST = 15;
const RIGHT = 18;

const spanAt = (axis: Axis, from: number, to: number) => ({
  x: axis.at(from),
  width: Math.max(0.5, axis.at(to) - axis.at(from) - 0.6),
});

/** In place of a bar and its time. */
const SEALED_TEXT = 'your guess?';

function sealedRow(axis: Axis, input: CostInput, y: number): CostRow {
  const whole = spanAt(axis, 0, axis.high);
  return {
    ...frameOf(axis, input, y),
    sealed: true,
    whole,
    segments: [],
    busy: [],
    total: { x: whole.x + whole.width - 6, y: y + 10.8, text: SEALED_TEXT, inside: false },
  };
}

const frameOf = (axis: Axis, input: CostInput, y: number) => ({
  id: input.id,
  hue: input.hue,
  title: { x: axis.at(0), y: y - 4, text: input.title },
  y,
  height: BAR,
});

function rowOf(axis: Axis, input: CostInput, y: number, unit: string): CostRow {
  if (input.totalPs === null) return sealedRow(axis, input, y);
  const end = axis.at(input.totalPs);
  const scale = { s: 1e12, ms: 1e9, µs: 1e6, ns: 1e3, ps: 1 }[unit] ?? 1;
  const words = fixed(input.totalPs / scale, 2);
  const isRecorded = input.segments.length > 0;
  const inside = end + 8 + widthOf(words, 12.5) > axis.at(axis.high);
  return {
    ...frameOf(axis, input, y),
    sealed: false,
    whole: spanAt(axis, 0, input.totalPs),
    segments: input.segments
      .filter(({ fromPs, toPs }) => toPs > fromPs)
      .map(({ fromPs, toPs, cost }) => ({ ...spanAt(axis, fromPs, toPs), cost })),
    busy: input.busy.map(({ fromPs, toPs }) => spanAt(axis, fromPs, toPs)),
    total: {
      x: inside ? end - 6 : end + 6,
      y: y + 10.8,
      text: words,
      inside: inside && isRecorded,
    },
  };
}

/** Rows are pairs that compete: two writes, a gap, two reads. */
export function costModel(
  rows: readonly CostInput[],
  width: number,
  pairs: readonly number[],
): CostModel {
  const longest = Math.max(1, ...rows.map((row) => row.totalPs ?? 0));
  const axis = linearAxis(0, longest * 1.01, 2, width - RIGHT);
  const { unit } = time(longest);
  let y = FIRST;
  const placed = rows.map((row, index) => {
    if (index > 0) y += ROW + (pairs.includes(index) ? PAIR_GAP : 0);
    return rowOf(axis, row, y, unit);
  });
  const bottom = y + BAR + 8;
  return {
    width,
    height: bottom + 16,
    axis: { y: bottom + 12, from: 4 },
    ticks: timeTicks(axis, width < 260 ? 4 : 6, 'last'),
    rows: placed,
  };
}
