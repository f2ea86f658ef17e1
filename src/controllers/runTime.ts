import { fixed, type Quantity, time } from '../base/format';
import { player } from '../model/session/opened';

const SCALES: Readonly<Record<string, readonly [size: number, decimals: number]>> = {
  s: [1e12, 6],
  ms: [1e9, 6],
  µs: [1e6, 3],
  ns: [1e3, 1],
  ps: [1, 0],
};

/** Events are nanoseconds apart, so microseconds are read more easily than six decimals of a longer unit. */
const LONGEST_IN_MICROSECONDS = 1e11;

/** A time of the opened run, in one unit for all of it and to the nanosecond, so that digits keep their places. */
export function runTime(timePs: number, endPs = player.state.getState().endPs): Quantity {
  const longest = Math.max(endPs, timePs, 1);
  const natural = time(longest).unit;
  const unit = natural === 'ms' && longest < LONGEST_IN_MICROSECONDS ? 'µs' : natural;
  const [size, decimals] = SCALES[unit] ?? [1, 0];
  return { value: fixed(timePs / size, decimals), unit };
}
