/**
 * Costs of a transfer that is too long to be recorded, from the counters of its run: how long the
 * processor was in each state. Which came when is not known, so the kinds stand one after another.
 */

import type { CompiledMachine } from '../scenario/compile';
import { type CostKind, type Costs, costKindOfState } from '../trace/time-breakdown';

const ORDER: readonly CostKind[] = ['software', 'work', 'words', 'copy', 'device', 'waiting'];

/** Times of the processor by state, over the whole run: counters named after the states. */
function statesOf(machine: CompiledMachine, counters: readonly Float64Array[]) {
  const index = machine.parts.findIndex((part) => part.type.actor === 'cpu');
  const specs = machine.parts[index]?.type.counters ?? [];
  return specs.flatMap(({ name }, i) => {
    const state = /^in_(\w+)$/.exec(name)?.[1];
    return state ? [{ kind: costKindOfState(state), time: counters[index]?.[i] ?? 0 }] : [];
  });
}

export function costsFromCounters(
  machine: CompiledMachine,
  counters: readonly Float64Array[],
  from: number,
  to: number,
): Costs {
  const states = statesOf(machine, counters);
  const busy = states.reduce((sum, { time }) => sum + time, 0);
  // Transfers before the timed one take their share of the run's counters; what is left is in proportion.
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
