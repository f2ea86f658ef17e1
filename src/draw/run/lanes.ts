/**
 * Timeline lanes: what each part of a machine did, several runs one below the other on one time axis.
 *
 *     PIO write   CPU      ▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒│
 *                 PCI bus   |||||||||||||│
 *                                        ├── DMA is 4.27 µs later ──▸│
 *     DMA write   CPU      ▓▓▓▓▓         free               ▓▓▓▓▓▓▓▓▓│
 *
 * Bars too narrow to tell apart are drawn as one path per style, with gaps only where a gap is visible.
 */
import { NO_BREAK_SPACE, text, time } from '../../base/format';
import { type Axis, linearAxis, type Tick, timeTicks } from '../axis';
import type { Label } from '../lab/chart-types';
import { widthOf } from '../text-width';

export type SpanStyle = 'solid' | 'hatch' | 'blocked' | 'light' | 'outline' | 'dashed' | 'line';

export interface LaneSpan {
  readonly fromPs: number;
  readonly toPs: number;
  readonly style: SpanStyle;
  /** Colour of the bar: `hue` of the mechanism, `ink` of software, or an actor's name. */
  readonly tone: string;
  readonly text: string;
}

/** Text over a part of a lane: what many short bars are, or why there are none. */
export interface LaneNote {
  readonly fromPs: number;
  readonly toPs: number;
  readonly text: string;
  /** Over an empty part. */
  readonly quiet: boolean;
}

interface LaneInput {
  readonly id: string;
  readonly title: string;
  readonly spans: readonly LaneSpan[];
  readonly notes: readonly LaneNote[];
}

export interface LaneGroupInput {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly hue: number;
  readonly endPs: number;
  /** End of the trace, if the run is longer. */
  readonly recordedPs: number;
  readonly lanes: readonly LaneInput[];
}

export interface LaneBars {
  readonly style: SpanStyle;
  readonly tone: string;
  /** Left edge and width of each bar, one after the other; all have the same top and height. */
  readonly edges: readonly number[];
  readonly y: number;
  readonly height: number;
  /** The bars as one SVG path. */
  readonly path: string;
}

export interface LaneLabel {
  readonly x: number;
  readonly text: string;
  /** Background of the text: a bar in full colour, a pale one, or strokes that must make room for it. */
  readonly ground: 'full' | 'pale' | 'hatched';
}

interface LaneRow {
  readonly id: string;
  readonly title: string;
  readonly y: number;
  readonly bars: readonly LaneBars[];
  readonly labels: readonly LaneLabel[];
  readonly notes: readonly {
    readonly x: number;
    readonly width: number;
    readonly text: string;
    readonly quiet: boolean;
  }[];
}

interface LaneGroup {
  readonly id: string;
  readonly title: Label;
  /** Left out if there is no room. */
  readonly note: Label | null;
  readonly hue: number;
  readonly lanes: readonly LaneRow[];
  /** End of the run: position, rows and time. */
  readonly end: {
    readonly x: number;
    readonly from: number;
    readonly to: number;
    readonly label: Label;
  };
  /** Where the trace ends, if the run is longer. */
  readonly cut: { readonly x: number; readonly label: Label } | null;
}

