import { quantityOf } from '../../draw/chart-input';
import { type ExplainedRun, explainProcessor, explainWinner } from '../../model/explain';
import type { LabRecord } from '../../model/lab-records';
import { type LabState, placeKey, sizeShown } from '../../model/lab-state';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { useLab } from '../../widgets/useLab';
import styles from './Why.module.css';

const explained = (title: string, { lap }: LabRecord): ExplainedRun => ({ title, ...lap });

/** Both runs of the crossing at the size looked at, once they have been looked into. */
function explanation(state: LabState) {
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
  return { question, sentences, processor: processor ? explainProcessor(...runs) : null };
}

/** Why one method wins at this size, in numbered sentences from the two runs; the root comes last. */
export default function Why() {
  const state = useLab();
  const found = explanation(state);
  return (
    <Panel title={found?.question ?? 'Why'} className={styles.panel ?? ''} scroll>
      {found ? (
        <div className={styles.why}>
          <ol>
            {found.sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ol>
          {found.processor && <p>{found.processor}</p>}
        </div>
      ) : (
        <EmptyState title="Looking into the two runs.">
          Their traces say where the time went.
        </EmptyState>
      )}
    </Panel>
  );
}
