import { quantityOf } from '../../draw/lab/input';
import type { LabRecord } from '../../model/lab/records';
import { type LabState, placeKey, sizeShown } from '../../model/lab/state';
import { type ExplainedRun, explainProcessor, explainWinner } from '../../model/run/explain';

const explained = (title: string, { lap }: LabRecord): ExplainedRun => ({ title, ...lap });

/** Both runs of the crossing at the size looked at, once they have been looked into. */
export function explanation(state: LabState) {
  const crossing = state.crossings[state.crossing];
  if (!crossing) return null;
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
  const { question, sentences } = explainWinner(...runs, size, crossing.now.exact);
  const processor = state.plan && quantityOf(state.plan, state.metric) === 'cpu';
  return { size, question, sentences, processor: processor ? explainProcessor(...runs) : null };
}
