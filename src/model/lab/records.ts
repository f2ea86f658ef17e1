/**
 * Detailed records of single lab runs: the activity of each part during one transfer. Recorded on a separate
 * engine, so the curves are not delayed.
 */
import type { Engine } from '../../engine/api';
import { compile } from '../scenario/compile';
import type { CompiledMachine } from '../scenario/compiled';
import type { Edits } from '../scenario/scenario-types';
import { Recorder } from '../session/recorder';
import {
  type CostKind,
  type Costs,
  costKindOfState,
  costsOf,
  lapsOf,
} from '../trace/time-breakdown';
import { createTrace, type Trace } from '../trace/trace';
import { type LabPlan, pointBetween } from './plan';
import { keyOf } from './runs';
import type { LabRecord, RunPlace } from './state';

/** Records kept: each has up to a quarter of a million entries. */
const KEPT = 8;

const lastOf = (trace: Trace, name: string): number | null => {
  let last: number | null = null;
  for (const seq of trace.matching((event) => event.name === name)) last = seq;
  return last;
};

const timeOf = (trace: Trace, seq: number | null): number | null =>
  seq === null ? null : (trace.record(seq)?.timePs ?? null);

/** Number of transfers in an interval. */
function transfersIn(trace: Trace, from: number, to: number): number {
  let count = 0;
  for (const seq of trace.matching((event) => event.name === 'done')) {
    const at = trace.record(seq)?.timePs ?? 0;
    if (at > from && at <= to) count++;
  }
  return count;
}

interface Recorded {
  readonly place: RunPlace;
  readonly key: string;
  readonly machine: CompiledMachine;
  readonly trace: Trace;
  readonly endPs: number;
  /** Whether the trace ends before the run. */
  readonly cut: boolean;
  readonly counters: readonly Float64Array[];
}

function recordOf({ endPs, cut, counters, ...run }: Recorded): LabRecord {
  const { machine, trace } = run;
  const from = timeOf(trace, lastOf(trace, 'begin')) ?? 0;
  if (cut) {
    const recordedTo = timeOf(trace, trace.last) ?? from;
    const costs = costsFromCounters(machine, counters, from, endPs);
    return { ...run, from, to: endPs, recordedTo, costs, lap: { costs, transfers: 1 } };
  }
  const to = timeOf(trace, lastOf(trace, 'done')) ?? endPs;
  const costs = costsOf(machine, trace, from, to);
  const timed = lapsOf(trace).at(-1);
  const lap = timed
    ? {
        costs: costsOf(machine, trace, timed.from, timed.to),
        transfers: Math.max(1, transfersIn(trace, timed.from, timed.to)),
      }
    : { costs, transfers: 1 };
  return { ...run, from, to, recordedTo: to, costs, lap };
}

export class LabRecorder {
  #engine: Engine | null = null;
  #recorder: Recorder<Trace> | null = null;
  readonly #kept = new Map<string, LabRecord>();

  constructor(private readonly createEngine: () => Engine) {}

  known(place: RunPlace, key: string): LabRecord | undefined {
    return this.#kept.get(`${place.series} ${place.size} ${key}`);
  }

  /** Records a run; null if a newer request came, or the run does not exist. */
  async record(plan: LabPlan, place: RunPlace, edits: Edits): Promise<LabRecord | null> {
    const key = keyOf(edits);
    const known = this.known(place, key);
    if (known) return known;
    const series = plan.series[place.series];
    const point =
      plan.points.find((one) => one.series === place.series && one.size === place.size) ??
      (series && pointBetween(plan, series, place.size));
    if (!point) return null;
    const { variables } = point;
    const found = compile(plan.scenario, { variables, edits, seed: plan.seed ?? undefined });
    if (!found.ok) return null;
    const machine = found.value;
    this.#engine ??= this.createEngine();
    this.#recorder ??= new Recorder<Trace>(this.#engine);
    const recording = await this.#recorder.record({
      session: { config: machine.config, commands: [] },
      untilPs: machine.untilPs,
      types: machine.parts.map((part) => part.type),
      makeTrace: () => createTrace(machine),
      onProgress: () => {},
    });
    if (!recording) return null;
    const { trace, endPs, cut } = recording;
    const { counters } = await this.#engine.frame({ views: [] });
    const record = recordOf({ place, key, machine, trace, endPs, cut, counters });
    this.#keep(record);
    return record;
  }

  #keep(record: LabRecord): void {
    this.#kept.set(`${record.place.series} ${record.place.size} ${record.key}`, record);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  clear(): void {
    this.#kept.clear();
  }

  dispose(): void {
    this.#recorder?.stop();
    this.#engine?.dispose();
    this.#engine = null;
    this.#recorder = null;
  }
}

const ORDER: readonly CostKind[] = ['software', 'work', 'words', 'copy', 'device', 'waiting'];

/** Processor times by state, over the whole run, from the counters named after the states. */
function statesOf(machine: CompiledMachine, counters: readonly Float64Array[]) {
  const index = machine.parts.findIndex((part) => part.type.actor === 'cpu');
  const specs = machine.parts[index]?.type.counters ?? [];
  return specs.flatMap(({ name }, i) => {
    const state = /^in_(\w+)$/.exec(name)?.[1];
    return state ? [{ kind: costKindOfState(state), time: counters[index]?.[i] ?? 0 }] : [];
  });
}

function costsFromCounters(
  machine: CompiledMachine,
  counters: readonly Float64Array[],
  from: number,
  to: number,
): Costs {
  const states = statesOf(machine, counters);
  const busy = states.reduce((sum, { time }) => sum + time, 0);
  // The run's counters include transfers before the timed one; the costs are scaled accordingly.
  const scale = busy > 0 ? Math.min(1, (to - from) / busy) : 0;
  const total = { software: 0, words: 0, copy: 0, device: 0, work: 0, waiting: 0 };
  for (const { kind, time } of states) total[kind] += time * scale;
  const busyTime = busy * scale;
  total.waiting += to - from - busyTime;
  let at = from;
  const pieces = ORDER.filter((kind) => total[kind] > 0).map((kind) => {
    const piece = { kind, from: at, to: at + total[kind] };
    at = piece.to;
    return piece;
  });
  return { from, to, pieces, total, busy: [{ from, to: from + busyTime }], busyTime };
}
