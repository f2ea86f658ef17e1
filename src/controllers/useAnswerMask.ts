import { type AnswerMask, answerMask, hidesFuture } from '../model/lesson/answer-mask';
import type { Metric } from '../model/scenario/scenario-types';
import { session } from '../model/session/session';
import { useStore } from './useStore';

/** What the open question masks; null while no question is open. */
export const useAnswerMask = (): AnswerMask | null => useStore(answerMask);

/** Whether everything after the playhead is masked. */
export const useHidesFuture = (): boolean => useStore(hidesFuture);

/** Metrics by which the experiment compares runs and that the open question asks about. */
export function useHiddenMetrics(): readonly Metric[] {
  const open = useAnswerMask();
  const { experiment, metrics } = useStore(session, (state) => state.data) ?? {};
  return (experiment?.metrics ?? []).flatMap((name) => {
    const metric = metrics?.get(name);
    return metric && open?.masksMetric(metric) ? [metric] : [];
  });
}

/** Whether there is such a metric. */
export const useHidesExperiment = (): boolean => useHiddenMetrics().length > 0;
