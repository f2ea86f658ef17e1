import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useStore } from '../../controllers/useStore';
import { poolViewsOf } from '../../model/pools/pool-views';
import { session } from '../../model/session/session';

/** Whether the open question asks about one of these counters or views of the map. */
export function useHidesPools(...names: readonly string[]): boolean {
  const answerMask = useAnswerMask();
  const machine = useStore(session, (state) => state.machine);
  const map = poolViewsOf(machine)?.part;
  return map !== undefined && (answerMask?.masks(map, ...names) ?? false);
}
