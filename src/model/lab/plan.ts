/**
 * The runs of the crossover lab and their order. Small transfers are cheap, so they come before the large ones;
 * hidden methods come last.
 */

import { columnOf, figure } from '../published/published';
import { compile } from '../scenario/compile';
import { agrees, pointsOf, stepOf, variablesAt } from '../scenario/experiment';
import type { Assignment, Axis, NamedCrossing, Scenario, Series } from '../scenario/scenario-types';

/** Transfers are whole 32-bit words, unless the table has smaller steps. */
const WORD = 4;

/** Sizes up to this are updated while a slider moves. */
const QUICK = 64 * 1024;

export interface LabSeries {
  readonly index: number;
  readonly title: string;
  readonly mechanism: string;
  readonly direction: 'write' | 'read' | null;
  readonly at: Assignment;
  /** Column of the published table, and of the table printed by the same program: "dma_write". */
  readonly column: string | null;
  /** Published throughput by size, in MB/s. */
  readonly measured: readonly LabFigure[];
}

interface LabFigure {
  readonly size: number;
  readonly value: number;
  readonly calibrated: boolean;
}

export interface LabCrossing {
  readonly index: number;
  readonly title: string;
  readonly more: LabSeries;
  readonly than: LabSeries;
  readonly param: string | null;
}

/** One run of the plan; `point` is its index in the experiment, null for a size between those of the table. */
export interface LabPoint {
  readonly series: number;
  readonly size: number;
  readonly point: number | null;
  readonly variables: Assignment;
}

export interface LabPlan {
  readonly scenario: Scenario;
  /** Replaces the scenario's own seed. */
  readonly seed: number | null;
  /** The axis of the curves: transfer sizes, or another quantity. */
  readonly axis: Axis;
  readonly sizes: readonly number[];
  /** The smallest step: whole words for transfers, one for counts. */
  readonly step: number;
  readonly series: readonly LabSeries[];
  readonly crossings: readonly LabCrossing[];
  readonly points: readonly LabPoint[];
}

/** Whether the axis is a number of bytes. */
export const isSizes = ({ unit }: Pick<Axis, 'unit'>): boolean => unit === 'B';

/** Memory series are shown for context: the same processor without the card. */
export const isContext = (series: LabSeries): boolean => series.mechanism === 'memory';

function figuresOf(scenario: Scenario, series: Series, axis: string, sizes: readonly number[]) {
  const pattern = series.figures;
  if (pattern === null) return [];
  const calibrated = new Set(
    scenario.expect.filter((row) => row.role === 'calibrated').map((row) => row.figure),
  );
  return sizes.flatMap((size) => {
    const id = pattern.replace(`{${axis}}`, String(size));
    const found = figure(id);
    return found ? [{ size, value: found.value, calibrated: calibrated.has(id) }] : [];
  });
}

function crossingsOf(
  crossings: readonly NamedCrossing[],
  series: readonly LabSeries[],
): LabCrossing[] {
  const seriesAt = (at: Assignment) => series.find((one) => agrees(one.at, at));
  return crossings.flatMap(({ title, param, ...crossing }, index) => {
    const [more, than] = [seriesAt(crossing.more), seriesAt(crossing.than)];
    return more && than ? [{ index, title, param, more, than }] : [];
  });
}

/** The plan of a scenario; null if it has no experiment over sizes. */
export function planOf(scenario: Scenario, seed: number | null = null): LabPlan | null {
  const { experiment } = scenario;
  if (!experiment || experiment.series.length === 0) return null;
  const axis = experiment.x;
  const sizes = axis.values.map(Number);
  const series = experiment.series.map((one, index) => ({
    index,
    title: one.title,
    mechanism: one.mechanism,
    direction: one.direction,
    at: one.at,
    column: one.figures && columnOf(one.figures).replace(/^.*\./, ''),
    measured: figuresOf(scenario, one, axis.name, sizes),
  }));
  const step = isSizes(axis) ? Math.min(WORD, stepOf(axis)) : stepOf(axis);
  const points = pointsOf(scenario).flatMap(({ index, at, variables }) => {
    const own = series.find((one) => agrees(at, one.at));
    const size = Number(at[axis.name]);
    return own ? [{ series: own.index, size, point: index, variables }] : [];
  });
  const crossings = crossingsOf(experiment.crossings, series);
  return { scenario, seed, axis, sizes, step, series, crossings, points };
}

export interface Phases {
  /** Updated with every move of a slider. */
  readonly quick: readonly LabPoint[];
  readonly rest: readonly LabPoint[];
}

/** The points in the order in which they are run. */
export function phasesOf(plan: LabPlan, context: boolean): Phases {
  const rank = ({ series, size }: LabPoint): number => {
    const hidden = !context && plan.series[series] && isContext(plan.series[series]);
    return (hidden ? 2 ** 60 : 0) + size;
  };
  const ordered = plan.points.toSorted((a, b) => rank(a) - rank(b));
  const isQuick = (point: LabPoint) => rank(point) <= QUICK;
  return {
    quick: ordered.filter(isQuick),
    rest: ordered.filter((point) => !isQuick(point)),
  };
}

/**
 * A run at a size between those of the table. Variables that follow the axis have the values of the next larger
 * size. Null if the machine refuses it.
 */
export function pointBetween(plan: LabPlan, series: LabSeries, size: number): LabPoint | null {
  const next = plan.sizes.find((candidate) => candidate >= size) ?? plan.sizes.at(-1);
  if (next === undefined) return null;
  const found = variablesAt(plan.scenario, { ...series.at, [plan.axis.name]: next });
  if (!found.ok) return null;
  const variables = { ...found.value, [plan.axis.name]: size };
  if (!isSizes(plan.axis) && !compile(plan.scenario, { variables }).ok) return null;
  return { series: series.index, size, point: null, variables };
}
