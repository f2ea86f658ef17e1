import { clamp } from '../base/geometry';
import type { Legal } from '../model/scenario/editable-param';

/** Steps of one key press or drag increment; ten with Shift. */
export const stepsFor = (shift: boolean): number => (shift ? 10 : 1);

/**
 * The nearest multiple of the step within the range. The limits stay reachable when they are no multiples,
 * and the result has no more decimals than the step (0.1 + 0.2 gives 0.3).
 */
function nearestStep(value: number, step: number, min: number, max: number): number {
  if (value <= min) return min;
  if (value >= max) return max;
  const decimals = Math.max(0, Math.ceil(-Math.log10(step)) + 1);
  return clamp(Number((Math.round(value / step) * step).toFixed(decimals)), min, max);
}

/** How a control may change its value: by steps within a range, or between the values that a rule permits. */
export interface Steps {
  readonly step: number;
  readonly min: number;
  readonly max: number;
  readonly legal?: Pick<Legal, 'near' | 'next'> | null | undefined;
}

/** The nearest value that the control permits. */
export function snapped(value: number, { step, min, max, legal }: Steps): number {
  const within = clamp(value, min, max);
  return legal ? legal.near(within) : nearestStep(within, step, min, max);
}

/** The value this many steps away; negative goes back. */
export const stepped = (value: number, by: number, steps: Steps): number =>
  steps.legal ? steps.legal.next(value, by) : snapped(value + by * steps.step, steps);
