/** Strengths as they were computed last: `npm run -s busyard -- strength --json > src/model/report/sensitivity.json`. */

import type { CheckReport } from './check-types';
import type { GroupSensitivity, ScenarioSensitivity } from './sensitivity';
import data from './sensitivity.json';

export const strengths: readonly ScenarioSensitivity[] = data;

/** Whether runs gave what they gave when the strength was computed; null before they have been made. */
export function isCurrent(
  group: GroupSensitivity,
  reports: readonly CheckReport[],
): boolean | null {
  const rows = reports.find((report) => report.scenario === group.scenario)?.rows;
  if (!rows) return null;
  return group.figures.every(
    (id, i) => rows.find((row) => row.figure === id)?.simulated === group.simulated[i],
  );
}
