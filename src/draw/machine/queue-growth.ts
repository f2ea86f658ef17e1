/**
 * Growth of an exploration with the distance from the initial state: an area for all states found, a line for
 * those still to be explored. The exploration is complete when the line reaches zero.
 */
import { count, integer } from '../../base/format';
import { line, path, polyline, type Shape, words } from '../shape';

interface Point {
  readonly distance: number;
  readonly states: number;
  readonly waiting: number;
}

interface Sheet {
  readonly width: number;
  readonly height: number;
}

const [LEFT, RIGHT, TOP, FOOT] = [2, 4, 14, 18];

export function queueGrowthShapes(points: readonly Point[], { width, height }: Sheet): Shape[] {
  const low = height - FOOT;
  const last = points.at(-1);
  const axis = [line(LEFT, low + 0.5, width - RIGHT, low + 0.5, 'thin')];
  if (!last) return axis;
  const most = Math.max(1, last.states);
  const x = (distance: number) =>
    LEFT + ((width - LEFT - RIGHT) * distance) / Math.max(1, last.distance);
  const y = (amount: number) => low - ((low - TOP) * amount) / most;
  const all = [{ distance: 0, states: 0, waiting: 0 }, ...points];
  const states = all.flatMap((at) => [x(at.distance), y(at.states)]);
  const waiting = all.flatMap((at) => [x(at.distance), y(at.waiting)]);
  return [
    path(polyline([...states, x(last.distance), low, LEFT, low]), 'l2f'),
    path(polyline(states, false), 'thin'),
    path(polyline(waiting, false), 'flow'),
    ...axis,
    words(LEFT, 10, `${integer(last.states)} states`, 't10 i2'),
    words(width - RIGHT, 10, `${integer(last.waiting)} to explore`, 't10 acc end'),
    words(LEFT, height - 4, '0', 't10 i3'),
    words(
      width - RIGHT,
      height - 4,
      `${count(last.distance, 'transition')} from the first state`,
      't10 i3 end',
    ),
  ];
}
