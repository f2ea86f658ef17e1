/**
 * Two timelines on one clock, with the seam between them: lines that join the same event in both, a wash
 * over what is identical, a mark where the runs part.
 */
import { signed, text, time } from '../../base/format';
import { type TimelineLane, type TimelineModel, timelineModel } from './timeline';
import type { Window } from './timeline-axis';

/** The same told event in both runs. */
interface Pair {
  readonly a: number;
  readonly b: number;
}

export interface LockstepInput {
  readonly width: number;
  readonly height: number;
  readonly window: Window;
  readonly a: readonly TimelineLane[];
  readonly b: readonly TimelineLane[];
  readonly pairs: readonly Pair[];
  readonly divergencePs: number | null;
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
  /** Right end of the wash over what is identical, and the line where the runs part. */
  readonly same: { readonly x: number; readonly to: number } | null;
}

const [LEFT, RIGHT, TOP] = [148, 28, 24];
const [LEAST_SEAM, LEAST_LANE, MOST_LANE] = [64, 11, 22];
/** More labels than this would run into one another. */
const MOST_TIES = 7;

export function lockstepModel(input: LockstepInput): LockstepModel {
  const { width, height, window, divergencePs } = input;
  const lanes = Math.max(1, input.a.length + input.b.length);
  const room = height - TOP * 2 - LEAST_SEAM;
  const laneHeight = Math.min(MOST_LANE, Math.max(LEAST_LANE, room / lanes));
  const shared = { width, window, chain: [], laneHeight, left: LEFT, right: RIGHT };
  const a = timelineModel({ ...shared, lanes: input.a, top: TOP });
  const seam = height - TOP - lanes * laneHeight - TOP;
  const b = timelineModel({
    ...shared,
    lanes: input.b,
    top: a.bottom + Math.max(LEAST_SEAM, seam),
  });
  const from = a.bottom + 4;
  const to = (b.rows[0]?.y ?? b.bottom) - 4;
  const same =
    divergencePs === null || divergencePs < window.from
      ? null
      : { x: a.axis.at(window.from), to: a.axis.at(Math.min(divergencePs, window.to)) };
  return {
    a,
    b,
    seam: { from, to },
    ties: tiesOf(input.pairs, a, from, to, same?.to ?? null),
    same,
  };
}

/** Evenly chosen pairs, each with how much later it comes in B, but beside the mark of where the runs part. */
function tiesOf(
  pairs: readonly Pair[],
  a: TimelineModel,
  from: number,
  to: number,
  mark: number | null,
): Tie[] {
  const { axis } = a;
  const inside = pairs.filter((pair) =>
    [pair.a, pair.b].every((at) => at >= axis.low && at <= axis.high),
  );
  const step = Math.max(1, Math.ceil(inside.length / MOST_TIES));
  const chosen = inside.filter((_, index) => index % step === 0 || index === inside.length - 1);
  let lastLabel = Number.NEGATIVE_INFINITY;
  return chosen.map((pair) => {
    const [x1, x2] = [axis.at(pair.a), axis.at(pair.b)];
    const x = (x1 + x2) / 2;
    const path = `M${x1} ${from}v8L${x2} ${to - 8}v8`;
    const isFree = x - lastLabel > 70 && (mark === null || Math.abs(x - mark) > 40);
    const isLater = pair.a !== pair.b && isFree;
    const label = isLater ? laterText(pair.b - pair.a) : '';
    if (label) lastLabel = x;
    return { path, label, x, y: (from + to) / 2 };
  });
}

/** "+1.1 µs", "−250 ns": how much later the event comes in B. */
function laterText(differencePs: number): string {
  const { value, unit } = time(Math.abs(differencePs), 3);
  return text({ value: signed(Math.sign(differencePs), 0).slice(0, 1) + value, unit });
}
