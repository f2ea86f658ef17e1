/** Which answer of a question the run bears out: conditions on the counters at its end. */
import { parseQuantity } from '../../base/quantity.mjs';
import { type CompiledMachine, partNamed } from '../scenario/compile';
import type { Condition, Option, Question } from './lesson';

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
