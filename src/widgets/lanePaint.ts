/** Paints the lanes on a canvas: names, bars, arrows, the future in pale ink, the seal, the playhead. */
import { glyph, signOf } from '../draw/glyph';
import type { LaneBars } from '../draw/run/lanes';
import type { TimelineModel, TimelineRow, TimelineSpan } from '../draw/run/timeline';

import { reasonMarks } from '../draw/run/timeline-marks';

import type { Brush } from './CanvasView';
import { paintBrackets } from './laneBrackets';
import { paintCuts } from './laneCuts';
import { type Flag, flagOf, laneFont, paintPlayhead, paintReasons } from './lanePlayhead';
import { paintSeal } from './laneSeal';
import type { LanesPicture } from './lanesPicture';
import { paintWords } from './laneWords';

const SMALL = 10.5;
/** Height of the ruler, at scale 1. */
export const RULER = 20;

export function paintLanes(brush: Brush, picture: LanesPicture): void {
  const { context } = brush;
  const { model } = picture;
  const [left, right] = [model.axis.at(model.axis.low), model.axis.at(model.axis.high)];
  context.textBaseline = 'alphabetic';
  const marks = reasonMarks(model, picture.reasons);
  const flag = flagOf(brush, picture, left, right);
  paintTicks(brush, picture, flag);
  if (picture.before && left > 60) paintLegend(brush, picture.scale, left);
  for (const row of model.rows)
    if (row.lane.part >= 0) paintMiddle(brush, row, picture, left, right);
  clip(brush, left, right);
  paintCuts(brush, picture, picture.cuts ?? []);
  context.restore();
  const { pointed, scale, layer } = picture;
  const paintStill = (on: Brush) => paintRows(on, picture, left, right);
  if (layer) layer.draw(brush, [model, pointed, scale], paintStill);
  else paintStill(brush);
  clip(brush, left, right);
  paintSelected(brush, picture, picture.selected);
  paintSelected(brush, picture, picture.played ?? null);
  paintArrows(brush, model);
  if (!picture.isRecorded) paintFuture(brush, picture, right);
  // The run before a change is known to its end, also after the playhead.
  paintBars(brush, picture.before ?? []);
  paintWords(brush, picture, marks, [left, right]);
  paintBrackets(brush, picture.brackets ?? [], RULER * picture.scale, picture.scale);
  context.restore();
  if (flag) paintPlayhead(brush, picture, flag);
  paintReasons(brush, marks);
}

/** Until the context is restored, nothing is painted over the names. */
function clip({ context, height }: Brush, left: number, right: number): void {
  context.save();
  context.beginPath();
  context.rect(left, 0, right - left, height);
  context.clip();
}

/** The names and bars, which playback does not change. */
function paintRows(brush: Brush, picture: LanesPicture, left: number, right: number): void {
  for (const row of picture.model.rows) paintName(brush, row, picture, left);
  clip(brush, left, right);
  for (const { bars } of picture.model.rows) paintBars(brush, bars);
  brush.context.restore();
}

function paintTicks(brush: Brush, { model, scale }: LanesPicture, flag: Flag | null): void {
  const { context, color } = brush;
  context.font = laneFont(brush, SMALL * scale);
  context.textAlign = 'left';
  for (const tick of model.ticks) {
    context.fillStyle = color('--line-2');
    context.fillRect(Math.round(tick.at), 6 * scale, 1, model.bottom - 6 * scale);
    context.fillStyle = color('--ink-3');
    const end = tick.at + 4 + context.measureText(tick.label).width;
    const isUnderFlag = flag && end > flag.from - 3 && tick.at < flag.from + flag.width;
    if (end <= brush.width && !isUnderFlag) context.fillText(tick.label, tick.at + 4, 13 * scale);
  }
}

/** Beside the ruler: what the thin bars are. */
function paintLegend(brush: Brush, scale: number, left: number): void {
  const { context, color } = brush;
  context.fillStyle = color('--ink-3');
  context.font = laneFont(brush, SMALL * scale);
  context.textAlign = 'left';
  context.fillText('thin: run before', 10, 13 * scale, left - 16);
}

