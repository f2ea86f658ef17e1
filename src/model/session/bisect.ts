/** Finds the event at which a condition becomes true in a recorded run, by bisection. */
import type { Engine, OverviewSample, Position } from '../../engine/api';

/** Counters of all parts, one after another. */
type Counters = ArrayLike<number>;

/**
 * The event after which a condition holds to the end: a count that rises and falls may have met it earlier for a while.
 * Samples narrow the search. Null if it does not hold at the end, or if the search is cancelled.
 */
export async function firstEventWhere(
  engine: Engine,
  samples: readonly OverviewSample[],
  holds: (counters: Counters) => boolean,
  cancelled: () => boolean,
): Promise<Position | null> {
  const after = samples.findLastIndex(({ counters }) => !holds(counters)) + 1;
  const sample = samples[after];
  if (!sample) return null;
  let [low, high] = [samples[after - 1]?.events ?? 0, sample.events];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    await engine.seekEvents(middle);
    if (cancelled()) return null;
    const frame = await engine.frame({ views: [] });
    const isSo = holds(frame.counters.flatMap((own) => [...own]));
    engine.release(frame);
    if (cancelled()) return null;
    if (isSo) high = middle;
    else low = middle;
  }
  return engine.seekEvents(high);
}
