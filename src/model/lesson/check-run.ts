/** The results of a lesson's run that the lesson refers to: counters, and events at given times. */
import type { Engine } from '../../engine/api';
import type { CompiledMachine } from '../scenario/compiled';
import { firstEventWhere } from '../session/bisect';

/** The nearest events at or before a time, and at or after it; null if none. */
export interface NearestEvent {
  readonly before: number | null;
  readonly after: number | null;
}

export interface LessonRun {
  /** Final counters of all parts, one part after another. */
  readonly counters: ArrayLike<number>;
  /** Sampled counters along the run. */
  readonly samples: readonly ArrayLike<number>[];
  readonly endPs: number;
  near(timePs: number): NearestEvent;
  /** Repeats the run, and finds the event after which a condition holds to its end; null if there is none. */
  find(
    holds: (counters: ArrayLike<number>) => boolean,
  ): Promise<{ readonly timePs: number } | null>;
}

/** Events between two reads of the trace; their records always fit into the ring. */
const PIECE = 4096;
const AT_ONCE = 16_384;

/** Index of the first time at or after `timePs`; times are sorted. */
function firstFrom(times: ArrayLike<number>, timePs: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < timePs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Searches times, which arrive in chunks, for the neighbours of the given times. */
function neighbours(times: readonly number[]) {
  const found = new Map(
    times.map((time): [number, NearestEvent] => [time, { before: null, after: null }]),
  );
  const add = (times: ArrayLike<number>): void => {
    for (const [time, { before, after }] of found) {
      if (after !== null || times.length === 0) continue;
      const at = firstFrom(times, time);
      const next = times[at] ?? null;
      found.set(time, { before: next === time ? next : (times[at - 1] ?? before), after: next });
    }
  };
  return { found, add };
}

/** Repeats the run and reads all records until all neighbours are found. */
export async function nearTo(
  engine: Engine,
  machine: CompiledMachine,
  times: readonly number[],
): Promise<ReadonlyMap<number, NearestEvent>> {
  const { found, add } = neighbours(times);
  if (times.length === 0) return found;
  await engine.open({ config: machine.config, commands: [] });
  let last = 0;
  for (let events = PIECE, more = true; more; events += PIECE) {
    const result = await engine.run({ untilPs: machine.untilPs, untilEvents: events });
    while (last < result.seq) {
      const frame = await engine.frame({ views: [], trace: { fromSeq: last + 1, max: AT_ONCE } });
      if (!frame.trace || frame.trace.length === 0) break;
      add(frame.trace.timePs);
      last = frame.trace.firstSeq + frame.trace.length - 1;
      engine.release(frame);
    }
    more = result.reason === 'events' && [...found.values()].some(({ after }) => after === null);
  }
  return found;
}

/** Runs the scenario; `times` are those in the lesson. */
export async function lessonRun(
  engine: Engine,
  machine: CompiledMachine,
  times: readonly number[],
): Promise<LessonRun> {
  const play = async () => {
    await engine.open({ config: machine.config, commands: [] });
    return engine.run({ untilPs: machine.untilPs });
  };
  const { timePs: endPs } = await play();
  const { counters } = await engine.frame({ views: [] });
  const samples = (await engine.overview()).map((sample) => Float64Array.from(sample.counters));
  const found = await nearTo(engine, machine, times);
  return {
    counters: counters.flatMap((own) => [...own]),
    samples,
    endPs,
    near: (timePs) => found.get(timePs) ?? { before: null, after: null },
    async find(holds) {
      await play();
      return firstEventWhere(engine, await engine.overview(), holds, () => false);
    },
  };
}
