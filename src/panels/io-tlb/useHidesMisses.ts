import { useAnswerMask } from '../../controllers/useAnswerMask';
import { hidesMisses } from '../../draw/coherence/tlb-map';
import type { TlbRole } from '../../model/coherence/coherence-roles';

/** Whether the open question asks what look-ups find: rows stay, hits, misses and evictions do not. */
export function useHidesMisses(tlb: TlbRole): boolean {
  const answerMask = useAnswerMask();
  return answerMask !== null && hidesMisses(tlb, answerMask);
}
