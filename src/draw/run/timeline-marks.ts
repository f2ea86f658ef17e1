/** The numbers of a chain of causes on the lanes; coinciding ones are side by side. */
import type { TimelineModel } from './timeline';

export interface ReasonAt {
  readonly number: number;
  readonly timePs: number;
  readonly part: number;
}

export interface ReasonMark {
  readonly number: number;
  readonly row: number;
  readonly x: number;
  readonly y: number;
}

export const MARK_RADIUS = 6.5;
const APART = 2 * MARK_RADIUS + 1.5;

/** The visible marks; overlapping ones move right, at the edge left. */
export function reasonMarks(model: TimelineModel, reasons: readonly ReasonAt[]): ReasonMark[] {
  const { low, high } = model.axis;
  const edge = model.axis.at(high) + MARK_RADIUS;
  return model.rows.flatMap(({ lane, y }, row) => {
    const here = reasons
      .filter(({ part, timePs }) => part === lane.part && timePs >= low && timePs <= high)
      .toSorted((a, b) => a.timePs - b.timePs || a.number - b.number);
    const isFirst = model.rows.findIndex((other) => other.lane.part === lane.part) === row;
    if (!isFirst) return [];
    const places = spread(
      here.map(({ timePs }) => model.axis.at(timePs)),
      edge,
    );
    const middle = y + model.caption + model.barHeight / 2 + 1.6;
    return here.map(({ number }, index) => ({ number, row, x: places[index] ?? 0, y: middle }));
  });
}

/** Positions in rising order, each as near to the requested one as distance and edge allow. */
function spread(requested: readonly number[], edge: number): number[] {
  const places: number[] = [];
  for (const x of requested)
    places.push(Math.max(x, (places.at(-1) ?? Number.NEGATIVE_INFINITY) + APART));
  for (let i = places.length - 1, most = edge; i >= 0; i--, most -= APART) {
    places[i] = Math.min(places[i] ?? most, most);
  }
  return places;
}
