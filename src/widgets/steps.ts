import { clamp } from '../base/geometry';

/** One step, or ten with Shift. */
export const stepFor = (step: number, shift: boolean): number => (shift ? step * 10 : step);

/**
 * The nearest multiple of the step within the range. The ends themselves stay reachable, also when they
 * are no multiples, and the result has no more decimals than the step: 0.1 + 0.2 is 0.3 here.
 */
export function nearestStep(value: number, step: number, min: number, max: number): number {
  if (value <= min) return min;
  if (value >= max) return max;
  const decimals = Math.max(0, Math.ceil(-Math.log10(step)) + 1);
  return clamp(Number((Math.round(value / step) * step).toFixed(decimals)), min, max);
}
