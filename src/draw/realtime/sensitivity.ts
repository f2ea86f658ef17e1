/**
 * A gain when one cost changes by a fifth, as a line on a scale in per cent: from a bar (less) to a dot
 * (more), with the present gain and the published one as a ring.
 */
import type { Sensitivity, SensitivityBand } from '../../model/report/sensitivity-groups';
import { type Axis, linearAxis } from '../axis';
import { circle, line, type Shape } from '../shape';

export interface GainScale {
  readonly width: number;
  readonly height: number;
  readonly axis: Axis;
}

const [WIDTH, HEIGHT, EDGE] = [76, 16, 7];

/** One scale for all gains and costs, so that lines can be compared. */
export function gainScale({ gains, costs }: Sensitivity): GainScale {
  const values = [
    0,
    ...gains.flatMap(({ simulated, published }) => [simulated, published]),
    ...costs.flatMap((cost) => cost.gains.flat().flatMap((gain) => gain ?? [])),
  ];
  const axis = linearAxis(Math.min(...values), Math.max(...values), EDGE, WIDTH - EDGE);
  return { width: WIDTH, height: HEIGHT, axis };
}

export function sensitivityShapes(
  { axis }: GainScale,
  { simulated, published }: SensitivityBand,
  less: number | null,
  more: number | null,
): Shape[] {
  const y = HEIGHT / 2;
  const [from, to] = [less, more].map((gain) => axis.at(gain ?? simulated)) as [number, number];
  return [
    line(axis.at(0), 1, axis.at(0), HEIGHT - 1, 'thin'),
    line(axis.at(axis.low), y, axis.at(axis.high), y, 'hair'),
    line(from, y, to, y, 'flow'),
    line(from, y - 4, from, y + 4, 'flow'),
    circle(to, y, 2.8, 'accf'),
    line(axis.at(simulated), y - 3, axis.at(simulated), y + 3, 'thin'),
    circle(axis.at(published), y, 5, 'heavy'),
  ];
}
