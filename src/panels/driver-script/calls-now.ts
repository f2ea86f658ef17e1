/** The calls of the open run, read as it is recorded, and how many of them may be shown. */

import { drivers } from '../../controllers/machine-features';
import { useAnswerMask, useHidesFuture } from '../../controllers/useAnswerMask';
import { useLog } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import type { DriverRoles } from '../../model/drivers/driver-roles';
import { type DriverCall, type DriverCalls, driverCalls } from '../../model/drivers/mapping-calls';
import { player } from '../../model/session/open-run';
import { select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import type { Trace } from '../../model/trace/trace';

function callsOf(trace: Trace): DriverCalls | null {
  const [{ machine }, roles] = [session.getState(), drivers.getState()];
  return machine && roles && driverCalls(trace, machine, roles);
}

export interface CallsNow {
  readonly log: DriverCalls;
  /** Newest record at the playhead. */
  readonly seq: number;
  /** Title of the processor whose calls are shown; null for all. */
  readonly of: string | null;
  /** The calls that may be shown. */
  readonly calls: readonly DriverCall[];
  /** Index of the latest call that has begun; -1 for none. */
  readonly present: number;
  /** Number of calls that may be shown: while a question is open, only those up to the playhead. */
  readonly shownCount: number;
  /** Whether the result of a call may be shown. */
  knows(call: DriverCall): boolean;
}

/**
 * Updated as the playhead moves and the trace grows. With a title, only the calls of that processor if the
 * machine has it.
 */
export function useCalls(title: string | null): CallsNow | null {
  const ahead = useHidesFuture();
  const log = useLog(callsOf, ({ calls }) => `${player.now().seq} ${calls.length}`);
  if (!log) return null;
  const { seq } = player.now();
  const shownCount = ahead ? log.countTo(seq) : log.calls.length;
  const of = drivers.getState()?.cpus.find((cpu) => cpu.title === title)?.title ?? null;
  const calls = log.calls.slice(0, shownCount).filter(({ cpu }) => of === null || cpu.title === of);
  return {
    log,
    seq,
    of,
    calls,
    present: calls.findLastIndex((call) => call.seq <= seq),
    shownCount,
    knows: ({ lastSeq }) => !ahead || (lastSeq !== null && lastSeq <= seq),
  };
}

/** The call that the selected event belongs to. */
export function useChosenCall(log: DriverCalls): DriverCall | null {
  const event = useStore(selection, (state) => state.event);
  return event === null ? null : log.callOf(event);
}

export const choose = ({ cpu, seq }: DriverCall): void => select({ part: cpu.part, event: seq });

export function goTo(call: DriverCall): void {
  player.pause();
  void player.toTime(call.from);
}

const OF_PROCESSORS = ['lap_time', 'lap_last', 'lap_busy', 'lap_time_1', 'in_miss', 'in_order'];
const OF_CACHES = ['misses', 'orders'];
/** Bus counters caused by processors alone. */
const OF_BUSES = ['read_private', 'flushes', 'purges', 'registers'];

/** Whether the open question asks about costs or results of calls. */
export function useHidesCalls(roles: DriverRoles | null): boolean {
  const answerMask = useAnswerMask();
  const machine = useStore(session, (state) => state.machine);
  if (!answerMask || !roles || !machine) return false;
  return machine.parts.some(({ index, type }) => {
    const isCaller = roles.cpus.some(({ part, speaks }) => part === index || speaks.has(index));
    if (roles.services.has(index))
      return answerMask.masks(index, ...type.counters.map(({ name }) => name));
    if (isCaller) return answerMask.masks(index, ...OF_PROCESSORS, ...OF_CACHES);
    return type.actor === 'bus' && answerMask.masks(index, ...OF_BUSES);
  });
}
