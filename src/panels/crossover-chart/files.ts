/** The figures of the chart as CSV. */

import type { LabPlan } from '../../model/lab/plan';
import { isStale } from '../../model/lab/runs';
import { isSealed, type LabState } from '../../model/lab/state';
import { experimentCsv } from '../../model/report/export';
import { pointsOf } from '../../model/scenario/experiment';
import { download, fileName } from '../../widgets/download';

/** One row for each finished run of the table; the values of sealed curves are left out. */
function tableCsv(plan: LabPlan, state: LabState): string {
  const { runs } = state;
  const counters: (readonly Float64Array[] | null)[] = [];
  for (const run of runs.runs.values())
    if (run.point !== null && !isStale(runs, run) && !isSealed(state, run))
      counters[run.point] = run.counters;
  const points = pointsOf(plan.scenario);
  return experimentCsv(
    plan.scenario,
    points,
    points.map(({ index }) => counters[index] ?? null),
  );
}

export function saveCsv(plan: LabPlan, state: LabState): void {
  download(`${fileName(plan.scenario.title)}.csv`, tableCsv(plan, state), 'text/csv');
}
