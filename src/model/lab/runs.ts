/**
 * Finished runs of the lab, by method and size. A set belongs to one state of the parameters; missing runs are
 * filled with those of the previous set, marked as stale.
 */
import type { SweepResult } from '../../engine/api';
import { metricValue } from '../scenario/experiment';
import type { Edits } from '../scenario/scenario-types';
import type { LabPlan, LabPoint } from './plan';

export interface LabRun extends LabPoint {
  /** Value of each metric; null if the run has none. */
  readonly values: Readonly<Record<string, number | null>>;
  readonly counters: readonly Float64Array[];
  readonly timePs: number;
  readonly events: number;
  /** Key of its parameters. */
  readonly key: string;
}

export interface RunSet {
  readonly key: string;
  readonly runs: ReadonlyMap<string, LabRun>;
}

export const EMPTY: RunSet = { key: '', runs: new Map() };

/** Key of a parameter state, independent of the order of edits. */
export const keyOf = (edits: Edits): string =>
  JSON.stringify(Object.entries(edits).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Key of a place of the chart. */
export const placeOf = ({ series, size }: Pick<LabPoint, 'series' | 'size'>): string =>
  `${series} ${size}`;

export const runAt = (set: RunSet, series: number, size: number): LabRun | undefined =>
  set.runs.get(placeOf({ series, size }));

/** Whether a run is from an older state of the parameters. */
export const isStale = (set: RunSet, run: LabRun): boolean => run.key !== set.key;

/** The runs of a series, by size. */
export const runsOf = (set: RunSet, series: number): LabRun[] =>
  [...set.runs.values()].filter((run) => run.series === series).sort((a, b) => a.size - b.size);

export function finished(plan: LabPlan, point: LabPoint, key: string, result: SweepResult): LabRun {
  const { counters, timePs, events } = result;
  const values: Record<string, number | null> = {};
  for (const name of plan.scenario.experiment?.metrics ?? []) {
    const metric = plan.scenario.metrics.get(name);
    values[name] = metric ? metricValue(metric, point.variables, counters) : null;
  }
  return { ...point, values, counters, timePs, events, key };
}

/** Parameter states of a drag are dropped after this many; pinned ones stay. */
const REMEMBERED = 16;

/** Sets by parameter state, so that undo and redo need no new runs. */
export class RunCache {
  readonly #sets = new Map<string, Map<string, LabRun>>();
  #pinned: ReadonlySet<string> = new Set();

  /** Keeps the sets with these keys, however many others are added: those on the chart. */
  pin(keys: readonly string[]): void {
    this.#pinned = new Set(keys);
  }

  #set(key: string): Map<string, LabRun> {
    const known = this.#sets.get(key) ?? new Map<string, LabRun>();
    this.#sets.delete(key);
    this.#sets.set(key, known);
    if (this.#sets.size > REMEMBERED) {
      const oldest = [...this.#sets.keys()].find((one) => one !== key && !this.#pinned.has(one));
      if (oldest !== undefined) this.#sets.delete(oldest);
    }
    return known;
  }

  has(key: string, point: LabPoint): boolean {
    return this.#sets.get(key)?.has(placeOf(point)) ?? false;
  }

  add(run: LabRun): void {
    this.#set(run.key).set(placeOf(run), run);
  }

  /** The runs with these parameters; missing ones are those of `before`, at the table's sizes. */
  view(key: string, before: RunSet): RunSet {
    const runs = new Map<string, LabRun>();
    for (const [place, run] of before.runs) if (run.point !== null) runs.set(place, run);
    for (const [place, run] of this.#sets.get(key) ?? []) runs.set(place, run);
    return { key, runs };
  }

  /** Only runs with these parameters; null if there are none. */
  exactly(key: string): RunSet | null {
    const runs = this.#sets.get(key);
    return runs && runs.size > 0 ? { key, runs: new Map(runs) } : null;
  }

  clear(): void {
    this.#sets.clear();
  }
}
