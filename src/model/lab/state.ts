/** What the lab shows, as plain data. */

import type { CompiledMachine } from '../scenario/compile';
import type { Value } from '../scenario/scenario-types';
import type { Costs } from '../trace/time-breakdown';
import type { Trace } from '../trace/trace';
import type { CrossingFound } from './crossing';
import { isContext, type LabCrossing, type LabPlan } from './plan';
import { EMPTY, type RunSet } from './runs';

export interface LabRecord {
  readonly place: RunPlace;
  readonly key: string;
  readonly machine: CompiledMachine;
  readonly trace: Trace;
  /** The last transfer of the run. */
  readonly from: number;
  readonly to: number;
  /** How far into it the record goes: to its end, unless the run is longer than a record may be. */
  readonly recordedTo: number;
  /** Costs of that transfer: from its record, or from the run's counters where that is cut. */
  readonly costs: Costs;
  /** Costs of all timed transfers together; those of the one where they are not all recorded. */
  readonly lap: { readonly costs: Costs; readonly transfers: number };
}

/** One of the runs laid side by side. */
export interface RunPlace {
  readonly series: number;
  readonly size: number;
}

export const placeKey = ({ series, size }: RunPlace): string => `${series} ${size}`;

export interface LabCrossingState extends LabCrossing {
  readonly now: CrossingFound;
  /** Before the last edit; null when nothing was edited. */
  readonly before: CrossingFound | null;
}

export interface WhatIfState {
  readonly title: string;
  /** Null while it is being run. */
  readonly found: CrossingFound | null;
  /** Why it cannot be tried: the parameter would leave its range. */
  readonly refused: string | null;
}

export interface LabState {
  readonly plan: LabPlan | null;
  /** Name of the metric on the chart. */
  readonly metric: string;
  /** The size looked at for good, and the one under the pointer. */
  readonly size: number;
  readonly hover: number | null;
  /** Index of the crossing that is explained. */
  readonly crossing: number;
  /** Whether series for comparison (memory) and the naive model are drawn. */
  readonly context: boolean;
  readonly naive: boolean;
  readonly runs: RunSet;
  /** The runs before the last edit: the ghost. */
  readonly before: RunSet | null;
  readonly crossings: readonly LabCrossingState[];
  /** Runs finished of those on the table; null when all are. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  readonly stopped: boolean;
  /** How long the last complete sweep took; null before the first. */
  readonly took: { readonly runs: number; readonly ms: number } | null;
  readonly whatif: readonly WhatIfState[];
  /** The runs laid side by side, when others than those of the crossing at the size looked at. */
  readonly pair: readonly [RunPlace, RunPlace] | null;
  /** Runs seen from inside, by `placeKey`; those of older parameters stand in until theirs are there. */
  readonly records: ReadonlyMap<string, LabRecord>;
  /** The handle being dragged, and the size it is to cross at. */
  readonly drag: {
    readonly crossing: number;
    readonly size: number;
    /** False: no value of the parameter takes it there. */
    readonly reached: boolean;
  } | null;
  /** A sentence, when the engine could not go on. */
  readonly problem: string | null;
}

export const NOTHING: LabState = {
  plan: null,
  metric: '',
  size: 0,
  hover: null,
  crossing: 0,
  context: false,
  naive: false,
  runs: EMPTY,
  before: null,
  crossings: [],
  progress: null,
  stopped: false,
  took: null,
  whatif: [],
  pair: null,
  records: new Map(),
  drag: null,
  problem: null,
};

/** How the panels stand at first: as the session says where that makes sense, else as the lab begins. */
export function viewOf(
  plan: LabPlan,
  view: Readonly<Record<string, Value>>,
): Pick<LabState, 'metric' | 'size' | 'crossing' | 'context' | 'naive'> {
  const { experiment } = plan.scenario;
  const metrics = experiment?.metrics ?? [];
  const middle = plan.sizes[Math.floor((plan.sizes.length - 4) / 2)] ?? plan.sizes[0] ?? 0;
  return {
    metric: metrics.find((name) => name === view.metric) ?? metrics[0] ?? '',
    size: plan.sizes.find((size) => size === view.size) ?? middle,
    crossing: plan.crossings.find(({ index }) => index === view.crossing)?.index ?? 0,
    context: view.context === true,
    naive: view.naive === true,
  };
}

/** The size the panels beside the chart tell about. */
export const sizeShown = ({ hover, size }: LabState): number => hover ?? size;

/** The two runs laid side by side. */
export function pairShown(state: LabState): readonly [RunPlace, RunPlace] | null {
  if (state.pair) return state.pair;
  const crossing = state.crossings[state.crossing];
  if (!crossing) return null;
  const { size } = state;
  return [
    { series: crossing.than.index, size },
    { series: crossing.more.index, size },
  ];
}

/** The runs whose insides are shown: those side by side, and every method at the size looked at. */
export function placesShown(state: LabState): RunPlace[] {
  const size = sizeShown(state);
  const methods = (state.plan?.series ?? []).filter(
    (series) => state.context || !isContext(series),
  );
  const all = [
    ...(pairShown(state) ?? []),
    ...methods.map(({ index }) => ({ series: index, size })),
  ];
  return [...new Map(all.map((place) => [placeKey(place), place])).values()];
}

/** What a run is called: its place in the experiment, from 1; sizes between those have none. */
export function runName(plan: LabPlan, { series, size }: RunPlace): string | null {
  const point = plan.points.find((one) => one.series === series && one.size === size);
  return point?.point == null ? null : `run ${point.point + 1}`;
}
