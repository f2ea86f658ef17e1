/**
 * Additional runs between the sizes of the table, where linear interpolation would miss a bend or a step of the
 * curve. First the middle of every gap, then only where the middle deviated from the line.
 */
import { worth, type Yardstick } from './crossing';
import { isContext, type LabPlan, type LabPoint, type LabSeries, pointBetween } from './plan';
import { isStale, type LabRun, type RunSet, runsOf } from './runs';

/** Above this size runs are too expensive for this. */
const LARGEST = 64 * 1024;

/** A deviation from the straight line by this ratio is a bend. */
const BEND = 1.01;

/** Neighbours with a smaller ratio of sizes coincide on the chart. */
const CLOSE = 1.07;

const middleOf = (low: number, high: number, step: number): number =>
  Math.round(Math.sqrt(low * high) / step) * step;

/** Deviation of a run from the line between its neighbours, as a ratio of at least 1. */
function bendAt(before: LabRun, at: LabRun, after: LabRun, by: Yardstick): number {
  const [a, b, c] = [before, at, after].map((run) => worth(run, by.metric, by.unit));
  if (!a || !b || !c) return 1;
  const share = Math.log(at.size / before.size) / Math.log(after.size / before.size);
  const line = Math.log(a) + share * Math.log(c / a);
  return Math.exp(Math.abs(Math.log(b) - line));
}

function gapsOf(runs: readonly LabRun[], sizes: ReadonlySet<number>, by: Yardstick) {
  return runs.flatMap((run, i): [number, number][] => {
    const [before, after, next] = [runs[i - 1], runs[i + 1], runs[i + 2]];
    if (!after || after.size > LARGEST || after.size / run.size < CLOSE) return [];
    const untried = sizes.has(run.size) && sizes.has(after.size);
    const bent =
      (before && !sizes.has(run.size) && bendAt(before, run, after, by) > BEND) ||
      (next && !sizes.has(after.size) && bendAt(run, after, next, by) > BEND);
    return untried || bent ? [[run.size, after.size]] : [];
  });
}

function bendsOf(plan: LabPlan, set: RunSet, series: LabSeries, by: Yardstick): LabPoint[] {
  const runs = runsOf(set, series.index).filter((run) => !isStale(set, run));
  return gapsOf(runs, new Set(plan.sizes), by).flatMap(([low, high]) => {
    const size = middleOf(low, high, plan.step);
    if (size <= low || size >= high) return [];
    return pointBetween(plan, series, size) ?? [];
  });
}

/** The next runs that would refine the curves; none if no refinement would be visible. */
export const nextBends = (plan: LabPlan, set: RunSet, by: Yardstick): LabPoint[] =>
  plan.series
    .filter((series) => !isContext(series))
    .flatMap((series) => bendsOf(plan, set, series, by));
