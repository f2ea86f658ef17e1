import { bytes, text } from '../../base/format';
import { sizeText } from '../../draw/lab/along-curve';
import { quantityOf } from '../../draw/lab/input';
import {
  type ExplainedPlace,
  type ExplainedRun,
  explainAlone,
  explainProcessor,
  explainWinner,
} from '../../model/lab/explain-winner';
import { isSizes, type LabPlan } from '../../model/lab/plan';
import {
  isSealed,
  type LabRecord,
  type LabState,
  placeKey,
  sizeShown,
} from '../../model/lab/state';

/** A crossing size is named only if the axis is a size. */
function placeOf({ axis }: LabPlan, size: number, crossing: number | null): ExplainedPlace {
  if (!isSizes(axis)) return { at: sizeText(axis, size), crossing: null };
  return { at: text(bytes(size)), crossing: crossing === null ? null : text(bytes(crossing)) };
}

const explained = (title: string, { lap }: LabRecord): ExplainedRun => ({ title, ...lap });

/** The curves of the crossing that is explained. */
export function curvesOf(
  state: LabState,
): readonly { readonly series: number; readonly title: string }[] {
  const { than, more } = state.crossings[state.crossing] ?? {};
  return [than, more].flatMap((one) => (one ? [{ series: one.index, title: one.title }] : []));
}

const openCurves = (state: LabState) => curvesOf(state).filter((one) => !isSealed(state, one));

/** Whether both curves of the crossing that is explained are sealed. */
export const explainsSealed = (state: LabState): boolean =>
  curvesOf(state).length > 0 && openCurves(state).length === 0;

/** Both runs of the crossing at the selected size, once they are recorded; one alone while the other is sealed. */
export function explanation(state: LabState) {
  const { plan } = state;
  const crossing = state.crossings[state.crossing];
  if (!plan || !crossing) return null;
  const size = sizeShown(state);
  const curves = openCurves(state);
  const runs = curves.flatMap(({ series, title }) => {
    const found = state.records.get(placeKey({ series, size }));
    return found?.key === state.runs.key ? [explained(title, found)] : [];
  });
  const [first, second] = runs;
  if (!first || runs.length < curves.length) return null;
  const place = placeOf(plan, size, crossing.now.exact);
  if (!second) return { size, ...explainAlone(first, place.at), processor: null };
  const { question, sentences } = explainWinner(first, second, place);
  const processor = quantityOf(plan, state.metric) === 'cpu';
  return {
    size,
    question,
    sentences,
    processor: processor ? explainProcessor(first, second) : null,
  };
}
