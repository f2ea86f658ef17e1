/** The sweep of the page: its description, and its runs on all processors. */

import { createStore } from '../../base/store';
import { processors } from '../../controllers/processors';
import { createWorkerEngine } from '../../engine/workers';
import { withoutFollowing } from '../../model/scenario/experiment';
import { readMeasure } from '../../model/scenario/measure';
import { session } from '../../model/session/session';
import { type PointResult, runPoints } from '../../model/sweep/run-points';
import { readSweepAxis } from '../../model/sweep/sweep-axis';
import { axesProblem, type SweepPlan, sweepPoints } from '../../model/sweep/sweep-plan';

/** A sweep as it is written in the form. */
export interface SweepForm {
  readonly params: readonly string[];
  /** Values of each parameter. */
  readonly values: readonly string[];
  readonly measures: readonly string[];
}

export interface Sweeping {
  readonly plan: SweepPlan | null;
  readonly results: readonly PointResult[];
  readonly total: number;
  readonly running: boolean;
  readonly problem: string | null;
}

const NONE: Sweeping = { plan: null, results: [], total: 0, running: false, problem: null };
export const sweeping = createStore<Sweeping>(NONE);

let stop: AbortController | null = null;

/** Stops the remaining runs; finished ones stay. */
export function cancelSweep(): void {
  stop?.abort();
  sweeping.setState({ running: false });
}

/** The sweep that the form describes, or what is wrong with it. */
function planOf({ params, values, measures: names }: SweepForm): SweepPlan | string {
  const { data, machine, edits, seed } = session.getState();
  if (!data || !machine) return 'No machine is open.';
  const axes = [];
  for (const [i, param] of params.entries()) {
    const axis = readSweepAxis(data, machine, `${param}=${values[i] ?? ''}`);
    if (typeof axis === 'string') return axis;
    axes.push(axis);
  }
  const measures = [];
  for (const name of names) {
    const measure = readMeasure(data, machine.parts, name);
    if (typeof measure === 'string') return measure;
    measures.push(measure);
  }
  if (measures.length === 0) return 'Choose what is measured.';
  const variables = withoutFollowing(data, machine.variables);
  const base = { variables, edits, seed: seed ?? undefined };
  return axesProblem(axes) ?? { scenario: data, base, axes, measures };
}

export async function startSweep(form: SweepForm): Promise<void> {
  cancelSweep();
  const plan = planOf(form);
  if (typeof plan === 'string') {
    sweeping.setState({ ...NONE, problem: plan }, true);
    return;
  }
  const points = sweepPoints(plan.axes);
  const own = new AbortController();
  stop = own;
  sweeping.setState({ ...NONE, plan, total: points.length, running: true }, true);
  const workers = Math.min(processors(), points.length);
  const engines = Array.from({ length: workers }, () => createWorkerEngine());
  const end = () => {
    for (const engine of engines) engine.dispose();
  };
  own.signal.addEventListener('abort', end);
  try {
    const onResult = (result: PointResult) =>
      sweeping.setState(({ results }) => ({ results: [...results, result] }));
    await runPoints(engines, plan, points, onResult, own.signal);
  } catch (error) {
    if (!own.signal.aborted) sweeping.setState({ problem: (error as Error).message });
  } finally {
    end();
    if (stop === own) sweeping.setState({ running: false });
  }
}