function paintName(
  brush: Brush,
  { lane, y }: TimelineRow,
  { model, scale, pointed }: LanesPicture,
  left: number,
): void {
  const { context, color } = brush;
  const middle = y + model.caption + (model.barHeight + 3.2) / 2;
  const nameAt = model.caption > 0 ? y + model.caption - 4 : middle + 4 * scale;
  if (lane.part === pointed && lane.actor !== '') {
    context.fillStyle = color('--mark');
    const [from, width] = left > 60 ? [10, left - 18] : [left, 96 * scale];
    context.fillRect(from, nameAt - 10 * scale, width, 13 * scale);
  }
  if (lane.part >= 0)
    paintSign(brush, lane.actor, left > 60 ? 20 : left + 4, nameAt - 4 * scale, 3.4 * scale);
  context.fillStyle = color('--ink-2');
  context.font = laneFont(brush, 11.5 * scale);
  context.textAlign = 'left';
  if (left > 60) context.fillText(lane.title, 32, nameAt, left - 40);
  else context.fillText(lane.title, left + 14, nameAt);
}

/** The hairline of a lane under its bars. */
function paintMiddle(
  { context, color }: Brush,
  { y }: TimelineRow,
  { model }: LanesPicture,
  left: number,
  right: number,
): void {
  context.fillStyle = color('--line-2');
  const middle = y + model.caption + (model.barHeight + 3.2) / 2;
  context.fillRect(left, Math.round(middle), right - left, 1);
}

const pathOf = (brush: Brush, data: string): Path2D => brush.path?.(data) ?? new Path2D(data);

function paintSign(brush: Brush, actor: string, x: number, y: number, r: number) {
  const { context, color } = brush;
  const shape = glyph(actor, x, y, r);
  context.fillStyle = context.strokeStyle = color(`--ac-${signOf(actor).hue}`);
  if (shape.kind === 'path') return context.fill(pathOf(brush, shape.d));
  context.beginPath();
  if (shape.kind === 'circle') context.arc(shape.x, shape.y, shape.r, 0, 7);
  context.lineWidth = 1.25;
  if (shape.cls.startsWith('o-')) context.stroke();
  else context.fill();
}

/** Hatch patterns, made again when the colour or the screen changes. */
const hatches = new Map<string, CanvasPattern | null>();

function hatchOf(
  { context, ratio }: Pick<Brush, 'context' | 'ratio'>,
  stroke: string,
  ground: string,
): CanvasPattern | string {
  const key = `${stroke} ${ground} ${ratio}`;
  if (!hatches.has(key)) {
    const size = Math.round(4 * ratio);
    const tile = document.createElement('canvas');
    tile.width = tile.height = size;
    const pen = tile.getContext('2d');
    if (pen) {
      // Ground and strokes in one tile: a bar is filled once.
      pen.fillStyle = ground;
      pen.fillRect(0, 0, size, size);
      pen.strokeStyle = stroke;
      pen.lineWidth = ratio;
      pen.moveTo(-1, size + 1);
      pen.lineTo(size + 1, -1);
      pen.moveTo(-1, 1);
      pen.lineTo(1, -1);
      pen.moveTo(size - 1, size + 1);
      pen.lineTo(size + 1, size - 1);
      pen.stroke();
    }
    const pattern = context.createPattern(tile, 'repeat');
    pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
    hatches.set(key, pattern);
  }
  return hatches.get(key) ?? stroke;
}

/** Bar styles in a solid colour. */
const FULL: readonly string[] = ['solid', 'light', 'line'];

type Rectangle = (x: number, y: number, width: number, height: number) => void;

/** The strokes of a hatch are not seen in a bar narrower than this; it gets their mean tone. */
const LEAST_HATCHED = 4;
/** Share of a hatched area that its strokes cover. */
const STROKED = 0.45;

/** Edges of the bars at least so wide, or of those narrower. */
const ofWidth = (edges: readonly number[], isWide: boolean): readonly number[] =>
  edges.filter((_, at) => (edges[at | 1] ?? 0) >= LEAST_HATCHED === isWide);

/** As one path, some hundred bars keep a computer without a graphics processor busy for tens of milliseconds. */
function eachBar(edges: readonly number[], { y, height }: LaneBars, draw: Rectangle): void {
  for (let at = 0; at < edges.length; at += 2) draw(edges[at] ?? 0, y, edges[at + 1] ?? 0, height);
}

