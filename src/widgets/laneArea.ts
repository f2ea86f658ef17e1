/** An area of the lanes: a time interval over some lines, one below the other. */
import type { TimelineModel } from '../draw/run/timeline';
import type { Brush } from './CanvasView';

export interface LaneArea {
  readonly from: number;
  readonly to: number;
  /** Ids of its lines. */
  readonly lanes: readonly string[];
}

/** The area between two points of the sheet. */
export function areaBetween(
  { axis, rows, bottom }: TimelineModel,
  a: { readonly x: number; readonly y: number },
  b: { readonly x: number; readonly y: number },
): LaneArea {
  const clamped = (x: number) => Math.min(Math.max(axis.valueAt(x), axis.low), axis.high);
  const [top, low] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  const lanes = rows.filter(({ lane, y }, i) => {
    const end = rows[i + 1]?.y ?? bottom;
    return lane.part >= 0 && y <= low && end >= top;
  });
  return {
    from: clamped(Math.min(a.x, b.x)),
    to: clamped(Math.max(a.x, b.x)),
    lanes: lanes.map(({ lane }) => lane.id),
  };
}

export function paintArea({ context, color }: Brush, model: TimelineModel, area: LaneArea): void {
  const { axis, rows, bottom } = model;
  const from = axis.at(Math.max(area.from, axis.low));
  const to = axis.at(Math.min(area.to, axis.high));
  if (to < from) return;
  context.lineWidth = 1.5;
  context.strokeStyle = context.fillStyle = color('--accent');
  rows.forEach(({ lane, y }, i) => {
    if (!area.lanes.includes(lane.id)) return;
    const height = (rows[i + 1]?.y ?? bottom) - y;
    context.globalAlpha = 0.14;
    context.fillRect(from, y, to - from, height);
    context.globalAlpha = 1;
    context.fillRect(from - 0.75, y, 1.5, height);
    context.fillRect(to - 0.75, y, 1.5, height);
  });
}
