/**
 * Finds where one method overtakes another, from runs only: first between two sizes of the table, then, with
 * additional runs, between two adjacent sizes. The first answer is what a table shows, the second where the curves
 * meet.
 */
import { findCrossing } from '../scenario/experiment';
import { isSizes, type LabCrossing, type LabPlan, type LabPoint, pointBetween } from './plan';
import { type LabRun, type RunSet, runAt, runsOf } from './runs';

/** Sizes tried per round, so that three rounds find one step among 512. */
const AT_ONCE = 7;

export interface CrossingFound {
  /** First size of the table at which it wins; null if none. */
  readonly grid: number | null;
  /** Where the curves meet; null if they do not cross. */
  readonly exact: number | null;
  /** Found between adjacent sizes that were run, not interpolated between two sizes of the table. */
  readonly refined: boolean;
  /** All runs used have the present parameters; none is stale. */
  readonly own: boolean;
}

interface Bracket {
  readonly low: number;
  readonly high: number;
}

/** For times, smaller is better. */
export const isTime = (unit: string): boolean => /^([pnumµ]?s)$/.test(unit);

/** A value for which larger is better: throughput itself, or the inverse of a time. */
export function worth(run: LabRun | undefined, metric: string, unit: string): number | null {
  const value = run?.values[metric];
  if (typeof value !== 'number' || value <= 0) return null;
  return isTime(unit) ? 1 / value : value;
}

export interface Yardstick {
  readonly metric: string;
  readonly unit: string;
}

/** Lead of `more` at a size, on a logarithmic scale. */
function lead(set: RunSet, crossing: LabCrossing, size: number, by: Yardstick): number | null {
  const more = worth(runAt(set, crossing.more.index, size), by.metric, by.unit);
  const than = worth(runAt(set, crossing.than.index, size), by.metric, by.unit);
  return more === null || than === null ? null : Math.log(more / than);
}

/** The narrowest pair of sizes, both run with the set's own parameters, between which the lead changes. */
function narrowest(set: RunSet, crossing: LabCrossing, by: Yardstick, from: Bracket): Bracket {
  let { low, high } = from;
  for (const { size } of runsOf(set, crossing.more.index)) {
    if (size <= low || size >= high) continue;
    const ahead = lead(set, crossing, size, by);
    if (ahead === null) continue;
    if (ahead > 0) high = size;
    else low = size;
    if (ahead > 0) break;
  }
  return { low, high };
}

/** For most methods time is nearly linear in the axis: where the lines of both would meet. */
function whereTimesMeet(
  plan: LabPlan,
  set: RunSet,
  crossing: LabCrossing,
  by: Yardstick,
  { low, high }: Bracket,
): number | null {
  const time = (series: number, size: number) => {
    const found = worth(runAt(set, series, size), by.metric, by.unit);
    // The time at a rate depends on the size; if sizes do not differ, any value will do.
    const moved = isTime(by.unit) || !isSizes(plan.axis) ? 1 : size;
    return found === null ? null : moved / found;
  };
  const gap = (size: number) => {
    const [more, than] = [time(crossing.more.index, size), time(crossing.than.index, size)];
    return more === null || than === null ? null : than - more;
  };
  const [from, to] = [gap(low), gap(high)];
  return from === null || to === null ? null : low + ((high - low) * -from) / (to - from);
}

const areOwn = (set: RunSet, crossing: LabCrossing, sizes: readonly number[]): boolean =>
  [crossing.more, crossing.than].every((series) =>
    sizes.every((size) => runAt(set, series.index, size)?.key === set.key),
  );

function onTable(plan: LabPlan, set: RunSet, crossing: LabCrossing, by: Yardstick) {
  const column = (series: number) =>
    plan.sizes.map((size) => worth(runAt(set, series, size), by.metric, by.unit));
  return findCrossing(plan.sizes, column(crossing.more.index), column(crossing.than.index));
}

/** The best answer from the runs so far. */
export function crossingIn(
  plan: LabPlan,
  set: RunSet,
  crossing: LabCrossing,
  by: Yardstick,
): CrossingFound {
  const { grid, between } = onTable(plan, set, crossing, by);
  if (!between)
    return { grid, exact: null, refined: false, own: areOwn(set, crossing, plan.sizes) };
  const bracket = narrowest(set, crossing, by, { low: between[0], high: between[1] });
  const exact = whereTimesMeet(plan, set, crossing, by, bracket);
  const refined = exact !== null && bracket.high - bracket.low <= plan.step;
  return { grid, exact, refined, own: areOwn(set, crossing, between) };
}

/** The runs that would narrow down the crossing further; none if it is exact. */
export function nextRuns(
  plan: LabPlan,
  set: RunSet,
  crossing: LabCrossing,
  by: Yardstick,
): LabPoint[] {
  const { between } = onTable(plan, set, crossing, by);
  if (!between) return [];
  const { low, high } = narrowest(set, crossing, by, { low: between[0], high: between[1] });
  const steps = Math.round((high - low) / plan.step);
  if (steps <= 1) return [];
  const parts = Math.min(steps, AT_ONCE + 1);
  const sizes = new Set<number>();
  for (let part = 1; part < parts; part++)
    sizes.add(low + Math.round((steps * part) / parts) * plan.step);
  return [...sizes].flatMap((size) =>
    [crossing.more, crossing.than].flatMap((series) => {
      const known = runAt(set, series.index, size);
      const point = pointBetween(plan, series, size);
      return point && known?.key !== set.key ? [point] : [];
    }),
  );
}
