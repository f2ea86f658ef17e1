/** Makes the input of the size chart from the state of the lab. */
import { isTime } from '../../model/lab/crossing';
import { isContext, type LabPlan, type LabSeries } from '../../model/lab/plan';
import { isStale, type LabRun, type RunSet, runsOf } from '../../model/lab/runs';
import {
  crossingsShown,
  isSealed,
  type LabCrossingState,
  type LabState,
  sizeShown,
} from '../../model/lab/state';
import type {
  ChartCrossing,
  ChartInput,
  ChartSeries,
  Quantity,
  Reading,
  Simulated,
} from './chart-types';
import { seriesStyle } from './series-looks';

const NAMES: Readonly<Record<string, string>> = { dma: 'DMA', pio: 'PIO' };

/** "DMA" where the direction is stated already, else the full name. */
const mechanismName = (series: LabSeries): string => NAMES[series.mechanism] ?? series.title;

const PS: Readonly<Record<string, number>> = { ps: 1, ns: 1e3, us: 1e6, µs: 1e6, ms: 1e9, s: 1e12 };

export const unitOf = (plan: LabPlan, metric: string): string =>
  plan.scenario.metrics.get(metric)?.unit ?? '';

/** The quantity that a metric measures. */
export function quantityOf(plan: LabPlan, metric: string): Quantity {
  const unit = unitOf(plan, metric);
  if (!isTime(unit)) return unit.endsWith('/s') ? 'throughput' : 'amount';
  return metric.startsWith('cpu') ? 'cpu' : 'time';
}

/** A run's value for the chart: in its unit, times in picoseconds. */
export function valueIn(plan: LabPlan, metric: string, run: LabRun): number | null {
  const value = run.values[metric];
  if (typeof value !== 'number') return null;
  return value * (PS[unitOf(plan, metric)] ?? 1);
}

/**
 * Converts a throughput in MB/s to the quantity of the chart; null for processor time, which was not
 * measured.
 */
export function fromThroughput(quantity: Quantity, size: number, rate: number): number | null {
  if (quantity === 'throughput') return rate;
  return quantity === 'time' ? (size / rate) * 1e6 : null;
}

function readingsOf(plan: LabPlan, set: RunSet, series: number, metric: string): Simulated[] {
  return runsOf(set, series).flatMap((run) => {
    const value = valueIn(plan, metric, run);
    const { size, key: parameters } = run;
    return value === null ? [] : [{ size, value, parameters, stale: isStale(set, run) }];
  });
}

/** Both ends of a slider, if they differ: a parameter moves some of the curves. */
function fanOf(plan: LabPlan, { fan, metric }: LabState, series: number): Reading[][] {
  if (!fan) return [];
  const [low, high] = fan.ends.map(({ runs }) => readingsOf(plan, runs, series, metric));
  return low && high && !isSame(low, high) ? [low, high] : [];
}

/** Values closer than this look the same on the chart. */
const VISIBLE = 0.002;

/** Whether two curves look the same, at the sizes that both have. */
function isSame(some: readonly Reading[], others: readonly Reading[]): boolean {
  const values = new Map(others.map(({ size, value }) => [size, value]));
  return some.every(({ size, value }) => {
    const other = values.get(size);
    return other === undefined || Math.abs(other / value - 1) < VISIBLE;
  });
}

function converted<T extends Reading>(quantity: Quantity, rates: readonly T[]): T[] {
  return rates.flatMap((rate) => {
    const value = fromThroughput(quantity, rate.size, rate.value);
    return value === null ? [] : [{ ...rate, value }];
  });
}

/** Tables and fits besides the runs, in MB/s, by column. */
export type Columns = Readonly<Partial<Record<string, readonly Reading[]>>>;

export interface ComparisonColumns {
  /** The user's own table. */
  readonly own: Columns | null;
  readonly linearFit: Columns | null;
  readonly source: string;
  /** The present value of a parameter as text. */
  shownValue(path: string): string;
}

function seriesOf(
  state: LabState,
  plan: LabPlan,
  one: LabSeries,
  columns: ComparisonColumns,
): ChartSeries {
  const quantity = quantityOf(plan, state.metric);
  const column = (table: Columns | null) =>
    converted(quantity, (one.column !== null && table?.[one.column]) || []);
  return {
    id: String(one.index),
    title: one.title,
    ...seriesStyle(plan, one),
    open: one.direction === 'read',
    measured: converted(quantity, one.measured),
    simulated: readingsOf(plan, state.runs, one.index, state.metric),
    fan: fanOf(plan, state, one.index),
    before: state.before ? readingsOf(plan, state.before, one.index, state.metric) : [],
    linearFit: column(columns.linearFit),
    own: column(columns.own),
  };
}

/** The curve before the edit, only if it moved. */
const moved = (series: ChartSeries): ChartSeries =>
  isSame(series.before, series.simulated) ? { ...series, before: [] } : series;

/** Title of a parameter's row. */
const paramTitle = (plan: LabPlan, path: string): string =>
  plan.scenario.view.parameters.flatMap((group) => group.rows).find((row) => row.param === path)
    ?.title ?? path;

function fanText(plan: LabPlan, { fan }: LabState): string {
  if (!fan) return '';
  const [low, high] = fan.ends.map(({ text }) => text.replace('us', 'µs').replace(' ', '\u00a0'));
  return `${paramTitle(plan, fan.path)}: from ${low} to ${high}`;
}

function crossingOf(
  crossing: LabCrossingState,
  plan: LabPlan,
  state: LabState,
  columns: ComparisonColumns,
): ChartCrossing {
  const side = (series: LabSeries) => ({
    id: String(series.index),
    title: mechanismName(series),
    hue: seriesStyle(plan, series).hue,
  });
  const solves = crossing.param && paramTitle(plan, crossing.param);
  const value = crossing.param && columns.shownValue(crossing.param);
  const drag = state.drag?.crossing === crossing.index ? state.drag : null;
  const limit = drag && !drag.reached ? ', its limit' : '';
  return {
    id: String(crossing.index),
    title: crossing.title,
    more: side(crossing.more),
    than: side(crossing.than),
    now: crossing.now,
    before: crossing.before,
    solves,
    solving: drag && `${solves} ${value}${limit}`,
  };
}

/** The methods that a list names, with those whose values a question seals. */
export const seriesListed = (state: LabState, plan: LabPlan): LabSeries[] =>
  plan.series.filter((series) => state.context || !isContext(series));

export const seriesShown = (state: LabState, plan: LabPlan): LabSeries[] =>
  seriesListed(state, plan).filter((series) => !isSealed(state, { series: series.index }));

export function chartInput(
  state: LabState,
  plan: LabPlan,
  columns: ComparisonColumns,
  sheet: { width: number; height: number; compact: boolean },
): ChartInput {
  return {
    ...sheet,
    quantity: quantityOf(plan, state.metric),
    unit: unitOf(plan, state.metric),
    along: plan.axis,
    sizes: plan.sizes,
    series: seriesShown(state, plan).map((one) => moved(seriesOf(state, plan, one, columns))),
    crossings: crossingsShown(state).map((crossing) => crossingOf(crossing, plan, state, columns)),
    size: sizeShown(state),
    source: columns.source,
    fan: fanText(plan, state),
  };
}
