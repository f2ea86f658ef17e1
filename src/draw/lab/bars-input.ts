/** Makes the cost bars of the methods from the runs at one size. */

import type { LabPlan, LabSeries } from '../../model/lab/plan';
import { type LabRun, runAt } from '../../model/lab/runs';
import { isSealed, type LabRecord, type LabState, placeKey } from '../../model/lab/state';
import type { Costs } from '../../model/trace/time-breakdown';
import type { CostInput } from './bars';
import { quantityOf, seriesListed, valueIn } from './input';
import { seriesStyle } from './series-looks';

/** The metric with the time of one transfer, if the scenario has one. */
const timeMetric = (plan: LabPlan): string | undefined =>
  plan.scenario.experiment?.metrics.find((name) => quantityOf(plan, name) === 'time');

/** Time of a transfer in this run, in picoseconds. */
export function transferTime(plan: LabPlan, run: LabRun | undefined): number | null {
  const metric = timeMetric(plan);
  return run && metric ? valueIn(plan, metric, run) : null;
}

/** More pieces would be too narrow to tell apart; they are then merged by kind. */
const MOST = 40;

function condensed(costs: Costs): Pick<Costs, 'pieces' | 'busy'> {
  if (costs.pieces.length <= MOST) return costs;
  let at = costs.from;
  const kinds = [...new Set(costs.pieces.map((piece) => piece.kind))];
  const pieces = kinds.map((kind) => {
    const piece = { kind, from: at, to: at + costs.total[kind] };
    at = piece.to;
    return piece;
  });
  return { pieces, busy: [{ from: costs.from, to: costs.from + costs.busyTime }] };
}

/** The pieces of a run; empty if it was recorded with other parameters than the run on the chart. */
function inside(record: LabRecord | undefined, key: string) {
  if (!record || record.key !== key) return { segments: [], busy: [] };
  const { from } = record;
  const { pieces, busy } = condensed(record.costs);
  const moved = (span: { from: number; to: number }) => ({
    fromPs: span.from - from,
    toPs: span.to - from,
  });
  return {
    segments: pieces.map((piece) => ({ ...moved(piece), cost: piece.kind })),
    busy: busy.map(moved),
  };
}

function costOf(state: LabState, plan: LabPlan, series: LabSeries, size: number): CostInput[] {
  const row = {
    id: String(series.index),
    title: series.title,
    hue: seriesStyle(plan, series).hue,
  };
  if (isSealed(state, { series: series.index }))
    return [{ ...row, totalPs: null, segments: [], busy: [] }];
  const run = runAt(state.runs, series.index, size);
  const totalPs = transferTime(plan, run);
  if (!run || totalPs === null) return [];
  const record = state.records.get(placeKey({ series: series.index, size }));
  return [{ ...row, totalPs, ...inside(record, state.runs.key) }];
}

/** A bar for each method, and the bars before which another direction begins. */
export function costInputs(
  state: LabState,
  plan: LabPlan,
  size: number,
): { readonly rows: readonly CostInput[]; readonly pairs: readonly number[] } {
  const rows = seriesListed(state, plan).flatMap((series) => costOf(state, plan, series, size));
  const group = (id: string) => {
    const series = plan.series[Number(id)];
    return series?.mechanism === 'memory' ? 'memory' : series?.direction;
  };
  const pairs = rows.flatMap((row, index) => {
    const before = rows[index - 1];
    return before && group(before.id) !== group(row.id) ? [index] : [];
  });
  return { rows, pairs };
}
