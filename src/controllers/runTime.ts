import { fixed, type Quantity, time } from '../base/format';
import { player } from '../model/session/open-run';

const SCALES: Readonly<Record<string, readonly [size: number, decimals: number]>> = {
  s: [1e12, 6],
  ms: [1e9, 6],
  µs: [1e6, 3],
  ns: [1e3, 1],
  ps: [1, 0],
};

/** Events are nanoseconds apart, so microseconds are read more easily than six decimals of a longer unit. */
const LONGEST_IN_MICROSECONDS = 1e11;

/**
 * A time of the opened run, to the nanosecond and in one unit for all of it, so that digits keep their places;
 * only a run so long that its first microseconds would be a row of zeros begins in a shorter one.
 */
export function runTime(timePs: number, endPs = player.state.getState().endPs): Quantity {
  const longest = Math.max(endPs, timePs, 1);
  const natural = time(longest).unit;
  const tooShort = (unit: string) => timePs < (SCALES[unit]?.[0] ?? 1);
  const long = natural === 's' && tooShort('s') ? 'ms' : natural;
  const inMicroseconds = long === 'ms' && (longest < LONGEST_IN_MICROSECONDS || tooShort('ms'));
  const unit = inMicroseconds ? 'µs' : long;
  if (timePs === 0) return { value: '0', unit };
  const [size, decimals] = SCALES[unit] ?? [1, 0];
  return { value: fixed(timePs / size, decimals), unit };
}
