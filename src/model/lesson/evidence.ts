/**
 * Finds the event that shows the answer to a question: the one at which the counters of the right option reach
 * their final truth value. A limit is exceeded by one event; a value is reached with the last event that counts. If
 * nothing changes, the evidence is the end of the run.
 */

import { parseQuantity } from '../../base/quantity.mjs';
import { type CompiledMachine, firstCounterOf, partNamed } from '../scenario/compiled';
import type { Trace } from '../trace/trace';
import type { Condition, Option, Question } from './lesson';

/** Counters of all parts, one part after another. */
type Counters = ArrayLike<number>;

/** Whether counters already decide the question as the final ones do; null if they never change. */
export function decidesAt(
  { when }: Option,
  machine: CompiledMachine,
  final: Counters,
): ((counters: Counters) => boolean) | null {
  const settled = when.flatMap((condition) => {
    const found = conditionAt(machine, condition);
    const last = found ? (final[found.place] ?? 0) : 0;
    if (!found || last === 0) return [];
    const { place } = found;
    const limit = found.limitIn(final);
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

/** Number of records searched backwards for one of the question's part. */
const NEAR = 64;

/**
 * The record at a point of the run: the newest of the question's part, preferably a notable one at that time;
 * otherwise the newest of any part.
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

/** The part that an option mentions first. */
export const partOfQuestion = ({ when }: Option, machine: CompiledMachine): number | null =>
  partNamed(machine, when[0]?.part ?? '')?.index ?? null;

/** A limit in the unit of its counter: "10 us" in picoseconds, "4 KiB" in bytes, "3" as it is. */
function limitOf(value: string, unit: string): number {
  const type = unit === 'ps' ? 'time' : unit === 'B' ? 'bytes' : 'count';
  try {
    return Number(parseQuantity(value, type));
  } catch {
    return Number.NaN;
  }
}

/** Index of a counter among those of all parts, and its unit; null if there is none. */
function placeOf(machine: CompiledMachine, named: string, counter: string) {
  const part = partNamed(machine, named);
  const index = part?.type.counters.findIndex(({ name }) => name === counter) ?? -1;
  if (!part || index < 0) return null;
  return {
    place: firstCounterOf(machine.parts, part.index) + index,
    unit: part.type.counters[index]?.unit ?? '',
  };
}

/** "10 cpu.lap_time": a multiple of another counter; null if the value is none. */
export function multipleIn(value: string) {
  const match = /^(\d+(?:\.\d+)?) ([\w-]+)\.([\w-]+)$/.exec(value);
  if (!match) return null;
  const [, factor, part = '', counter = ''] = match;
  return { factor: Number(factor), part, counter };
}

/**
 * A condition's counter, as an index into all counters, and its limit given the final counters. The limit is not a
 * number if it cannot be read.
 */
export function conditionAt(machine: CompiledMachine, at: Condition) {
  const own = placeOf(machine, at.part, at.counter);
  if (!own) return null;
  const multiple = multipleIn(at.value);
  if (!multiple) {
    const limit = limitOf(at.value, own.unit);
    return { ...own, limitIn: () => limit };
  }
  const other = placeOf(machine, multiple.part, multiple.counter);
  const isSame = other?.unit === own.unit;
  const limitIn = (counters: Counters): number =>
    isSame ? multiple.factor * (counters[other.place] ?? 0) : Number.NaN;
  return { ...own, limitIn };
}

function holds(machine: CompiledMachine, counters: ArrayLike<number>, at: Condition): boolean {
  const found = conditionAt(machine, at);
  if (!found) return false;
  const limit = found.limitIn(counters);
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

/** Whether counters fulfil all conditions, of which there is at least one. */
export const isConfirmed = (
  { when }: Pick<Option, 'when'>,
  machine: CompiledMachine,
  counters: ArrayLike<number>,
): boolean => when.length > 0 && when.every((at) => holds(machine, counters, at));

/** Index of the option that the run confirms; -1 if none. */
export const verdict = (
  question: Question,
  machine: CompiledMachine,
  counters: ArrayLike<number>,
): number => question.options.findIndex((option) => isConfirmed(option, machine, counters));
