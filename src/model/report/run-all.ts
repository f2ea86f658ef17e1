/** Runs many points of a scenario on an engine: for checks, sweeps and the report. */
import type { SweepResult, Sweeps } from '../../engine/api';
import type { Catalogue } from '../scenario/catalogue';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import { variablesAt } from '../scenario/experiment';
import { failure, type Problem, type Result, success } from '../scenario/problems';
import type { Assignment, Edits, Scenario } from '../scenario/scenario-types';

/** Result of a finished run. */
export interface FinishedRun {
  readonly variables: Assignment;
  readonly counters: SweepResult['counters'];
  readonly timePs: number;
  readonly events: number;
  readonly wallMs: number;
  /** Null unless requested. */
  readonly hash: string | null;
}

export interface RunOptions {
  readonly edits?: Edits;
  readonly catalogue?: Catalogue | undefined;
  /** Replaces the scenario's own seed. */
  readonly seed?: number | undefined;
  readonly hash?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Runs machines; those with equal end times share one sweep. */
async function sweepAll(
  engine: Sweeps,
  machines: readonly CompiledMachine[],
  options: RunOptions,
): Promise<(SweepResult | null)[]> {
  const results: (SweepResult | null)[] = machines.map(() => null);
  const byEnd = new Map<number, number[]>();
  machines.forEach((machine, i) => {
    byEnd.set(machine.untilPs, [...(byEnd.get(machine.untilPs) ?? []), i]);
  });
  let done = 0;
  for (const [untilPs, indexes] of byEnd) {
    const sessions = indexes.map((i) => ({
      config: machines[i]?.config ?? new Uint8Array(),
      commands: [],
    }));
    const job = { sessions, limit: { untilPs }, hash: options.hash ?? false };
    await engine.sweep(job, (result) => {
      results[indexes[result.index] ?? 0] = result;
      options.onProgress?.(++done, machines.length);
    });
  }
  return results;
}

/** One run per assignment of variables, in order; equal assignments are run once. */
export async function runAll(
  engine: Sweeps,
  scenario: Scenario,
  assignments: readonly Assignment[],
  options: RunOptions = {},
): Promise<Result<(FinishedRun | null)[]>> {
  const problems: Problem[] = [];
  const machines: CompiledMachine[] = [];
  const places = new Map<string, number>();
  const wanted = assignments.map((at) => {
    const variables = variablesAt(scenario, at);
    if (!variables.ok) {
      problems.push(...variables.problems);
      return -1;
    }
    const key = JSON.stringify(Object.entries(variables.value).sort());
    const known = places.get(key);
    if (known !== undefined) return known;
    const { edits, catalogue, seed } = options;
    const machine = compile(scenario, {
      variables: variables.value,
      edits,
      catalogue,
      seed,
      traceLog2: 0,
    });
    if (!machine.ok) {
      problems.push(...machine.problems);
      return -1;
    }
    places.set(key, machines.length);
    return machines.push(machine.value) - 1;
  });
  if (problems.length > 0) return failure(problems);
  const results = await sweepAll(engine, machines, options);
  const runs = wanted.map((place): FinishedRun | null => {
    const [result, machine] = [results[place], machines[place]];
    if (!result || !machine || result.reason === 'trap') return null;
    const { counters, timePs, events, wallMs, hash } = result;
    return { variables: machine.variables, counters, timePs, events, wallMs, hash };
  });
  return success(runs);
}
