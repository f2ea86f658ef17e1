/** Runs points of a plan on an engine. A newer request cancels an older one. */
import type { SweepResult, Sweeps } from '../../engine/api';
import { compile } from '../scenario/compile';
import type { Edits } from '../scenario/scenario-types';
import type { LabPlan, LabPoint } from './plan';
import { finished, keyOf, type LabRun, type RunSet } from './runs';

export interface SweepRequest {
  readonly plan: LabPlan;
  readonly edits: Edits;
  readonly points: readonly LabPoint[];
  onRun(run: LabRun): void;
}

export class LabSweeper {
  #engine: Sweeps | null = null;

  constructor(private readonly createEngine: () => Sweeps) {}

  /** True if every point was run, false if a newer request took the engine. */
  async run({ plan, edits, points, onRun }: SweepRequest): Promise<boolean> {
    if (points.length === 0) return true;
    const key = keyOf(edits);
    const seed = plan.seed ?? undefined;
    const compiled = points.map(({ variables }) => {
      const machine = compile(plan.scenario, { variables, edits, seed, traceLog2: 0 });
      if (!machine.ok) throw new Error(machine.problems[0]?.message);
      return machine.value;
    });
    // Programs end on their own; the limit only stops one that does not.
    const untilPs = Math.max(...compiled.map((machine) => machine.untilPs));
    const sessions = compiled.map(({ config }) => ({ config, commands: [] }));
    this.#engine ??= this.createEngine();
    const onResult = (result: SweepResult) => {
      const point = points[result.index];
      if (point) onRun(finished(plan, point, key, result));
    };
    return (await this.#engine.sweep({ sessions, limit: { untilPs } }, onResult)) === 'done';
  }

  /** Runs a separate set of points; null if a newer request took the engine. */
  async trial(request: Omit<SweepRequest, 'onRun'>, known?: RunSet): Promise<RunSet | null> {
    const runs = new Map(known?.runs);
    const done = await this.run({
      ...request,
      onRun: (run) => runs.set(`${run.series} ${run.size}`, run),
    });
    return done ? { key: keyOf(request.edits), runs } : null;
  }

  cancel(): void {
    this.#engine?.cancel();
  }

  dispose(): void {
    this.#engine?.dispose();
    this.#engine = null;
  }
}
