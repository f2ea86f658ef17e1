import { beyond, coversAhead, type Veil, veil } from '../model/lesson/answer-mask';
import { session } from '../model/session/session';
import { useStore } from './useStore';

/** What the open question covers; null while none is open. */
export const useVeil = (): Veil | null => useStore(veil);

/** Whether what lies ahead of the needle is covered. */
export const useCoversAhead = (): boolean => useStore(coversAhead);

/** Whether all that the run shows is covered, since the needle has come to where it decides the open question. */
export const useBeyond = (): boolean => useStore(beyond, ({ is }) => is);

/** Whether the open question asks about what the runs of the experiment are compared by. */
export function useCoversExperiment(): boolean {
  const open = useVeil();
  const { experiment, metrics } = useStore(session, (state) => state.data) ?? {};
  return (experiment?.metrics ?? []).some((name) => {
    const metric = metrics?.get(name);
    return metric !== undefined && (open?.coversMetric(metric) ?? false);
  });
}
