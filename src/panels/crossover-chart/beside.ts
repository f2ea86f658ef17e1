/** What is drawn beside the runs: the naive model's fit to the published table, and the reader's table. */
import type { Beside, Columns } from '../../draw/chart-input';
import type { LabPlan } from '../../model/lab-plan';
import { fitNaive, type NaiveFit } from '../../model/naive';

export interface NaiveRow {
  readonly title: string;
  readonly fit: NaiveFit;
}

const fitted = (plan: LabPlan) =>
  plan.series.flatMap((series) => {
    const fit = fitNaive(series.measured);
    return fit && series.column !== null ? [{ series, column: series.column, fit }] : [];
  });

/** The fit of each series, with its misfit. */
export const naiveFits = (plan: LabPlan): NaiveRow[] =>
  fitted(plan).map(({ series, fit }) => ({ title: series.title, fit }));

export function besideOf(plan: LabPlan, naive: boolean, own: Columns | null): Beside {
  const columns = Object.fromEntries(
    fitted(plan).map(({ column, fit }) => [
      column,
      fit.rows.map(({ size, fitted: value }) => ({ size, value })),
    ]),
  );
  return {
    own,
    naive: naive ? columns : null,
    source: 'measured with gttp -GA on System A, 2004',
  };
}
