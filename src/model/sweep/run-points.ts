/** Runs the points of a sweep on several engines, each a point at a time. */
import { type Engine, EngineError, type SweepResult } from '../../engine/api';
import { isRefusal } from '../../engine/engine-errors';
import type { CompiledMachine } from '../scenario/compiled';
import { refusedAt } from '../scenario/engine-errors';
import { IntervalTimes, type Measure } from '../scenario/measure';
import { machineAt, type SweepPlan, type SweepPoint } from './sweep-plan';

/** The result of one point: a value for each measure. */
export interface PointResult {
  readonly point: SweepPoint;
  readonly values: readonly (number | null)[];
  readonly hash: string | null;
  readonly events: number;
  readonly timePs: number;
  /** Why there are no values; '' if there are. */
  readonly problem: string;
}

/** Records that the ring holds, as a power of two; those of a piece always fit. */
const RING_LOG2 = 15;
const EVENTS_AT_ONCE = 4096;
const RECORDS_AT_ONCE = 16_384;

type Ended = Pick<SweepResult, 'hash' | 'events' | 'timePs' | 'counters' | 'reason'>;

async function runUntraced(engine: Engine, machine: CompiledMachine): Promise<Ended> {
  let ended: Ended | null = null;
  const sessions = [{ config: machine.config, commands: [] }];
  const job = { sessions, limit: { untilPs: machine.untilPs }, hash: true };
  await engine.sweep(job, (result) => {
    ended = result;
  });
  if (!ended) throw new EngineError('The run was cancelled.', 0, -1);
  return ended;
}

/** Runs with a trace, which every interval reads. */
async function runTraced(
  engine: Engine,
  machine: CompiledMachine,
  intervals: readonly (IntervalTimes | null)[],
): Promise<Ended> {
  await engine.open({ config: machine.config, commands: [] });
  let next = 1;
  for (let untilEvents = EVENTS_AT_ONCE; ; untilEvents += EVENTS_AT_ONCE) {
    const result = await engine.run({ untilPs: machine.untilPs, untilEvents });
    while (next <= result.seq) {
      const trace = { fromSeq: next, max: RECORDS_AT_ONCE };
      const frame = await engine.frame({ views: [], trace });
      if (!frame.trace || frame.trace.length === 0) break;
      for (const times of intervals) times?.add(frame.trace);
      next = frame.trace.firstSeq + frame.trace.length;
      engine.release(frame);
    }
    if (result.reason === 'cancelled') throw new EngineError('The run was cancelled.', 0, -1);
    if (result.reason === 'events') continue;
    const { counters } = await engine.frame({ views: [] });
    const { events, timePs, reason } = result;
    return { counters: [...counters], events, timePs, reason, hash: await engine.hash() };
  }
}

const nothing = (point: SweepPoint, measures: readonly Measure[], problem: string): PointResult => {
  const values = measures.map(() => null);
  return { point, values, hash: null, events: 0, timePs: 0, problem };
};

/** Runs one point; what is wrong with its machine is its result. */
export async function runPoint(
  engine: Engine,
  plan: SweepPlan,
  point: SweepPoint,
): Promise<PointResult> {
  const { measures } = plan;
  const intervals = measures.map(({ interval }) => interval && new IntervalTimes(interval));
  const isTraced = intervals.some((one) => one !== null);
  const machine = machineAt(plan, point, isTraced ? RING_LOG2 : 0);
  if (typeof machine === 'string') return nothing(point, measures, machine);
  try {
    const { reason, counters, hash, events, timePs } = isTraced
      ? await runTraced(engine, machine, intervals)
      : await runUntraced(engine, machine);
    if (reason === 'trap') return nothing(point, measures, 'The engine stopped in this run.');
    const values = measures.map(
      (measure, i) => intervals[i]?.value() ?? measure.value(machine.variables, counters),
    );
    return { point, values, hash, events, timePs, problem: '' };
  } catch (error) {
    if (!(error instanceof EngineError) || !isRefusal(error)) throw error;
    return nothing(point, measures, refusedAt(machine, error).message);
  }
}

/** Runs points; an idle engine takes the next one. A result arrives as its run ends. Ends early when aborted. */
export async function runPoints(
  engines: readonly Engine[],
  plan: SweepPlan,
  points: readonly SweepPoint[],
  onResult: (result: PointResult) => void,
  signal?: AbortSignal,
): Promise<void> {
  await share(engines, points, async (engine, point) => {
    if (signal?.aborted) return;
    const result = await runPoint(engine, plan, point);
    if (!signal?.aborted) onResult(result);
  });
}

/** Shares items among engines: an idle one takes the next. */
export async function share<T>(
  engines: readonly Engine[],
  items: readonly T[],
  work: (engine: Engine, item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    engines.slice(0, items.length).map(async (engine) => {
      for (const item of left) await work(engine, item);
    }),
  );
}