interface Difference {
  readonly y: number;
  readonly from: number;
  readonly to: number;
  readonly label: Label;
  /** Width of the label's gap in the arrow; 0: the label is beside it. */
  readonly gap: number;
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
/** Thickness of a line: background activity. */
const LINE = 2;

/** Left edges and widths, clipped to the axis; neighbours closer than half a pixel are merged. */
function edgesOf(spans: readonly LaneSpan[], axis: Axis): number[] {
  const edges: number[] = [];
  let from = Number.NaN;
  let to = Number.NaN;
  const flush = () => {
    if (Number.isNaN(from)) return;
    edges.push(from, Math.max(0.6, to - from));
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
  return edges;
}

function pathOf(edges: readonly number[], y: number, height: number): string {
  let path = '';
  for (let at = 0; at < edges.length; at += 2) {
    const [from, width] = [edges[at] ?? 0, edges[at + 1] ?? 0];
    path += `M${from.toFixed(2)} ${y}h${width.toFixed(2)}v${height}h${(-width).toFixed(2)}z`;
  }
  return path;
}

const within = (spans: readonly LaneSpan[], axis: Axis): readonly LaneSpan[] =>
  spans.filter((span) => span.toPs >= axis.low && span.fromPs <= axis.high);

/** The bars of a lane, by style and tone. */
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
  return [...kinds.values()].map((same) => {
    const style = same[0]?.style ?? 'solid';
    const isLine = style === 'line';
    const edges = edgesOf(same, axis);
    const [top, low] = isLine ? [y + (height - LINE) / 2, LINE] : [y, height];
    return {
      ...{ style, tone: same[0]?.tone ?? 'ink', edges, y: top, height: low },
      get path() {
        return pathOf(edges, top, low);
      },
    };
  });
}

const GROUNDS: Readonly<Record<SpanStyle, LaneLabel['ground']>> = {
  solid: 'full',
  light: 'pale',
  outline: 'pale',
  dashed: 'pale',
  line: 'pale',
  hatch: 'hatched',
  blocked: 'hatched',
};

/** Size of a label on its bar, at scale 1. */
const LABEL = 11.5;

/** Labels only where they fit inside their bar, in letters of the given scale. */
export function laneLabels(spans: readonly LaneSpan[], axis: Axis, scale = 1): LaneLabel[] {
  return within(spans, axis).flatMap((span) => {
    const left = axis.at(Math.max(span.fromPs, axis.low));
    const right = axis.at(Math.min(span.toPs, axis.high));
    const fits =
      span.text !== '' &&
      span.style !== 'line' &&
      widthOf(span.text, LABEL * scale) + 12 <= right - left;
    return fits ? [{ x: left + 6, text: span.text, ground: GROUNDS[span.style] }] : [];
  });
}

const notesOf = (notes: readonly LaneNote[], axis: Axis): LaneRow['notes'] =>
  notes.flatMap(({ fromPs, toPs, text: words, quiet }) => {
    const [left, right] = [axis.at(fromPs), axis.at(toPs)];
    const width = widthOf(words, 11.5);
    return width + 14 <= right - left ? [{ x: left + 8, width, text: words, quiet }] : [];
  });

interface Sheet {
  readonly axis: Axis;
  readonly compact: boolean;
  readonly right: number;
}

/** Beside the lanes, or on a small sheet in a line of their own above them. */
function namesOf(input: LaneGroupInput, y: number, { compact }: Sheet) {
  const title: Label = {
    x: compact ? 4 : 16,
    y: compact ? y - 7 : y + 12.5,
    text: input.title,
    anchor: 'start',
  };
  const note: Label = { x: 16, y: y + 27, text: input.note, anchor: 'start' };
  return { title, note: compact || input.lanes.length < 2 ? null : note };
}

/** Beyond the end of the trace there are no bars, although the run continued. */
function cutOf({ recordedPs, endPs }: LaneGroupInput, y: number, { axis }: Sheet) {
  if (recordedPs >= endPs) return null;
  const x = axis.at(recordedPs);
  const words = 'and so on: the record ends here';
  const label: Label = { x: x + 8, y: y + 12.5, text: words, anchor: 'start' };
  return { x, label };
}

function groupOf(input: LaneGroupInput, y: number, sheet: Sheet): LaneGroup {
  const { axis, compact, right } = sheet;
  const lanes = input.lanes.map((lane, row) => {
    const at = y + row * STEP;
    return {
      id: lane.id,
      title: lane.title,
      y: at,
      bars: laneBars(lane.spans, axis, at, LANE),
      labels: laneLabels(lane.spans, axis),
      notes: notesOf(lane.notes, axis),
    };
  });
  const to = y + (input.lanes.length - 1) * STEP + LANE + 1;
  const x = axis.at(input.endPs);
  const words = text(time(input.endPs));
  const label: Label = compact
    ? { x: right, y: y - 7, text: words, anchor: 'end' }
    : { x: x + 5, y: to - 5, text: words, anchor: 'start' };
  const names = namesOf(input, y, sheet);
  const end = { x, from: y - 6, to, label };
  return { id: input.id, hue: input.hue, ...names, lanes, end, cut: cutOf(input, y, sheet) };
}

/** Which run ends later, and by how much: between the two groups, on a small sheet below them. */
function differenceOf(
  a: LaneGroup,
  b: LaneGroup,
  inputs: readonly LaneGroupInput[],
  { compact, right }: Sheet,
): Difference {
  const [first, second] = [inputs[0]?.endPs ?? 0, inputs[1]?.endPs ?? 0];
  const later = first > second ? inputs[0] : inputs[1];
  const gap = text(time(Math.abs(first - second), 3));
  const words =
    first === second ? 'both end together' : `${later?.title} is ${gap}${NO_BREAK_SPACE}later`;
  const width = widthOf(words, 11.5) + 14;
  const [from, to] = [Math.min(a.end.x, b.end.x), Math.max(a.end.x, b.end.x)];
  const y = compact ? b.end.to + 10 : a.end.to + 7;
  if (compact)
    return { y, from, to, gap: 0, label: { x: right, y: y + 16, text: words, anchor: 'end' } };
  const inside = to - from > width + 24;
  const label: Label = inside
    ? { x: (from + to) / 2, y: y + 4, text: words, anchor: 'middle' }
    : { x: from - 8, y: y + 4, text: words, anchor: 'end' };
  return { y, from, to, gap: inside ? width : 0, label };
}

export function lanesModel({ width, groups, compact }: LanesInput): LanesModel {
  const [left, space] = compact ? [104, 12] : [212, 62];
  const right = width - space;
  const longest = Math.max(1, ...groups.map((group) => group.endPs));
  const sheet = { axis: linearAxis(0, longest, left, right), compact, right };
  const gap = compact ? GAP + 16 : GAP;
  let y = compact ? TOP + 20 : TOP;
  const placed = groups.map((group) => {
    const row = groupOf(group, y, sheet);
    y += group.lanes.length * STEP + gap;
    return row;
  });
  const [a, b] = placed;
  return {
    width,
    height: Math.max(0, compact ? y + 4 : y - gap + 4),
    left,
    right,
    laneHeight: LANE,
    ticks: timeTicks(sheet.axis, compact ? 4 : 14, 'first'),
    groups: placed,
    difference: a && b ? differenceOf(a, b, groups, sheet) : null,
  };
}
