/** Lays out a sheet of lanes: brackets below the ruler, a row for each lane, and thin bars of the run before a change. */
import { linearAxis } from '../draw/axis';
import { BRACKET_ROW, type PlacedBracket, placedBrackets } from '../draw/run/brackets';
import { type LaneBars, laneBars } from '../draw/run/lanes';
import {
  laneSpan,
  type TimelineLane,
  type TimelineModel,
  timelineModel,
} from '../draw/run/timeline';
import type { Window } from '../draw/run/timeline-axis';
import type { ReasonAt } from '../draw/run/timeline-marks';
import type { Bracket } from '../model/lesson/measured';
import { RULER } from './lanePaint';

const RIGHT = 24;
/** On a phone the names are above the bars. */
const NARROW = { left: 12, right: 8, caption: 16 };
const NARROW_WIDTH = 600;
const NARROW_HEIGHT = 46;
/** Lanes lower than this have no room for a name above the bar; names are then beside them. */
const LEAST_NARROW = 28;
/** Largest share of a narrow sheet's width for names beside the bars. */
const NAMES_SHARE = 0.34;
const MOST_HEIGHT = 22;
const LEAST_HEIGHT = 12;
/** Height of the bars of the run before, and their distance from the row below. */
const GHOST = { height: 3, above: 1 };

export interface LaneSource {
  /** Width reserved for the names of the lanes. */
  readonly left: number;
  /** Low lanes close together, with names beside them at any width. */
  readonly dense?: boolean;
  readonly reasons: readonly ReasonAt[];
  /** At most `most` lanes within the window. */
  lanes(window: Window, most: number): readonly TimelineLane[];
  /** The same lanes of the run before a change, all of them; null if none is shown. */
  lanesBefore?(window: Window): readonly TimelineLane[] | null;
}

interface Sheet {
  readonly width: number;
  readonly height: number;
  readonly window: Window;
  readonly scale: number;
  readonly brackets: readonly Bracket[];
}

export interface LaidLanes {
  readonly model: TimelineModel;
  readonly brackets: readonly PlacedBracket[];
  /** Bars of the run before a change; null if none is shown. */
  readonly before: readonly LaneBars[] | null;
}

export function laidLanes(sheet: Sheet, source: LaneSource): LaidLanes {
  const { width, height, window, scale } = sheet;
  const { left, dense = false, reasons } = source;
  const isNarrow = width < NARROW_WIDTH && !dense;
  const nameWidth = isNarrow ? Math.min(left * scale, width * NAMES_SHARE) : left * scale;
  const margins = { left: nameWidth, right: dense || isNarrow ? 8 : RIGHT };
  const axis = linearAxis(window.from, window.to, margins.left, width - margins.right);
  const brackets = placedBrackets(sheet.brackets, axis, scale);
  const bracketRows = 1 + Math.max(-1, ...brackets.map(({ row }) => row));
  const top = (RULER + bracketRows * BRACKET_ROW) * scale;
  const room = height - top - 4;
  const least = dense ? LEAST_HEIGHT - 2 : LEAST_HEIGHT;
  const lanes = source.lanes(window, Math.floor(room / (isNarrow ? LEAST_NARROW : least * scale)));
  const narrow = isNarrow && room >= lanes.length * LEAST_NARROW;
  const most = narrow ? NARROW_HEIGHT : MOST_HEIGHT * scale;
  const model = timelineModel({
    width,
    window,
    lanes,
    chain: reasons,
    laneHeight: Math.min(most, room / Math.max(1, lanes.length)),
    ...(narrow ? NARROW : margins),
    top,
    scale,
  });
  return { model, brackets, before: barsBefore(model, source.lanesBefore?.(window) ?? null) };
}

/** Thin bars at the foot of each lane that both runs have. */
function barsBefore(
  { rows, axis, caption, barHeight }: TimelineModel,
  lanes: readonly TimelineLane[] | null,
): readonly LaneBars[] | null {
  if (!lanes) return null;
  return rows.flatMap(({ lane, y }) => {
    const then = lanes.find(({ id }) => id === lane.id);
    const spans = then?.spans.map((span) => laneSpan(then, span)) ?? [];
    const foot = y + caption + 3.2 + barHeight - GHOST.above;
    return laneBars(spans, axis, foot - GHOST.height, GHOST.height);
  });
}
