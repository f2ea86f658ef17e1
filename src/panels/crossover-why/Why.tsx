import { useLab } from '../../controllers/useLab';
import { EmptyState } from '../../widgets/Feedback';
import { Narrative } from '../../widgets/Narrative';
import { Panel } from '../../widgets/Panel';
import { SealedCurves } from '../../widgets/SealedCurves';
import { curvesOf, explainsSealed, explanation } from './explanation';
import styles from './Why.module.css';

/**
 * Why one method is faster at this size, in numbered sentences from the two runs; the root cause comes last.
 */
export default function Why() {
  const state = useLab();
  const masked = explainsSealed(state);
  const found = masked ? null : explanation(state);
  return (
    <Panel title={found?.question ?? 'Why'} className={styles.panel ?? ''} masked={masked} scroll>
      {found ? (
        <>
          <Narrative sentences={found.sentences.map((text) => ({ text, at: null }))} />
          {found.processor && <p className={styles.processor}>{found.processor}</p>}
        </>
      ) : (
        <EmptyState title="Analysing the two runs.">
          Their traces show where the time went.
        </EmptyState>
      )}
      {state.plan && <SealedCurves state={state} plan={state.plan} among={curvesOf(state)} />}
    </Panel>
  );
}
