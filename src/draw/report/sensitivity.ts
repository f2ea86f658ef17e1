/**
 * How far constants move a group of rows, as dots on a strip: zero at the left, a fifth at the right. The
 * scale is a square root, so that one per cent is distinguishable from zero.
 */
import { clamp } from '../../base/geometry';

/** Movements beyond this many per cent are drawn at the edge. */
const FARTHEST = 20;

export const SENSITIVITY_TICKS: readonly number[] = [0, 1, 5, 10, 20];

export interface SensitivityScale {
  readonly width: number;
  /** Room for half a mark at either end. */
  readonly inset: number;
}

export const sensitivityX = ({ width, inset }: SensitivityScale, percent: number): number =>
  inset + Math.sqrt(clamp(percent, 0, FARTHEST) / FARTHEST) * (width - 2 * inset);

export interface SensitivityMark {
  readonly x: number;
  readonly offScale: 0 | 1;
}

/** The largest last, so that it is on top. */
export const sensitivityMarks = (
  scale: SensitivityScale,
  reaches: readonly number[],
): SensitivityMark[] =>
  [...reaches]
    .sort((a, b) => a - b)
    .map((percent) => ({
      x: sensitivityX(scale, percent),
      offScale: percent > FARTHEST ? 1 : 0,
    }));
