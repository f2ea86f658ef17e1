/**
 * The lanes of one open run: what every part did in a time window. The bars are those of lanes.ts; this adds
 * the window, the rows with their actors, and the arrows of one chain of causes.
 */
import { type Axis, linearAxis, type Tick } from '../axis';
import { signOf } from '../glyph';
import { type LaneBars, type LaneLabel, type LaneSpan, laneBars, laneLabels } from './lanes';
import { type Window, windowTicks } from './timeline-axis';

export interface TimelineSpan {
  readonly from: number;
  readonly to: number;
  readonly style: string;
  readonly title: string;
  /** Text on the bar, if it is not its title. */
  readonly label?: string;
  /** Actor on whose behalf it happens; the row's own if there is none. */
  readonly actor: string | null;
  /** Trace record that began it. */
  readonly seq: number;
}

export interface TimelineLane {
  readonly id: string;
  readonly part: number;
  readonly title: string;
  readonly actor: string;
  /** Those that overlap the window, in order of time. */
  readonly spans: readonly TimelineSpan[];
}

/** A record of the chain of causes, newest first. */
interface ChainLink {
  readonly timePs: number;
  readonly part: number;
}

export interface TimelineInput {
  readonly width: number;
  readonly window: Window;
  readonly lanes: readonly TimelineLane[];
  readonly chain: readonly ChainLink[];
  readonly laneHeight: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  /** Room above each bar for the name of its lane, if there is none beside it. */
  readonly caption?: number;
  /** Scale of the letters; 1 on a desk. */
  readonly scale?: number;
}

export interface TimelineRow {
  readonly lane: TimelineLane;
  readonly y: number;
  readonly bars: readonly LaneBars[];
  readonly labels: readonly LaneLabel[];
}

interface Arrow {
  readonly path: string;
  /** Tip and direction of the head. */
  readonly x: number;
  readonly y: number;
  readonly down: boolean;
}

export interface TimelineModel {
  readonly axis: Axis;
  readonly ticks: readonly Tick[];
  readonly rows: readonly TimelineRow[];
  readonly arrows: readonly Arrow[];
  readonly bottom: number;
  readonly barHeight: number;
  readonly caption: number;
}

const STYLES = new Set(['solid', 'hatch', 'blocked', 'light', 'outline', 'dashed', 'line']);
/** More arrows than this would hide what they explain. */
const MOST_ARROWS = 12;

/** A span in the style and colour of its bar. */
export function laneSpan(lane: TimelineLane, span: TimelineSpan): LaneSpan {
  const style = STYLES.has(span.style) ? span.style : 'solid';
  const { hue } = signOf(span.actor ?? lane.actor);
  return {
    fromPs: span.from,
    toPs: span.to,
    style: style as LaneSpan['style'],
    tone: hue,
    text: span.label ?? span.title,
  };
}

export function timelineModel(input: TimelineInput): TimelineModel {
  const { window, lanes, laneHeight, left, top } = input;
  const right = Math.max(left + 1, input.width - input.right);
  const axis = linearAxis(window.from, window.to, left, right);
  const caption = input.caption ?? 0;
  const barHeight = laneHeight - caption - 3.2;
  const rows = lanes.map((lane, index) => {
    const y = top + index * laneHeight;
    const spans = lane.spans.map((span) => laneSpan(lane, span));
    return {
      lane,
      y,
      bars: laneBars(spans, axis, y + caption + 1.6, barHeight),
      labels: laneLabels(spans, axis, input.scale),
    };
  });
  return {
    axis,
    ticks: windowTicks(axis, Math.max(2, Math.floor((right - left) / 140))),
    rows,
    arrows: arrowsOf(input.chain, rows, axis, laneHeight, caption),
    bottom: top + lanes.length * laneHeight,
    barHeight,
    caption,
  };
}

/** From each cause to its effect, if both are in the window and on different rows. */
function arrowsOf(
  chain: readonly ChainLink[],
  rows: readonly TimelineRow[],
  axis: Axis,
  laneHeight: number,
  caption: number,
): Arrow[] {
  const rowOf = (part: number) => rows.find((row) => row.lane.part === part);
  const arrows: Arrow[] = [];
  for (let i = 0; i + 1 < chain.length && arrows.length < MOST_ARROWS; i++) {
    const [effect, cause] = [chain[i] as ChainLink, chain[i + 1] as ChainLink];
    const [to, from] = [rowOf(effect.part), rowOf(cause.part)];
    if (!to || !from || to === from) continue;
    if (cause.timePs < axis.low || effect.timePs > axis.high) continue;
    const [x1, x2] = [axis.at(cause.timePs), axis.at(effect.timePs)];
    const down = to.y > from.y;
    const middle = (laneHeight + caption) / 2;
    const y1 = from.y + middle + (down ? 5 : -5);
    const y2 = to.y + middle + (down ? -5 : 5);
    const bend = Math.max(6, (x2 - x1) / 2);
    const path =
      x2 - x1 < 3
        ? `M${x2} ${y1}V${y2}`
        : `M${x1} ${y1}C${x1 + bend} ${y1} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
    arrows.push({ path, x: x2, y: y2, down });
  }
  return arrows;
}

/** The lane at a height on the sheet, if there is one. */
export const laneAt = (model: TimelineModel, y: number): TimelineRow | undefined =>
  model.rows.find((row, index) => {
    const next = model.rows[index + 1]?.y ?? model.bottom;
    return y >= row.y && y < next;
  });
