/** Runs points of a plan on an engine. A newer request cancels an older one. */

import { runInSlices, type Steps } from '../../base/tasks';
import type { SweepResult, Sweeps } from '../../engine/api';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import type { Edits } from '../scenario/scenario-types';
import type { LabPlan, LabPoint } from './plan';
import { finished, keyOf, type LabRun, placeOf, type RunSet } from './runs';

export interface SweepRequest {
  readonly plan: LabPlan;
  readonly edits: Edits;
  readonly points: readonly LabPoint[];
  onRun(run: LabRun): void;
}

/** The machines of the points; a hundred of them take longer than a frame. */
function* compiledPoints({
  plan,
  edits,
  points,
}: Omit<SweepRequest, 'onRun'>): Steps<CompiledMachine[]> {
  const seed = plan.seed ?? undefined;
  const machines: CompiledMachine[] = [];
  for (const { variables } of points) {
    const machine = compile(plan.scenario, { variables, edits, seed, traceLog2: 0 });
    if (!machine.ok) throw new Error(machine.problems[0]?.message);
    machines.push(machine.value);
    yield;
  }
  return machines;
}

export class LabSweeper {
  readonly #createEngine: () => Sweeps;
  #engine: Sweeps | null = null;
  /** Number of the newest request. */
  #newest = 0;
  /** Events of the last run at each place of the chart: the best guess at the length of the next. */
  readonly #lengths = new Map<string, number>();

  constructor(createEngine: () => Sweeps) {
    this.#createEngine = createEngine;
  }

  #ready(): Sweeps {
    this.#engine ??= this.#createEngine();
    return this.#engine;
  }

  /** Starts the workers before there is something to run. */
  prepare(): void {
    this.#ready().prepare?.();
  }

  /** True if every point was run, false if a newer request took the engine. */
  async run({ plan, edits, points, onRun }: SweepRequest): Promise<boolean> {
    if (points.length === 0) return true;
    const request = ++this.#newest;
    const key = keyOf(edits);
    const compiled = await runInSlices(compiledPoints({ plan, edits, points }));
    if (request !== this.#newest) return false;
    // Programs end on their own; the limit only stops one that does not.
    const untilPs = Math.max(...compiled.map((machine) => machine.untilPs));
    const sessions = compiled.map(({ config }) => ({ config, commands: [] }));
    const lengths = points.map((point) => this.#lengths.get(placeOf(point)) ?? point.size);
    const onResult = (result: SweepResult) => {
      const point = points[result.index];
      if (!point) return;
      this.#lengths.set(placeOf(point), result.events);
      onRun(finished(plan, point, key, result));
    };
    const job = { sessions, lengths, limit: { untilPs } };
    return (await this.#ready().sweep(job, onResult)) === 'done';
  }

  /** Runs a separate set of points; null if a newer request took the engine. */
  async trial(request: Omit<SweepRequest, 'onRun'>, known?: RunSet): Promise<RunSet | null> {
    const runs = new Map(known?.runs);
    const done = await this.run({
      ...request,
      onRun: (run) => runs.set(placeOf(run), run),
    });
    return done ? { key: keyOf(request.edits), runs } : null;
  }

  cancel(): void {
    this.#newest++;
    this.#engine?.cancel();
  }

  dispose(): void {
    this.#newest++;
    this.#engine?.dispose();
    this.#engine = null;
  }
}
