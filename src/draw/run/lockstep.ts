/**
 * Two timelines on one time axis, with the seam between them: lines that join the same event in both, a tint
 * over what is identical, a mark where the runs diverge.
 */
import { signed, text, time } from '../../base/format';
import { type TimelineLane, type TimelineModel, timelineModel } from './timeline';
import type { Window } from './timeline-axis';

const SHIFTED: Shift = { a: 0, b: 0 };

/** How much later each run begins on the common time axis. */
interface Shift {
  readonly a: number;
  readonly b: number;
}

/** The same notable event in both runs. */
interface Pair {
  readonly a: number;
  readonly b: number;
}

export interface LockstepInput {
  readonly width: number;
  readonly height: number;
  /** On the common time axis. */
  readonly window: Window;
  readonly shift?: Shift;
  readonly a: readonly TimelineLane[];
  readonly b: readonly TimelineLane[];
  readonly pairs: readonly Pair[];
  /** In each run's own time. */
  readonly divergence: { readonly a: number; readonly b: number } | null;
}

interface Tie {
  readonly path: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

export interface LockstepModel {
  readonly a: TimelineModel;
  readonly b: TimelineModel;
  readonly seam: { readonly from: number; readonly to: number };
  readonly ties: readonly Tie[];
  /** The tint over what is identical, in either run; its right end is the divergence. */
  readonly same: { readonly a: Wash; readonly b: Wash } | null;
}

interface Wash {
  readonly x: number;
  readonly to: number;
}

const [LEFT, RIGHT, TOP] = [148, 28, 24];
const [LEAST_SEAM, LEAST_LANE, MOST_LANE] = [64, 11, 22];
/** More labels than this would overlap. */
const MOST_TIES = 7;

export function lockstepModel(input: LockstepInput): LockstepModel {
  const { width, height, window, divergence, shift = SHIFTED } = input;
  const lanes = Math.max(1, input.a.length + input.b.length);
  const room = height - TOP * 2 - LEAST_SEAM;
  const laneHeight = Math.min(MOST_LANE, Math.max(LEAST_LANE, room / lanes));
  const shared = { width, chain: [], laneHeight, left: LEFT, right: RIGHT };
  const a = timelineModel({
    ...shared,
    window: shiftedWindow(window, shift.a),
    lanes: input.a,
    top: TOP,
  });
  const seam = height - TOP - lanes * laneHeight - TOP;
  const b = timelineModel({
    ...shared,
    window: shiftedWindow(window, shift.b),
    lanes: input.b,
    top: a.bottom + Math.max(LEAST_SEAM, seam),
  });
  const from = a.bottom + 4;
  const to = (b.rows[0]?.y ?? b.bottom) - 4;
  const washes = divergence && [washOf(a, divergence.a), washOf(b, divergence.b)];
  const [one, two] = washes ?? [];
  return {
    a,
    b,
    seam: { from, to },
    ties: tiesOf(input.pairs, a, b, from, to, one && two ? (one.to + two.to) / 2 : null),
    same: one && two ? { a: one, b: two } : null,
  };
}

/** A window of the common time axis in the time of a run that begins later by `by`. */
export const shiftedWindow = ({ from, to }: Window, by: number): Window => ({
  from: from - by,
  to: to - by,
});

/** The visible identical part of a run; null if it ends before the window. */
function washOf({ axis }: TimelineModel, untilPs: number): Wash | null {
  if (untilPs < axis.low) return null;
  return { x: axis.at(Math.max(0, axis.low)), to: axis.at(Math.min(untilPs, axis.high)) };
}

/** Evenly chosen pairs, each with the delay of B, clear of the mark of divergence. */
function tiesOf(
  pairs: readonly Pair[],
  a: TimelineModel,
  b: TimelineModel,
  from: number,
  to: number,
  mark: number | null,
): Tie[] {
  const isIn = ({ axis }: TimelineModel, at: number) => at >= axis.low && at <= axis.high;
  const inside = pairs.filter((pair) => isIn(a, pair.a) && isIn(b, pair.b));
  const shift = b.axis.low - a.axis.low;
  const step = Math.max(1, Math.ceil(inside.length / MOST_TIES));
  const chosen = inside.filter((_, index) => index % step === 0 || index === inside.length - 1);
  let lastLabel = Number.NEGATIVE_INFINITY;
  return chosen.map((pair) => {
    const [x1, x2] = [a.axis.at(pair.a), b.axis.at(pair.b)];
    const x = (x1 + x2) / 2;
    const path = `M${x1} ${from}v8L${x2} ${to - 8}v8`;
    const isFree = x - lastLabel > 70 && (mark === null || Math.abs(x - mark) > 40);
    const later = pair.b - pair.a - shift;
    const label = later !== 0 && isFree ? laterText(later) : '';
    if (label) lastLabel = x;
    return { path, label, x, y: (from + to) / 2 };
  });
}

/** "+1.1 µs", "−250 ns": how much later the event comes in B. */
function laterText(differencePs: number): string {
  const { value, unit } = time(Math.abs(differencePs), 3);
  return text({ value: signed(Math.sign(differencePs), 0).slice(0, 1) + value, unit });
}
