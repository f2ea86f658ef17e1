/** The log of the open run's trace, and how far it may be shown. */

import { realTime } from '../../controllers/machine-features';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { logNow } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { answerMask, hidesFuture } from '../../model/lesson/answer-mask';
import { type RealTimeLog, realTimeLog } from '../../model/realtime/realtime-log';
import { player } from '../../model/session/open-run';
import type { Trace } from '../../model/trace/trace';

export interface RealTimeNow {
  readonly log: RealTimeLog;
  readonly trace: Trace;
}

export function realTimeNow(): RealTimeNow | null {
  const [roles, trace] = [realTime.getState(), player.trace()];
  const log = roles && logNow((of) => realTimeLog(of, roles));
  return log && trace && { log, trace };
}

/** End of the part that may be shown: while a question is open, the playhead. */
export const recordedUntil = (): number =>
  hidesFuture.getState() ? player.now().timePs : Number.POSITIVE_INFINITY;

/**
 * Whether the open question asks about one of these counters of the kernel, the network stack or a processor.
 */
export function useHidesRealTime(...names: readonly string[]): boolean {
  useAnswerMask();
  useStore(realTime);
  return hidesRealTime(...names);
}

/** The same outside components. */
export function hidesRealTime(...names: readonly string[]): boolean {
  const [mask, roles] = [answerMask.getState(), realTime.getState()];
  if (!mask || !roles) return false;
  const parts = [roles.kernel, roles.stack ?? -1, ...roles.cpus.map(({ part }) => part)];
  return parts.some((part) => mask.masks(part, ...names));
}
