/** The figures of the chart as CSV. */

import type { LabPlan } from '../../model/lab/plan';
import { isStale, type RunSet } from '../../model/lab/runs';
import { experimentCsv } from '../../model/report/export';
import { pointsOf } from '../../model/scenario/experiment';
import { download, fileName } from '../../widgets/download';

/** One row for each finished run of the table. */
function tableCsv(plan: LabPlan, runs: RunSet): string {
  const counters: (readonly Float64Array[] | null)[] = [];
  for (const run of runs.runs.values())
    if (run.point !== null && !isStale(runs, run)) counters[run.point] = run.counters;
  const points = pointsOf(plan.scenario);
  return experimentCsv(
    plan.scenario,
    points,
    points.map(({ index }) => counters[index] ?? null),
  );
}

export function saveCsv(plan: LabPlan, runs: RunSet): void {
  download(`${fileName(plan.scenario.title)}.csv`, tableCsv(plan, runs), 'text/csv');
}
