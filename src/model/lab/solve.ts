/**
 * Which value of a parameter makes two methods equal? Found by running: the false-position method with
 * the Illinois correction, which needs few runs because times are nearly straight lines in a cost, and
 * always keeps the answer between two values that were run.
 */
export interface Solution {
  readonly value: number;
  /** False: even at the end of the parameter's range the methods are not equal; `value` is that end. */
  readonly reached: boolean;
}

export interface SolveRange {
  readonly low: number;
  readonly high: number;
  /** The finest difference in the parameter that matters. */
  readonly step: number;
}

const MOST_RUNS = 24;

/** `difference` answers how much one method is ahead at a value of the parameter, or null to give up. */
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
  for (let run = 0; run < MOST_RUNS && high - low > range.step; run++) {
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
