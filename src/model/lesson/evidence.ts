/**
 * Where a run shows the answer to a question: the event with which the counters that the right option names
 * came to say so. A limit that is exceeded is exceeded by one event; a value is reached with the last event
 * that counts. What never happens is seen at the end of the run.
 */

import { parseQuantity } from '../../base/quantity.mjs';
import { type CompiledMachine, partNamed } from '../scenario/compile';
import type { Trace } from '../trace/trace';
import type { Condition, Option, Question } from './lesson';

/** Counters of all parts, one after another. */
type Counters = ArrayLike<number>;

/** Whether counters say already what they say at the end; null where nothing is ever counted. */
export function decidesAt(
  { when }: Option,
  machine: CompiledMachine,
  final: Counters,
): ((counters: Counters) => boolean) | null {
  const settled = when.flatMap((condition) => {
    const found = conditionAt(machine, condition);
    const last = found ? (final[found.place] ?? 0) : 0;
    if (!found || last === 0) return [];
    const { place, limit } = found;
    const isReached = {
      '>': (value: number) => value > limit,
      '>=': (value: number) => value >= limit,
      '=': (value: number) => value === last,
      '<': (value: number) => value === last,
      '<=': (value: number) => value === last,
    }[condition.operator];
    return [(counters: Counters) => isReached(counters[place] ?? 0)];
  });
  return settled.length === 0 ? null : (now) => settled.every((holds) => holds(now));
}

/** Records looked at before a place for one of the part that the question is about. */
const NEAR = 64;

/**
 * The record that stands for a place of the run: the newest of the part asked about, or of what it did at that
 * moment what is worth telling; or else the newest of any part.
 */
export function recordAt(trace: Trace, seq: number, part: number | null): number | null {
  let newest: number | null = null;
  let timePs = 0;
  for (let at = seq; at > seq - NEAR && trace.has(at); at--) {
    const record = trace.record(at);
    if (record?.part !== part) continue;
    if (newest === null) [newest, timePs] = [at, record.timePs];
    if (record.timePs < timePs) break;
    if (trace.event(at)?.level === 'notable') return at;
  }
  return newest ?? (trace.has(seq) ? seq : null);
}

/** The part that an option asks about first. */
export const partOfQuestion = ({ when }: Option, machine: CompiledMachine): number | null =>
  partNamed(machine, when[0]?.part ?? '')?.index ?? null;

/** A limit as a counter counts it: "10 us" in picoseconds, "4 KiB" in bytes, "3" as it is. */
function limitOf(value: string, unit: string): number {
  const type = unit === 'ps' ? 'time' : unit === 'B' ? 'bytes' : 'count';
  try {
    return Number(parseQuantity(value, type));
  } catch {
    return Number.NaN;
  }
}

/** The counter of a condition: its place among those of all parts, one after another, and its limit. */
export function conditionAt(machine: CompiledMachine, at: Condition) {
  const part = partNamed(machine, at.part);
  const index = part?.type.counters.findIndex(({ name }) => name === at.counter) ?? -1;
  if (!part || index < 0) return null;
  const before = machine.parts
    .slice(0, part.index)
    .reduce((sum, one) => sum + one.type.counters.length, 0);
  const unit = part.type.counters[index]?.unit ?? '';
  return { place: before + index, limit: limitOf(at.value, unit) };
}

function holds(machine: CompiledMachine, counters: ArrayLike<number>, at: Condition): boolean {
  const found = conditionAt(machine, at);
  if (!found) return false;
  const { limit } = found;
  const value = counters[found.place] ?? 0;
  switch (at.operator) {
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
    case '=':
      return value === limit;
  }
}

/** Whether the run bears something out: all of its conditions hold, and there are some. */
export const isConfirmed = (
  { when }: Pick<Option, 'when'>,
  machine: CompiledMachine,
  counters: ArrayLike<number>,
): boolean => when.length > 0 && when.every((at) => holds(machine, counters, at));

/** Index of the option that the run bears out; -1 if it bears out none of them. */
export const verdict = (
  question: Question,
  machine: CompiledMachine,
  counters: ArrayLike<number>,
): number => question.options.findIndex((option) => isConfirmed(option, machine, counters));
