import {
  type AnswerMask,
  answerMask,
  hidesFuture,
  pastDecision,
} from '../model/lesson/answer-mask';
import { session } from '../model/session/session';
import { useStore } from './useStore';

/** What the open question covers; null while none is open. */
export const useAnswerMask = (): AnswerMask | null => useStore(answerMask);

/** Whether what lies ahead of the playhead is covered. */
export const useHidesFuture = (): boolean => useStore(hidesFuture);

/** Whether all that the run shows is covered, since the playhead has come to where it decides the open question. */
export const usePastDecision = (): boolean => useStore(pastDecision, ({ is }) => is);

/** Whether the open question asks about what the runs of the experiment are compared by. */
export function useHidesExperiment(): boolean {
  const open = useAnswerMask();
  const { experiment, metrics } = useStore(session, (state) => state.data) ?? {};
  return (experiment?.metrics ?? []).some((name) => {
    const metric = metrics?.get(name);
    return metric !== undefined && (open?.masksMetric(metric) ?? false);
  });
}
