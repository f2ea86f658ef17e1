import { bytes, text } from '../../base/format';
import { sizeText } from '../../draw/lab/along-curve';
import { quantityOf } from '../../draw/lab/input';
import {
  type ExplainedPlace,
  type ExplainedRun,
  explainProcessor,
  explainWinner,
} from '../../model/lab/explain-winner';
import { isSizes, type LabPlan } from '../../model/lab/plan';
import {
  isCrossingSealed,
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

/** Whether a curve of the crossing that is explained is sealed. */
export function explainsSealed(state: LabState): boolean {
  const crossing = state.crossings[state.crossing];
  return crossing !== undefined && isCrossingSealed(state, crossing);
}

/** Both runs of the crossing at the selected size, once they are recorded. */
export function explanation(state: LabState) {
  const { plan } = state;
  const crossing = state.crossings[state.crossing];
  if (!plan || !crossing) return null;
  const size = sizeShown(state);
  const record = (series: number) => {
    const found = state.records.get(placeKey({ series, size }));
    return found?.key === state.runs.key ? found : undefined;
  };
  const [than, more] = [record(crossing.than.index), record(crossing.more.index)];
  if (!than || !more) return null;
  const runs = [
    explained(crossing.than.title, than),
    explained(crossing.more.title, more),
  ] as const;
  const { question, sentences } = explainWinner(...runs, placeOf(plan, size, crossing.now.exact));
  const processor = quantityOf(plan, state.metric) === 'cpu';
  return { size, question, sentences, processor: processor ? explainProcessor(...runs) : null };
}
