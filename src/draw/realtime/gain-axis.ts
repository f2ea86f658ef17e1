/**
 * The vertical axis of gains: lines at round percentages, and a rail below zero, where one processor is
 * better.
 */
import { signedPercent } from '../../base/format';
import { type Axis, niceStep } from '../axis';
import { line, rect, type Shape, words } from '../shape';

/** Least distance between two lines, in px. */
const LEAST_STEP = 34;

export function gainAxisShapes(
  y: Axis,
  { left, right, top, base }: Readonly<Record<'left' | 'right' | 'top' | 'base', number>>,
): Shape[] {
  const zero = y.at(0);
  const shapes: Shape[] = [rect(left, zero, right - left, base - zero, 'rail')];
  const step = niceStep(y.high - y.low, Math.max(3, Math.floor((base - top) / LEAST_STEP)));
  for (let tick = Math.ceil(y.low / step) * step; tick <= y.high; tick += step)
    shapes.push(
      line(left, y.at(tick), right, y.at(tick), Math.abs(tick) < 1e-9 ? 'thin' : 'hair'),
      words(left - 6, y.at(tick) + 3.5, signedPercent(tick, 0), 't10 i2 end'),
    );
  return shapes;
}
