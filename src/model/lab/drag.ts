/** Dragging a crossing: solves for the value of its parameter at which the curves meet at a given size. */

import { type CompiledMachine, paramAt, paramText } from '../scenario/compiled';
import type { Edits } from '../scenario/scenario-types';
import { toText } from '../scenario/values';
import { worth, type Yardstick } from './crossing';
import { type LabCrossing, type LabPlan, pointBetween } from './plan';
import { type RunSet, runAt } from './runs';
import type { LabSweeper } from './sweep';

/**
 * The parameter value at which two methods are equal, found by running. Uses the false-position method with the
 * Illinois correction, which needs few runs because times are nearly linear in a cost, and keeps the root bracketed
 * by two values that were run.
 */
export interface Solution {
  readonly value: number;
  /** False: the methods differ in the whole range; `value` is the nearer end. */
  readonly reached: boolean;
}

export interface SolveRange {
  readonly low: number;
  readonly high: number;
  /** Smallest relevant difference of the parameter. */
  readonly step: number;
}

const MAX_RUNS = 24;

/** `difference` returns the lead of one method at a parameter value, or null to cancel. */
export async function solve(
  range: SolveRange,
  difference: (value: number) => Promise<number | null>,
): Promise<Solution | null> {
  let { low, high } = range;
  const atLow = await difference(low);
  const atHigh = atLow === null ? null : await difference(high);
  if (atLow === null || atHigh === null) return null;
  if (atLow === 0) return { value: low, reached: true };
  if (atLow > 0 === atHigh > 0 && atHigh !== 0) {
    const value = Math.abs(atLow) < Math.abs(atHigh) ? low : high;
    return { value, reached: false };
  }
  let [left, right] = [atLow, atHigh];
  let middle = high;
  for (let run = 0; run < MAX_RUNS && high - low > range.step; run++) {
    middle = (low * right - high * left) / (right - left);
    const at = await difference(middle);
    if (at === null) return null;
    if (at === 0) break;
    if (at > 0 === left > 0) {
      [low, left] = [middle, at];
      right /= 2;
    } else {
      [high, right] = [middle, at];
      left /= 2;
    }
  }
  return { value: middle, reached: true };
}

export interface DragQuestion {
  readonly plan: LabPlan;
  readonly crossing: LabCrossing;
  readonly edits: Edits;
  readonly machine: CompiledMachine;
  readonly size: number;
  readonly by: Yardstick;
}

/** Lead of `more` at a size between two steps, interpolated linearly. */
function leadBetween(question: DragQuestion, set: RunSet): number | null {
  const { crossing, by, size } = question;
  const { step } = question.plan;
  const lead = (at: number) => {
    const more = worth(runAt(set, crossing.more.index, at), by.metric, by.unit);
    const than = worth(runAt(set, crossing.than.index, at), by.metric, by.unit);
    return more === null || than === null ? null : 1 / than - 1 / more;
  };
  const low = Math.floor(size / step) * step;
  const [from, to] = [lead(low), lead(low + step)];
  if (from === null || to === null) return null;
  return from + ((to - from) * (size - low)) / step;
}

/** Present value of a parameter, as text. */
export function valueText(machine: CompiledMachine, path: string): string | null {
  const param = paramAt(machine, path);
  const part = param && machine.parts.find((one) => one.params.includes(param));
  return part ? paramText(part, param) : null;
}

/** A thousandth of the value, rounded to a power of ten. */
const stepOf = (value: number): number => 10 ** Math.max(0, Math.floor(Math.log10(value)) - 3);

export interface DragAnswer {
  /** The parameter's new value. */
  readonly text: string;
  /** The size that was solved for, which is on the table. */
  readonly size: number;
  /** False: the crossing cannot be moved there; the value is the end of its range. */
  readonly reached: boolean;
}

/** Null if there is nothing to solve, or a newer request came. */
export async function solveFor(
  sweeper: LabSweeper,
  question: DragQuestion,
): Promise<DragAnswer | null> {
  const { plan, crossing, edits, machine } = question;
  const param = crossing.param === null ? undefined : paramAt(machine, crossing.param);
  if (!param) return null;
  const { spec, path } = param;
  const type = machine.parts.find((part) => part.params.includes(param))?.type;
  if (!type) return null;
  const [smallest = 0, largest = 0] = [plan.sizes[0], plan.sizes.at(-1)];
  const size = Math.min(Math.max(question.size, smallest), largest - plan.step);
  const low = Math.floor(size / plan.step) * plan.step;
  const points = [low, low + plan.step].flatMap((at) =>
    [crossing.more, crossing.than].flatMap((series) => pointBetween(plan, series, at) ?? []),
  );
  const textOf = (value: number) => toText(BigInt(Math.round(value)), spec.type, type.enums);
  const range = {
    low: Number(spec.min),
    high: Number(spec.max),
    step: stepOf(Number(param.original)),
  };
  const found = await solve(range, async (value) => {
    const tried = { ...edits, [path]: textOf(value) };
    const set = await sweeper.trial({ plan, edits: tried, points });
    return set && leadBetween({ ...question, size }, set);
  });
  if (!found) return null;
  const { value, reached } = found;
  const text = textOf(reached ? Math.round(value / range.step) * range.step : value);
  return { text, size, reached };
}
