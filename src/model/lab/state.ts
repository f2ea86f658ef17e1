/** The lab's visible state, as plain data. */

import type { CompiledMachine } from '../scenario/compiled';
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
  /** End of the recorded part of it: earlier than its end if the run is too long to record. */
  readonly recordedTo: number;
  /** Costs of that transfer: from its record, or from the run's counters if the record is cut. */
  readonly costs: Costs;
  /** Costs of all timed transfers; of the last one if not all are recorded. */
  readonly lap: { readonly costs: Costs; readonly transfers: number };
}

/** The curves at one end of a parameter's slider. */
interface FanEnd {
  /** The parameter's value, as written in a scenario. */
  readonly text: string;
  readonly runs: RunSet;
}

/** What a slider can do: the curves at its lowest and highest value, as far as they have been run. */
export interface Fan {
  readonly path: string;
  readonly ends: readonly [FanEnd, FanEnd];
}

/** One of the runs shown side by side. */
export interface RunPlace {
  readonly series: number;
  readonly size: number;
}

export const placeKey = ({ series, size }: RunPlace): string => `${series} ${size}`;

export interface LabCrossingState extends LabCrossing {
  readonly now: CrossingFound;
  /** Before the last edit; null if nothing was edited. */
  readonly before: CrossingFound | null;
}

export interface WhatIfState {
  readonly title: string;
  /** Null while it is running. */
  readonly found: CrossingFound | null;
  /** Why it cannot be tried: the parameter would leave its range. */
  readonly refused: string | null;
}

/** A curve that would answer an unanswered question of the lesson. */
interface SealedCurve {
  readonly series: number;
  /** Index of the step that asks about it. */
  readonly step: number;
}

export interface LabState {
  readonly plan: LabPlan | null;
  /** Name of the metric on the chart. */
  readonly metric: string;
  /** The selected size, and the size under the pointer. */
  readonly size: number;
  readonly hover: number | null;
  /** Index of the crossing that is explained. */
  readonly crossing: number;
  /** Whether context series (memory) and the linear model are drawn. */
  readonly context: boolean;
  readonly linearFit: boolean;
  readonly runs: RunSet;
  /** The runs before the last edit, shown as a ghost. */
  readonly before: RunSet | null;
  /** Shown while the pointer or the focus is on a slider. */
  readonly fan: Fan | null;
  readonly crossings: readonly LabCrossingState[];
  /** Finished runs of the table; null if all have finished. */
  readonly progress: { readonly done: number; readonly total: number } | null;
  readonly stopped: boolean;
  /** Duration of the last complete sweep; null before the first. */
  readonly took: { readonly runs: number; readonly ms: number } | null;
  readonly whatif: readonly WhatIfState[];
  /** The runs shown side by side, if not those of the crossing at the selected size. */
  readonly pair: readonly [RunPlace, RunPlace] | null;
  /** Detailed records by `placeKey`; stale ones stay until the new ones are complete. */
  readonly records: ReadonlyMap<string, LabRecord>;
  /** The dragged handle, and its target size. */
  readonly drag: {
    readonly crossing: number;
    readonly size: number;
    /** False: no value of the parameter moves it there. */
    readonly reached: boolean;
  } | null;
  readonly sealed: readonly SealedCurve[];
  /** Error message, if the engine failed. */
  readonly problem: string | null;
}

export const NOTHING: LabState = {
  plan: null,
  metric: '',
  size: 0,
  hover: null,
  crossing: 0,
  context: false,
  linearFit: false,
  runs: EMPTY,
  before: null,
  fan: null,
  crossings: [],
  progress: null,
  stopped: false,
  took: null,
  whatif: [],
  pair: null,
  records: new Map(),
  drag: null,
  sealed: [],
  problem: null,
};

/** The name of `linearFit` in sessions of earlier versions. */
const FORMER_LINEAR_FIT = 'naive';

/** Initial view settings: from the session if they are valid, else the lab's defaults. */
export function viewOf(
  plan: LabPlan,
  view: Readonly<Record<string, Value>>,
): Pick<LabState, 'metric' | 'size' | 'crossing' | 'context' | 'linearFit'> {
  const { experiment } = plan.scenario;
  const metrics = experiment?.metrics ?? [];
  const middle = plan.sizes[Math.floor((plan.sizes.length - 4) / 2)] ?? plan.sizes[0] ?? 0;
  return {
    metric: metrics.find((name) => name === view.metric) ?? metrics[0] ?? '',
    size: plan.sizes.find((size) => size === view.size) ?? middle,
    crossing: plan.crossings.find(({ index }) => index === view.crossing)?.index ?? 0,
    context: view.context === true,
    linearFit: (view.linearFit ?? view[FORMER_LINEAR_FIT]) === true,
  };
}

/** Whether any of some runs is on a sealed curve. */
export const isSealed = (
  { sealed }: LabState,
  ...places: readonly Pick<RunPlace, 'series'>[]
): boolean => places.some(({ series }) => sealed.some((one) => one.series === series));

/** Whether one of the curves that cross is sealed. */
export const isCrossingSealed = (state: LabState, { more, than }: LabCrossing): boolean =>
  isSealed(state, { series: more.index }, { series: than.index });

/** The crossings of curves that are not sealed. */
export const crossingsShown = (state: LabState): LabCrossingState[] =>
  state.crossings.filter((crossing) => !isCrossingSealed(state, crossing));

/** The size shown in the panels next to the chart. */
export const sizeShown = ({ hover, size }: LabState): number => hover ?? size;

/** The two runs shown side by side. */
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

/** The runs shown in detail: those side by side, and every method at the selected size. */
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

/** Name of a run: its index in the experiment, from 1; null for sizes between those. */
export function runName(plan: LabPlan, { series, size }: RunPlace): string | null {
  const point = plan.points.find((one) => one.series === series && one.size === size);
  return point?.point == null ? null : `run ${point.point + 1}`;
}
