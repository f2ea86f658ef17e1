/**
 * Timeline lanes: what each part of a machine was doing, several runs under one another on one clock.
 *
 *     PIO write   CPU      ▓▒▒▒▒▒▒▒▒▒▒▒▒▒│
 *                 PCI bus   |||||||||||||│
 *                                        ├── DMA is 4.27 µs later ──▸│
 *     DMA write   CPU      ▓▓▓▓▓         free               ▓▓▓▓▓▓▓▓▓│
 *
 * Bars too narrow to tell apart are drawn as one path per style, with gaps only where a gap can be seen.
 */
import { NO_BREAK_SPACE, text, time } from '../base/format';
import { type Axis, linearAxis, type Tick, timeTicks } from './axis';
import { widthOf } from './chart-text';

export type SpanStyle = 'solid' | 'hatch' | 'light' | 'outline' | 'dashed';

export interface LaneSpan {
  readonly fromPs: number;
  readonly toPs: number;
  readonly style: SpanStyle;
  /** What colours the bar: `hue` of the mechanism, `ink` of software, or an actor's name. */
  readonly tone: string;
  readonly text: string;
}

/** Words over a stretch of a lane: what many short bars are, or why there are none. */
export interface LaneNote {
  readonly fromPs: number;
  readonly toPs: number;
  readonly text: string;
  /** Over an empty stretch. */
  readonly quiet: boolean;
}

interface LaneInput {
  readonly id: string;
  readonly title: string;
  readonly spans: readonly LaneSpan[];
  readonly notes?: readonly LaneNote[];
}

export interface LaneGroupInput {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly hue: number;
  readonly endPs: number;
  /** False: the record ends before the run does. */
  readonly complete: boolean;
  readonly lanes: readonly LaneInput[];
}

export interface LaneBars {
  readonly style: SpanStyle;
  readonly tone: string;
  readonly path: string;
}

export interface LaneLabel {
  readonly x: number;
  readonly text: string;
  /** Drawn on a dark bar, so in the colour of the sheet. */
  readonly onBar: boolean;
}

interface LaneRow {
  readonly id: string;
  readonly title: string;
  readonly y: number;
  readonly bars: readonly LaneBars[];
  readonly labels: readonly LaneLabel[];
  readonly notes: readonly { readonly x: number; readonly text: string; readonly quiet: boolean }[];
}

interface LaneGroup {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly hue: number;
  readonly y: number;
  readonly lanes: readonly LaneRow[];
  /** End of the run: where the needle stands, over which rows, and its time. */
  readonly end: {
    readonly x: number;
    readonly from: number;
    readonly to: number;
    readonly text: string;
  };
}

interface Difference {
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly textAt: number;
  readonly textWidth: number;
}

export interface LanesModel {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly laneHeight: number;
  readonly ticks: readonly Tick[];
  readonly groups: readonly LaneGroup[];
  readonly difference: Difference | null;
}

export interface LanesInput {
  readonly width: number;
  readonly groups: readonly LaneGroupInput[];
  readonly compact: boolean;
}

const LANE = 17;
const STEP = 21;
const TOP = 24;
const GAP = 16;

/** Rectangles as one path, cut to the axis; neighbours closer than half a pixel become one. */
function barsPath(spans: readonly LaneSpan[], axis: Axis, y: number, height: number): string {
  const parts: string[] = [];
  let from = Number.NaN;
  let to = Number.NaN;
  const flush = () => {
    if (Number.isNaN(from)) return;
    const width = Math.max(0.6, to - from);
    parts.push(`M${from.toFixed(2)} ${y}h${width.toFixed(2)}v${height}h${(-width).toFixed(2)}z`);
  };
  for (const span of spans) {
    const left = axis.at(Math.max(span.fromPs, axis.low));
    const right = axis.at(Math.min(span.toPs, axis.high));
    const wide = right - left > 2;
    if (left - to < 0.5 && !wide) {
      to = Math.max(to, right);
      continue;
    }
    flush();
    [from, to] = [left, wide ? right - 0.6 : right];
  }
  flush();
  return parts.join('');
}

