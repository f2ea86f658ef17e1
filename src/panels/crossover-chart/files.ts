/** The chart as files: figures as CSV, drawing as PNG. */

import type { LabPlan } from '../../model/lab/plan';
import { isStale, type RunSet } from '../../model/lab/runs';
import { experimentCsv } from '../../model/report/export';
import { pointsOf } from '../../model/scenario/experiment';
import { download, fileName } from '../../widgets/download';
import { dataUrl, svgText } from '../../widgets/svg-file';

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

/** Scale of the PNG, for slides. */
const PNG_SCALE = 2;

export async function savePng(drawing: SVGSVGElement, title: string): Promise<void> {
  const { width, height } = drawing.viewBox.baseVal;
  const image = new Image();
  image.src = await dataUrl(new Blob([await svgText(drawing)], { type: 'image/svg+xml' }));
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * PNG_SCALE;
  canvas.height = height * PNG_SCALE;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob) download(`${fileName(title)}.png`, blob, 'image/png');
}
