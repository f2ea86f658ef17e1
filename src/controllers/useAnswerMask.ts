import { type AnswerMask, answerMask, hidesFuture } from '../model/lesson/answer-mask';
import { session } from '../model/session/session';
import { useStore } from './useStore';

/** What the open question masks; null while no question is open. */
export const useAnswerMask = (): AnswerMask | null => useStore(answerMask);

/** Whether everything after the playhead is masked. */
export const useHidesFuture = (): boolean => useStore(hidesFuture);

/** Whether the open question asks about a metric by which the experiment compares runs. */
export function useHidesExperiment(): boolean {
  const open = useAnswerMask();
  const { experiment, metrics } = useStore(session, (state) => state.data) ?? {};
  return (experiment?.metrics ?? []).some((name) => {
    const metric = metrics?.get(name);
    return metric !== undefined && (open?.masksMetric(metric) ?? false);
  });
}
