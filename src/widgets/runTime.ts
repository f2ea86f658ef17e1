import { fixed, type Quantity, time } from '../base/format';
import { player } from '../model/opened';

const SCALES: Readonly<Record<string, readonly [size: number, decimals: number]>> = {
  s: [1e12, 6],
  ms: [1e9, 6],
  µs: [1e6, 3],
  ns: [1e3, 1],
  ps: [1, 0],
};

/** A time of the opened run, in the unit of its end and to the nanosecond, so that digits keep their places. */
export function runTime(timePs: number, endPs = player.state.getState().endPs): Quantity {
  const { unit } = time(Math.max(endPs, timePs, 1));
  const [size, decimals] = SCALES[unit] ?? [1, 0];
  return { value: fixed(timePs / size, decimals), unit };
}
