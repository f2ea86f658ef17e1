/** Paints the text of the lanes, on their bars and beside them. */
import type { LaneLabel } from '../draw/run/lanes';
import type { TimelineRow } from '../draw/run/timeline';
import { MARK_RADIUS, type ReasonMark } from '../draw/run/timeline-marks';
import type { Brush } from './CanvasView';
import { laneFont } from './lanePlayhead';
import type { LanesPicture } from './lanesPicture';

const SIZE = 10.5;
/** Bars lower than this have no text. */
const LEAST = 8.5;
/** Half the height of a capital letter as a share of the font size; centres text on a bar. */
const HALF_CAPITAL = 0.35;

/** A horizontal range of the sheet: the text colour depends on its background. */
interface Side {
  readonly from: number;
  readonly to: number;
  readonly ink: Readonly<Record<LaneLabel['ground'], string>>;
}

const REACHED: Side['ink'] = { full: '--ink-on', pale: '--ink-1', hatched: '--ink-2' };
const AHEAD: Side['ink'] = { full: '--ink-1', pale: '--ink-2', hatched: '--ink-3' };

/**
 * Bars after the playhead are pale, so their text has the page's colour. Nothing is written
 * where the run is hidden.
 */
export function paintWords(
  brush: Brush,
  picture: LanesPicture,
  marks: readonly ReasonMark[],
  [left, right]: readonly [number, number],
): void {
  const { context } = brush;
  const { model, playheadPs, hiddenFromPs = Number.POSITIVE_INFINITY, scale } = picture;
  if (model.barHeight < LEAST * scale) return;
  const xOf = (timePs: number) =>
    Math.min(Math.max(model.axis.at(Math.min(timePs, model.axis.high)), left), right);
  const seam = xOf(playheadPs);
  const reached: Side = { from: left, to: seam, ink: REACHED };
  const ahead: Side = { from: seam, to: xOf(hiddenFromPs), ink: AHEAD };
  for (const side of [reached, ahead]) {
    if (side.from >= side.to) continue;
    context.save();
    context.beginPath();
    context.rect(side.from, 0, side.to - side.from, brush.height);
    context.clip();
    model.rows.forEach((row, index) => {
      const here = marks.filter((mark) => mark.row === index);
      paintLabels(brush, row, picture, here, side);
    });
    context.restore();
  }
}

/** Text in the middle of the bars, left out where a cause number covers it. */
function paintLabels(
  brush: Brush,
  { labels, y }: TimelineRow,
  { model, scale }: LanesPicture,
  marks: readonly ReasonMark[],
  side: Side,
): void {
  const { context, color } = brush;
  const size = Math.min(SIZE * scale, model.barHeight + 1);
  context.font = laneFont(brush, size);
  context.textAlign = 'left';
  const base = y + model.caption + 1.6 + model.barHeight / 2 + size * HALF_CAPITAL;
  for (const { x, text, ground } of labels) {
    const end = x + context.measureText(text).width;
    if (end < side.from || x > side.to) continue;
    if (marks.some((mark) => mark.x + MARK_RADIUS > x - 2 && mark.x - MARK_RADIUS < end)) continue;
    if (ground === 'hatched') {
      context.strokeStyle = color('--bg');
      context.lineWidth = 4;
      context.lineJoin = 'round';
      context.strokeText(text, x, base);
    }
    context.fillStyle = color(side.ink[ground]);
    context.fillText(text, x, base);
  }
}
