import { useStore } from '../controllers/useStore';
import type { LabPlan } from '../model/lab/plan';
import type { LabState } from '../model/lab/state';
import { stepShown } from '../model/lesson/answer-mask';
import { SealedPart } from './Masked';

/** The curves that the chart leaves out, because questions of the lesson ask about them. */
export function SealedCurves({
  state,
  plan,
}: {
  readonly state: LabState;
  readonly plan: LabPlan;
}) {
  const shown = useStore(stepShown);
  return state.sealed.map(({ series, step }) => (
    <SealedPart
      key={`${series} ${step}`}
      what={plan.series[series]?.title ?? ''}
      step={step === shown ? undefined : step + 1}
    />
  ));
}