const within = (spans: readonly LaneSpan[], axis: Axis): readonly LaneSpan[] =>
  spans.filter((span) => span.toPs >= axis.low && span.fromPs <= axis.high);

/** The bars of a lane, one path for each style and tone. */
export function laneBars(
  spans: readonly LaneSpan[],
  axis: Axis,
  y: number,
  height: number,
): LaneBars[] {
  const kinds = new Map<string, LaneSpan[]>();
  for (const span of within(spans, axis)) {
    const key = `${span.style} ${span.tone}`;
    const same = kinds.get(key);
    if (same) same.push(span);
    else kinds.set(key, [span]);
  }
  return [...kinds.values()].map((same) => ({
    style: same[0]?.style ?? 'solid',
    tone: same[0]?.tone ?? 'ink',
    path: barsPath(same, axis, y, height),
  }));
}

/** Labels appear where they fit inside their bar, never outside it. */
export function laneLabels(spans: readonly LaneSpan[], axis: Axis): LaneLabel[] {
  return within(spans, axis).flatMap((span) => {
    const left = axis.at(Math.max(span.fromPs, axis.low));
    const right = axis.at(Math.min(span.toPs, axis.high));
    const fits = span.text !== '' && widthOf(span.text, 11.5) + 12 <= right - left;
    return fits ? [{ x: left + 6, text: span.text, onBar: span.style === 'solid' }] : [];
  });
}

const notesOf = (notes: readonly LaneNote[], axis: Axis): LaneRow['notes'] =>
  notes.flatMap(({ fromPs, toPs, text: words, quiet }) => {
    const [left, right] = [axis.at(fromPs), axis.at(toPs)];
    return widthOf(words, 11.5) + 14 <= right - left ? [{ x: left + 8, text: words, quiet }] : [];
  });

function groupOf(input: LaneGroupInput, axis: Axis, y: number): LaneGroup {
  const lanes = input.lanes.map((lane, row) => {
    const at = y + row * STEP;
    return {
      id: lane.id,
      title: lane.title,
      y: at,
      bars: laneBars(lane.spans, axis, at, LANE),
      labels: laneLabels(lane.spans, axis),
      notes: notesOf(lane.notes ?? [], axis),
    };
  });
  const last = y + (input.lanes.length - 1) * STEP + LANE + 1;
  const words = `${text(time(input.endPs))}${input.complete ? '' : ', record ends'}`;
  const end = { x: axis.at(input.endPs), from: y - 6, to: last, text: words };
  return { id: input.id, title: input.title, note: input.note, hue: input.hue, y, lanes, end };
}

/** Which run ends later, and by how much, between the two groups. */
function differenceOf(a: LaneGroup, b: LaneGroup, inputs: readonly LaneGroupInput[]): Difference {
  const [first, second] = [inputs[0]?.endPs ?? 0, inputs[1]?.endPs ?? 0];
  const later = first > second ? inputs[0] : inputs[1];
  const gap = text(time(Math.abs(first - second), 3));
  const words =
    first === second ? 'both end together' : `${later?.title} is ${gap}${NO_BREAK_SPACE}later`;
  const textWidth = widthOf(words, 11.5) + 14;
  const middle = (a.end.x + b.end.x) / 2;
  return {
    y: a.end.to + 7,
    from: Math.min(a.end.x, b.end.x),
    to: Math.max(a.end.x, b.end.x),
    text: words,
    textAt: middle,
    textWidth,
  };
}

export function lanesModel({ width, groups, compact }: LanesInput): LanesModel {
  const [left, right] = compact ? [74, 12] : [212, 62];
  const longest = Math.max(1, ...groups.map((group) => group.endPs));
  const axis = linearAxis(0, longest, left, width - right);
  let y = TOP;
  const placed = groups.map((group) => {
    const row = groupOf(group, axis, y);
    y += group.lanes.length * STEP + GAP;
    return row;
  });
  const [a, b] = placed;
  return {
    width,
    height: Math.max(0, y - GAP + 4),
    left,
    right: width - right,
    laneHeight: LANE,
    ticks: timeTicks(axis, compact ? 4 : 14, 'first'),
    groups: placed,
    difference:
      a && b && groups.every((group) => group.complete) ? differenceOf(a, b, groups) : null,
  };
}
