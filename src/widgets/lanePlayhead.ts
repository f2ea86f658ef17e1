/** Overlay of the lanes: the playhead with its time, and the numbers of the causes. */
import { clamp } from '../base/geometry';
import { MARK_RADIUS, type ReasonMark } from '../draw/run/timeline-marks';
import type { Brush } from './CanvasView';
import type { LanesPicture } from './lanesPicture';

export const laneFont = (brush: Brush, size: number, weight = 400): string =>
  `${weight} ${size}px ${brush.color('--font-tight')}`;

/** The label with the time at the playhead. */
export interface Flag {
  readonly x: number;
  readonly from: number;
  readonly width: number;
}

/** The label of the playhead, kept inside the sheet; null while the playhead is out of view. */
export function flagOf(
  brush: Brush,
  picture: LanesPicture,
  left: number,
  right: number,
): Flag | null {
  const { context } = brush;
  const { model, playheadPs, playheadText, scale } = picture;
  const x = model.axis.at(playheadPs);
  if (x < left - 1 || x > right + 1) return null;
  context.font = laneFont(brush, 11.5 * scale, 600);
  const width = context.measureText(playheadText).width + 12;
  return { x, from: clamp(x - width / 2, 0, brush.width - width), width };
}

export function paintPlayhead(brush: Brush, picture: LanesPicture, { x, from, width }: Flag): void {
  const { context, color } = brush;
  const { model, scale } = picture;
  context.fillStyle = color('--ink-1');
  context.fillRect(x - 0.75, 14 * scale, 1.5, model.bottom - 14 * scale);
  context.fillRect(from, 0, width, 15 * scale);
  context.font = laneFont(brush, 11.5 * scale, 600);
  context.fillStyle = color('--bg');
  context.textAlign = 'center';
  context.fillText(picture.playheadText, from + width / 2, 11.2 * scale);
}

export function paintReasons(brush: Brush, marks: readonly ReasonMark[]): void {
  const { context, color } = brush;
  for (const { number, x, y } of marks) {
    context.beginPath();
    context.arc(x, y, MARK_RADIUS, 0, 7);
    context.fillStyle = color('--accent');
    context.strokeStyle = color('--bg');
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
    context.fillStyle = color('--ink-on');
    context.font = `600 10px ${brush.color('--font-ui')}`;
    context.textAlign = 'center';
    context.fillText(String(number), x, y + 3.3);
  }
}
