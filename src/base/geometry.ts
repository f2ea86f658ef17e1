/** Points, rectangles and the few sums every drawing needs. All lengths are CSS pixels. */
interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Rect extends Point {
  readonly width: number;
  readonly height: number;
}

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), Math.max(low, high));

export const lerp = (from: number, to: number, share: number): number => from + (to - from) * share;

/** A range of numbers seen as positions from 0 to 1, straight or by the logarithm. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly log?: boolean;
}

export function toShare(scale: Scale, value: number): number {
  const { low, high, log } = scale;
  if (high === low) return 0;
  const share = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return clamp(share, 0, 1);
}

export function fromShare(scale: Scale, share: number): number {
  const { low, high, log } = scale;
  const at = clamp(share, 0, 1);
  return log ? low * (high / low) ** at : lerp(low, high, at);
}
