/**
 * How fast a run is shown: simulated time per second of the viewer's time, in steps of 1, 2 and 5. The
 * first choice for a run lets single transactions be told apart.
 */
const DECADES = Array.from({ length: 10 }, (_, power) => 10 ** (power + 3));

/** Picoseconds per second: 1 ns/s to 5 s/s. */
export const SPEEDS: readonly number[] = DECADES.flatMap((decade) => [
  decade,
  2 * decade,
  5 * decade,
]);

/** Transactions a second that an eye can follow. */
const FOLLOWED = 8;
const FALLBACK = 1e6;

/** The step nearest to a speed, by ratio. */
export function nearestSpeed(speed: number): number {
  let best = SPEEDS[0] as number;
  for (const step of SPEEDS)
    if (Math.abs(Math.log(step / speed)) < Math.abs(Math.log(best / speed))) best = step;
  return best;
}

/** The next faster or slower step. */
export function changedSpeed(speed: number, by: 1 | -1): number {
  const at = SPEEDS.indexOf(nearestSpeed(speed));
  return SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)] as number;
}

/** A speed that shows about eight transactions a second, by the middle of the gaps between them. */
export function maxFollowableSpeed(timesPs: readonly number[]): number {
  const gaps = timesPs
    .slice(1)
    .map((time, index) => time - (timesPs[index] ?? 0))
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b);
  const middle = gaps[Math.floor(gaps.length / 2)];
  return nearestSpeed(middle ? middle * FOLLOWED : FALLBACK);
}
