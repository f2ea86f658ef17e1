import { useHidesExperiment } from '../../controllers/useAnswerMask';
import { useLab } from '../../controllers/useLab';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { explanation } from './explanation';
import styles from './Why.module.css';

/**
 * Why one method is faster at this size, in numbered sentences from the two runs; the root cause comes last.
 */
export default function Why() {
  const state = useLab();
  const masked = useHidesExperiment();
  const found = masked ? null : explanation(state);
  return (
    <Panel title={found?.question ?? 'Why'} className={styles.panel ?? ''} masked={masked} scroll>
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
        <EmptyState title="Analysing the two runs.">
          Their traces show where the time went.
        </EmptyState>
      )}
    </Panel>
  );
}
