import { fixed, signedPercent } from '../../base/format';
import { lab, useLab } from '../../controllers/useLab';
import { useStore } from '../../controllers/useStore';
import { placeText, sizeText } from '../../draw/lab/along-curve';
import { COST_NAMES } from '../../draw/lab/bars';
import { costInputs, transferTime } from '../../draw/lab/bars-input';
import {
  fromThroughput,
  quantityOf,
  seriesListed,
  seriesShown,
  valueIn,
} from '../../draw/lab/input';
import type { LabPlan, LabSeries } from '../../model/lab/plan';
import { isStale, runAt } from '../../model/lab/runs';
import { isSealed, type LabState, placeKey, sizeShown } from '../../model/lab/state';
import { session } from '../../model/session/session';
import { IconButton } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Masked } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { SealedCurves } from '../../widgets/SealedCurves';
import { Section } from '../../widgets/Section';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './AtSize.module.css';
import { CostBars } from './CostBars';
import { WhatIf } from './WhatIf';

/**
 * All methods at one size, or at one value of the experiment's axis: cost bars, measured values, and changes
 * that would move the crossing.
 */
export default function AtSize() {
  const state = useLab();
  const { plan } = state;
  if (!plan)
    return (
      <Panel title="At one point">
        <EmptyState title="No experiment is open." />
      </Panel>
    );
  return <Planned state={state} plan={plan} size={sizeShown(state)} />;
}

function Planned({ state, plan, size }: AtProps) {
  return (
    <Panel
      title={`At ${sizeText(plan.axis, size)}`}
      tools={<Walk along={plan.axis.title} />}
      textAlternative={<BarsTextAlternative state={state} plan={plan} size={size} />}
      scroll
    >
      <CostBars {...costInputs(state, plan, size)} at={placeText(plan.axis, size)} />
      <Values state={state} plan={plan} size={size} />
      <WhatIf state={state} plan={plan} />
    </Panel>
  );
}

function Walk({ along }: { readonly along: string }) {
  return (
    <span className={styles.walk}>
      <IconButton icon="back" label={`Previous ${along}`} keys="←" onClick={() => lab.walk(-1)} />
      <IconButton icon="forward" label={`Next ${along}`} keys="→" onClick={() => lab.walk(1)} />
    </span>
  );
}

interface AtProps {
  readonly state: LabState;
  readonly plan: LabPlan;
  readonly size: number;
}

interface Row {
  readonly series: LabSeries;
  readonly measured: number | null;
  readonly simulated: number | null;
  readonly own: number | null;
  readonly stale: boolean;
  /** A question of the lesson asks about its values. */
  readonly sealed: boolean;
}

/** Measured, simulated and the user's own value of each method, in the quantity of the chart. */
function Values({ state, plan, size }: AtProps) {
  const own = useStore(session, (now) => now.measured?.table ?? null);
  const quantity = quantityOf(plan, state.metric);
  const metric = plan.scenario.metrics.get(state.metric);
  const rows = seriesListed(state, plan).map((series): Row => {
    const figure = series.measured.find((one) => one.size === size);
    const run = runAt(state.runs, series.index, size);
    const columns: Readonly<Record<string, readonly { size: number; value: number }[]>> = own ?? {};
    const sealed = isSealed(state, { series: series.index });
    const mine = sealed
      ? undefined
      : columns[series.column ?? '']?.find((one) => one.size === size);
    return {
      series,
      measured: figure ? fromThroughput(quantity, size, figure.value) : null,
      simulated: run ? valueIn(plan, state.metric, run) : null,
      own: mine ? fromThroughput(quantity, size, mine.value) : null,
      stale: run !== undefined && isStale(state.runs, run),
      sealed,
    };
  });
  const measured = rows.some((row) => row.measured !== null);
  const scale = quantity === 'throughput' ? 1 : 1e6;
  const number = (value: number | null) => (value === null ? '' : fixed(value / scale, 2));
  const columns: Column<Row>[] = [
    { id: 'method', title: 'method', cell: (row) => row.series.title },
    ...(measured
      ? [
          {
            id: 'measured',
            title: 'measured',
            numeric: true,
            cell: (row: Row) => (row.sealed ? <Masked /> : number(row.measured)),
          },
        ]
      : []),
    {
      id: 'simulated',
      title: 'simulated',
      numeric: true,
      cell: (row) =>
        row.sealed ? (
          <Masked />
        ) : (
          <span className={row.stale ? styles.stale : undefined}>{number(row.simulated)}</span>
        ),
    },
  ];
  if (measured) columns.push({ id: 'error', title: 'error', numeric: true, cell: errorOf });
  if (rows.some((row) => row.own !== null))
    columns.push({ id: 'own', title: 'yours', numeric: true, cell: (row) => number(row.own) });
  const title = metric ? metric.title.slice(0, 1).toUpperCase() + metric.title.slice(1) : '';
  const unit = quantity === 'throughput' ? (metric?.unit ?? '') : 'µs';
  return (
    <Section title={title} aside={unit}>
      <Table
        caption={`${title} at ${sizeText(plan.axis, size)}`}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.series.title}
      />
    </Section>
  );
}

const errorOf = ({ measured, simulated, sealed }: Row): string =>
  sealed || measured === null || simulated === null
    ? ''
    : signedPercent((simulated / measured - 1) * 100);

/** The bars as sentences: total and costs. */
function BarsTextAlternative({ state, plan, size }: AtProps) {
  const us = (ps: number) => `${fixed(ps / 1e6, 2)}\u00a0µs`;
  const sentences = seriesShown(state, plan).flatMap((series) => {
    const total = transferTime(plan, runAt(state.runs, series.index, size));
    if (total === null) return [];
    const record = state.records.get(placeKey({ series: series.index, size }));
    const costs = record?.key === state.runs.key ? record.costs : null;
    const parts = Object.entries(costs?.total ?? {})
      .filter(([, time]) => time > 0)
      .map(([kind, time]) => `${COST_NAMES[kind as keyof typeof COST_NAMES]} ${us(time)}`);
    const busy = costs ? `; processor busy for ${us(costs.busyTime)}` : '';
    return [`${series.title} takes ${us(total)}: ${parts.join(', ')}${busy}.`];
  });
  return (
    <TextAlternative sentences={sentences}>
      <SealedCurves state={state} plan={plan} />
      <Values state={state} plan={plan} size={size} />
    </TextAlternative>
  );
}