function paintBars(brush: Brush, bars: readonly LaneBars[]): void {
  const { context, color } = brush;
  const fill: Rectangle = (x, top, width, height) => context.fillRect(x, top, width, height);
  const outline: Rectangle = (x, top, width, height) => context.strokeRect(x, top, width, height);
  for (const kind of bars) {
    const hue = color(`--ac-${kind.tone}`);
    context.fillStyle = kind.style === 'line' ? color('--line-3') : hue;
    if (kind.style === 'light') context.globalAlpha = 0.45;
    if (!FULL.includes(kind.style)) {
      const isBad = kind.style === 'outline' || kind.style === 'blocked';
      const stroke = isBad ? color('--bad') : color('--line-3');
      const ground = isBad ? color('--bad-wash') : color('--bg');
      if (kind.style === 'hatch' || kind.style === 'blocked') {
        paintHatched(brush, kind, stroke, ground);
        continue;
      }
      context.fillStyle = ground;
      context.lineWidth = 0.75;
      context.strokeStyle = stroke;
      context.setLineDash(kind.style === 'dashed' ? [2, 1.5] : []);
      eachBar(kind.edges, kind, outline);
      context.setLineDash([]);
    }
    eachBar(kind.edges, kind, fill);
    context.globalAlpha = 1;
  }
}

function paintHatched(brush: Brush, bars: LaneBars, stroke: string, ground: string): void {
  const { context } = brush;
  const fill: Rectangle = (x, top, width, height) => context.fillRect(x, top, width, height);
  const wide = ofWidth(bars.edges, true);
  context.lineWidth = bars.style === 'blocked' ? 0.5 : 0.75;
  context.strokeStyle = stroke;
  eachBar(wide, bars, (x, top, width, height) => context.strokeRect(x, top, width, height));
  context.fillStyle = brush.hatch?.(stroke, ground) ?? hatchOf(brush, stroke, ground);
  eachBar(wide, bars, fill);
  context.fillStyle = stroke;
  context.globalAlpha = STROKED;
  eachBar(ofWidth(bars.edges, false), bars, fill);
  context.globalAlpha = 1;
}

function paintSelected(brush: Brush, picture: LanesPicture, selected: number | null): void {
  const { context, color } = brush;
  const { model } = picture;
  if (selected === null) return;
  for (const { lane, y } of model.rows) {
    const span = lane.spans.find(({ seq }) => seq === selected);
    if (!span) continue;
    const from = model.axis.at(Math.max(span.from, model.axis.low));
    const to = model.axis.at(Math.min(span.to, model.axis.high));
    context.strokeStyle = color('--ink-1');
    context.lineWidth = 1.5;
    const top = y + model.caption + 1;
    context.strokeRect(from - 0.5, top, to - from + 1, model.barHeight + 1.2);
  }
}

function paintArrows(brush: Brush, { arrows }: TimelineModel): void {
  const { context, color } = brush;
  context.strokeStyle = context.fillStyle = color('--accent');
  context.lineWidth = 1.5;
  for (const { path, x, y, down } of arrows) {
    context.stroke(pathOf(brush, path));
    const head = down ? -5 : 5;
    context.fill(pathOf(brush, `M${x} ${y}l-3 ${head}h6z`));
  }
}

/** Time after the playhead is pale; from the moment of decision on it is sealed. */
function paintFuture(brush: Brush, picture: LanesPicture, right: number): void {
  const { context, color } = brush;
  const { model, playheadPs, hiddenFromPs = Number.POSITIVE_INFINITY, seal, scale } = picture;
  const { axis } = model;
  const top = (model.rows[0]?.y ?? 0) - 2;
  const height = model.bottom - top;
  const xOf = (timePs: number) => Math.max(axis.at(Math.min(timePs, axis.high)), axis.at(axis.low));
  const [future, hidden] = [xOf(playheadPs), xOf(hiddenFromPs)];
  context.fillStyle = color('--bg');
  if (hiddenFromPs < axis.high) context.fillRect(hidden, top, right - hidden, height);
  context.globalAlpha = 0.55;
  if (future < hidden) context.fillRect(future, top, hidden - future, height);
  context.globalAlpha = 1;
  const x = seal && seal.fromPs < axis.high ? xOf(seal.fromPs) : right;
  if (seal && x < right) paintSeal(brush, { x, y: top, width: right - x, height }, seal, scale);
}

/** The bar at a point of the sheet. */
export function spanAt(row: TimelineRow, timePs: number, slackPs: number): TimelineSpan | null {
  const near = (span: TimelineSpan) => span.from - slackPs <= timePs && timePs <= span.to + slackPs;
  return row.lane.spans.findLast(near) ?? null;
}
