/** Marks on the ruler for time that story pace skips: a hatched band between two torn edges. */
import type { Cut } from '../model/session/story-film';
import type { Brush } from './CanvasView';
import type { LanesPicture } from './lanesPicture';

/** Narrower cuts would be invisible. */
const LEAST_WIDTH = 8;
const BAND = { top: 15, height: 5 };
const STROKES_APART = 4;

export function paintCuts(brush: Brush, picture: LanesPicture, cuts: readonly Cut[]): void {
  const { context, color } = brush;
  const { axis, bottom } = picture.model;
  const [top, height] = [BAND.top * picture.scale, BAND.height * picture.scale];
  for (const { fromPs, toPs } of cuts) {
    const from = axis.at(Math.max(fromPs, axis.low));
    const to = axis.at(Math.min(toPs, axis.high));
    if (to - from < LEAST_WIDTH) continue;
    context.save();
    context.beginPath();
    context.rect(from, top, to - from, height);
    context.clip();
    context.strokeStyle = color('--line-3');
    context.lineWidth = 1;
    context.beginPath();
    for (let x = from - height; x < to; x += STROKES_APART) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.stroke();
    context.restore();
    context.strokeStyle = color('--line-2');
    context.setLineDash([2, 3]);
    context.beginPath();
    for (const [x, inside] of [
      [from, fromPs >= axis.low],
      [to, toPs <= axis.high],
    ] as const) {
      if (!inside) continue;
      context.moveTo(x, top);
      context.lineTo(x, bottom);
    }
    context.stroke();
    context.setLineDash([]);
  }
}
