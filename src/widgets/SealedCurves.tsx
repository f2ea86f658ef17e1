import { useStore } from '../controllers/useStore';
import type { LabPlan } from '../model/lab/plan';
import type { LabState } from '../model/lab/state';
import { stepShown } from '../model/lesson/answer-mask';
import { SealedPart } from './Masked';

interface SealedCurvesProps {
  readonly state: LabState;
  readonly plan: LabPlan;
  /** What the panel is about; without it, all curves. */
  readonly among?: readonly { readonly series: number }[];
}

/** The curves that a panel leaves out, because questions of the lesson ask about them. */
export function SealedCurves({ state, plan, among }: SealedCurvesProps) {
  const shown = useStore(stepShown);
  const left = among
    ? state.sealed.filter(({ series }) => among.some((one) => one.series === series))
    : state.sealed;
  return left.map(({ series, step }) => (
    <SealedPart
      key={`${series} ${step}`}
      what={plan.series[series]?.title ?? ''}
      step={step === shown ? undefined : step + 1}
    />
  ));
}
