/** Additional series of the chart: the linear fit of the published table, and the user's table. */
import { fixed, text } from '../../base/format';
import type { Columns, ComparisonColumns } from '../../draw/lab/input';
import type { LabPlan, LabSeries } from '../../model/lab/plan';
import { fitLinear, type LinearFit } from '../../model/report/linear-fit';
import { paramAt } from '../../model/scenario/compiled';
import { editableParam } from '../../model/scenario/editable-param';
import { session } from '../../model/session/session';

export interface LinearFitRow {
  readonly title: string;
  readonly fit: LinearFit;
}

const fitted = (all: readonly LabSeries[]) =>
  all.flatMap((series) => {
    const fit = fitLinear(series.measured);
    return fit && series.column !== null ? [{ series, column: series.column, fit }] : [];
  });

/** The fit of each series, with its deviation. */
export const linearFits = (all: readonly LabSeries[]): LinearFitRow[] =>
  fitted(all).map(({ series, fit }) => ({ title: series.title, fit }));

/** "3.47 µs": a parameter as its row shows it. */
function shownValue(path: string): string {
  const { machine } = session.getState();
  const param = machine ? paramAt(machine, path) : undefined;
  const part = param && machine?.parts.find((one) => one.params.includes(param));
  const editable = part && param && editableParam(part, param);
  if (editable?.kind !== 'number') return '';
  return text({ value: fixed(editable.value, editable.decimals), unit: editable.unit });
}

export function comparisonColumns(
  plan: LabPlan,
  linearFit: boolean,
  own: Columns | null,
): ComparisonColumns {
  const columns = Object.fromEntries(
    fitted(plan.series).map(({ column, fit }) => [
      column,
      fit.rows.map(({ size, fitted: value }) => ({ size, value })),
    ]),
  );
  return {
    own,
    linearFit: linearFit ? columns : null,
    source: 'measured with gttp -GA on System A, 2004',
    shownValue,
  };
}
