import { clamp } from '../base/geometry';
import type { Legal } from '../model/scenario/editable-param';

/** Steps of one press or one stretch of a drag; Shift takes more of them. */
export const stepsFor = (shift: boolean): number => (shift ? 10 : 1);

/**
 * The nearest multiple of the step within the range. The ends themselves stay reachable, also when they
 * are no multiples, and the result has no more decimals than the step: 0.1 + 0.2 is 0.3 here.
 */
function nearestStep(value: number, step: number, min: number, max: number): number {
  if (value <= min) return min;
  if (value >= max) return max;
  const decimals = Math.max(0, Math.ceil(-Math.log10(step)) + 1);
  return clamp(Number((Math.round(value / step) * step).toFixed(decimals)), min, max);
}

/** What a control may do to its value: steps on a range, or from one to the next of the values that a rule allows. */
export interface Steps {
  readonly step: number;
  readonly min: number;
  readonly max: number;
  readonly legal?: Pick<Legal, 'near' | 'next'> | null | undefined;
}

/** A value as near as the control can have it. */
export function snapped(value: number, { step, min, max, legal }: Steps): number {
  const within = clamp(value, min, max);
  return legal ? legal.near(within) : nearestStep(within, step, min, max);
}

/** So many steps further on, or back. */
export const stepped = (value: number, by: number, steps: Steps): number =>
  steps.legal ? steps.legal.next(value, by) : snapped(value + by * steps.step, steps);
