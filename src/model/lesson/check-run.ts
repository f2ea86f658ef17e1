/** The results of a lesson's run that the lesson refers to: counters, and events at given times. */
import type { Engine, Position } from '../../engine/api';
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
  /** Finds the event after which a condition holds to its end; null if there is none. */
  find(
    holds: (counters: ArrayLike<number>) => boolean,
  ): Promise<{ readonly timePs: number } | null>;
}

/** Machines whose whole run an engine holds: to look into it again takes no other run. */
const held = new WeakMap<Engine, CompiledMachine>();

/** Opens a machine at time zero. */
export async function openMachine(engine: Engine, { config }: CompiledMachine): Promise<void> {
  held.delete(engine);
  await engine.open({ config, commands: [] });
}

/** Runs a machine to its end, or goes to the end of the run that the engine holds. */
async function play(engine: Engine, machine: CompiledMachine): Promise<Position> {
  const { untilPs } = machine;
  if (held.get(engine) === machine) return engine.seekTime(untilPs);
  await openMachine(engine, machine);
  const end = await engine.run({ untilPs });
  held.set(engine, machine);
  return end;
}

/** Events between two looks for a next record. */
const PIECE = 64;

/** The nearest events to a time of the run that is open. */
export async function nearTo(
  engine: Engine,
  { untilPs }: CompiledMachine,
  timePs: number,
): Promise<NearestEvent> {
  const { seq, events } = await engine.seekTime(Math.min(timePs, untilPs));
  const timeOf = async (fromSeq: number): Promise<number | null> => {
    const frame = await engine.frame({ views: [], trace: { fromSeq, max: 1 } });
    const time = frame.trace?.timePs[0] ?? null;
    engine.release(frame);
    return time;
  };
  const before = seq > 0 ? await timeOf(seq) : null;
  if (before === timePs) return { before, after: timePs };
  for (let until = events + PIECE, more = true; more; until += PIECE) {
    const now = await engine.run({ untilPs, untilEvents: until });
    if (now.seq > seq) return { before, after: await timeOf(seq + 1) };
    more = now.reason === 'events';
  }
  return { before, after: null };
}

/** Runs the scenario; `times` are those in the lesson. */
export async function lessonRun(
  engine: Engine,
  machine: CompiledMachine,
  times: readonly number[],
): Promise<LessonRun> {
  const { timePs: endPs } = await play(engine, machine);
  const { counters } = await engine.frame({ views: [] });
  const samples = (await engine.overview()).map((sample) => Float64Array.from(sample.counters));
  const found = new Map<number, NearestEvent>();
  for (const time of new Set(times)) found.set(time, await nearTo(engine, machine, time));
  return {
    counters: counters.flatMap((own) => [...own]),
    samples,
    endPs,
    near: (timePs) => found.get(timePs) ?? { before: null, after: null },
    async find(holds) {
      await play(engine, machine);
      return firstEventWhere(engine, await engine.overview(), holds, () => false);
    },
  };
}
