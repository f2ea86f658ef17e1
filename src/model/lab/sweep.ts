/** Runs points of a plan on an engine, whichever question they answer. A newer request ends an older one. */
import { inTasks } from '../../base/steps';
import type { SweepResult, Sweeps } from '../../engine/api';
import { type CompiledMachine, compile, type Edits } from '../scenario/compile';
import type { LabPlan, LabPoint } from './plan';
import { finished, keyOf, type LabRun, type RunSet } from './runs';

export interface SweepRequest {
  readonly plan: LabPlan;
  readonly edits: Edits;
  readonly points: readonly LabPoint[];
  onRun(run: LabRun): void;
}

function* compiledOf({ scenario }: LabPlan, edits: Edits, points: readonly LabPoint[]) {
  const machines: CompiledMachine[] = [];
  for (const { variables } of points) {
    const machine = compile(scenario, { variables, edits, traceLog2: 0 });
    if (!machine.ok) throw new Error(machine.problems[0]?.message);
    machines.push(machine.value);
    yield;
  }
  return machines;
}

export class LabSweeper {
  #engine: Sweeps | null = null;
  /** Number of the newest request. */
  #turn = 0;

  constructor(private readonly createEngine: () => Sweeps) {}

  /** True when every point was run, false when a newer request took the engine. */
  async run({ plan, edits, points, onRun }: SweepRequest): Promise<boolean> {
    if (points.length === 0) return true;
    const key = keyOf(edits);
    this.cancel();
    const turn = this.#turn;
    const compiled = await inTasks(compiledOf(plan, edits, points));
    if (turn !== this.#turn) return false;
    // Programs end by themselves; the limit only stops one that does not.
    const untilPs = Math.max(...compiled.map((machine) => machine.untilPs));
    const sessions = compiled.map(({ config }) => ({ config, commands: [] }));
    this.#engine ??= this.createEngine();
    const onResult = (result: SweepResult) => {
      const point = points[result.index];
      if (point) onRun(finished(plan, point, key, result));
    };
    return (await this.#engine.sweep({ sessions, limit: { untilPs } }, onResult)) === 'done';
  }

  /** A set of runs of its own, for a question beside the curves; null when it was taken over. */
  async trial(request: Omit<SweepRequest, 'onRun'>, known?: RunSet): Promise<RunSet | null> {
    const runs = new Map(known?.runs);
    const done = await this.run({
      ...request,
      onRun: (run) => runs.set(`${run.series} ${run.size}`, run),
    });
    return done ? { key: keyOf(request.edits), runs } : null;
  }

  cancel(): void {
    this.#turn++;
    this.#engine?.cancel();
  }

  dispose(): void {
    this.#turn++;
    this.#engine?.dispose();
    this.#engine = null;
  }
}
