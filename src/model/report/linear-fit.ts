/**
 * A linear model of transfers: a fixed overhead plus a constant rate, fitted to throughputs. It is shown next to
 * the simulation for comparison.
 */
interface LinearFitRow {
  readonly size: number;
  /** MB/s, 10^6 bytes per second. */
  readonly published: number;
  readonly fitted: number;
  readonly error_percent: number;
}

export interface LinearFit {
  readonly overheadPs: number;
  readonly psPerByte: number;
  /** The rate without the overhead, in MB/s. */
  readonly rate: number;
  readonly rows: readonly LinearFitRow[];
  readonly mean_abs_error_percent: number;
  readonly worst_abs_error_percent: number;
}

/** MB/s and bytes to picoseconds: 10^6 B/s is one byte per 10^6 ps. */
const timeOf = (size: number, rate: number) => (size * 1e6) / rate;

/**
 * Fits time = overhead + size x cost to throughputs by least squares of the relative error, so that small and large
 * transfers have equal weight. Null for fewer than two sizes.
 */
export function fitLinear(
  points: readonly { readonly size: number; readonly value: number }[],
): LinearFit | null {
  let [w, wx, wxx, wy, wxy] = [0, 0, 0, 0, 0];
  for (const { size, value } of points) {
    const time = timeOf(size, value);
    const weight = 1 / (time * time);
    w += weight;
    wx += weight * size;
    wxx += weight * size * size;
    wy += weight * time;
    wxy += weight * size * time;
  }
  const determinant = w * wxx - wx * wx;
  if (points.length < 2 || !(determinant > 0)) return null;
  const psPerByte = (w * wxy - wx * wy) / determinant;
  const overheadPs = (wy - psPerByte * wx) / w;
  const rows = points.map(({ size, value }): LinearFitRow => {
    const fitted = (size * 1e6) / (overheadPs + psPerByte * size);
    return { size, published: value, fitted, error_percent: (fitted / value - 1) * 100 };
  });
  const errors = rows.map((row) => Math.abs(row.error_percent));
  return {
    overheadPs,
    psPerByte,
    rate: 1e6 / psPerByte,
    rows,
    mean_abs_error_percent: errors.reduce((sum, error) => sum + error, 0) / errors.length,
    worst_abs_error_percent: Math.max(...errors),
  };
}
