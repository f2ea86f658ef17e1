import { fixed, signedPercent } from '../../base/format';
import { sizeText } from '../../draw/lab/along-curve';
import { valueText } from '../../draw/lab/chart';
import {
  type ComparisonColumns,
  fromThroughput,
  quantityOf,
  seriesShown,
  unitOf,
  valueIn,
} from '../../draw/lab/input';
import { crossingSentences } from '../../draw/lab/markers';
import { isSizes, type LabPlan, type LabSeries } from '../../model/lab/plan';
import { runAt } from '../../model/lab/runs';
import { crossingsShown, type LabState } from '../../model/lab/state';
import { SealedCurves } from '../../widgets/SealedCurves';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { type LinearFitRow, linearFits } from './linear-fits';

interface TextAlternativeProps {
  readonly state: LabState;
  readonly plan: LabPlan;
  readonly extra: ComparisonColumns;
}

/** The chart as sentences and tables: every mark, run and crossing. */
export function ChartTextAlternative({ state, plan, extra }: TextAlternativeProps) {
  const quantity = quantityOf(plan, state.metric);
  const crossings = crossingsShown(state).map((crossing) =>
    crossingSentences(
      {
        ...crossing,
        id: String(crossing.index),
        more: { id: '', title: crossing.more.title, hue: 1 },
        than: { id: '', title: crossing.than.title, hue: 2 },
        solves: null,
        solving: null,
      },
      quantity,
      plan.axis,
    ).join('; '),
  );
  return (
    <TextAlternative sentences={crossings}>
      <SealedCurves state={state} plan={plan} />
      {seriesShown(state, plan).map((series) => (
        <SeriesTable key={series.index} {...{ state, plan, extra, series }} />
      ))}
      {state.linearFit && <LinearFitTable rows={linearFits(seriesShown(state, plan))} />}
    </TextAlternative>
  );
}

function SeriesTable({
  state,
  plan,
  extra,
  series,
}: TextAlternativeProps & { readonly series: LabSeries }) {
  const quantity = quantityOf(plan, state.metric);
  const unit = unitOf(plan, state.metric);
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : valueText(quantity, unit, value);
  const own = series.column === null ? undefined : extra.own?.[series.column];
  const rowAt = (size: number) => {
    const figure = series.measured.find((one) => one.size === size);
    const measured = figure ? fromThroughput(quantity, size, figure.value) : null;
    const run = runAt(state.runs, series.index, size);
    const simulated = run ? valueIn(plan, state.metric, run) : null;
    const mine = own?.find((one) => one.size === size)?.value;
    return { size, figure, measured, simulated, mine };
  };
  type Row = ReturnType<typeof rowAt>;
  const columns: Column<Row>[] = [
    {
      id: 'size',
      title: isSizes(plan.axis) ? 'size' : plan.axis.title,
      cell: (row) => sizeText(plan.axis, row.size),
    },
    { id: 'measured', title: 'measured', numeric: true, cell: (row) => text(row.measured) },
    { id: 'simulated', title: 'simulated', numeric: true, cell: (row) => text(row.simulated) },
    { id: 'error', title: 'error', numeric: true, cell: errorOf },
    {
      id: 'role',
      title: 'row used to',
      cell: ({ figure }) => (figure ? (figure.calibrated ? 'calibrate' : 'check') : ''),
    },
  ];
  if (own)
    columns.push({
      id: 'own',
      title: 'your table',
      numeric: true,
      cell: (row) => text(row.mine && fromThroughput(quantity, row.size, row.mine)),
    });
  return (
    <Table
      caption={series.title}
      showCaption
      columns={columns}
      rows={plan.sizes.map(rowAt)}
      rowKey={(row) => String(row.size)}
    />
  );
}

const errorOf = ({
  measured,
  simulated,
}: {
  readonly measured: number | null;
  readonly simulated: number | null;
}): string =>
  measured === null || simulated === null ? '' : signedPercent((simulated / measured - 1) * 100);

/** The values of the linear fit, and their deviations. */
function LinearFitTable({ rows }: { readonly rows: readonly LinearFitRow[] }) {
  return (
    <Table
      caption="Linear fit: a fixed overhead, then a constant rate"
      showCaption
      columns={[
        { id: 'title', title: 'column', cell: ({ title }) => title },
        {
          id: 'overhead',
          title: 'overhead',
          numeric: true,
          cell: ({ fit }) => valueText('time', '', fit.overheadPs),
        },
        {
          id: 'rate',
          title: 'rate',
          numeric: true,
          cell: ({ fit }) => valueText('throughput', 'MB/s', fit.rate),
        },
        {
          id: 'mean',
          title: 'mean error',
          numeric: true,
          cell: ({ fit }) => `${fixed(fit.mean_abs_error_percent, 1)}\u00a0%`,
        },
        {
          id: 'worst',
          title: 'worst error',
          numeric: true,
          cell: ({ fit }) => `${fixed(fit.worst_abs_error_percent, 1)}\u00a0%`,
        },
      ]}
      rows={rows}
      rowKey={({ title }) => title}
    />
  );
}
