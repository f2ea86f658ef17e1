import { useMemo } from 'react';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { causesOf } from '../../controllers/useCauses';
import { useStore } from '../../controllers/useStore';
import { nearestDiagnosis } from '../../model/diagnosis/diagnose';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { FixButton } from '../../widgets/FixButton';
import { GlossaryText } from '../../widgets/GlossaryText';
import styles from './Why.module.css';

/**
 * The diagnosis of an event beyond its causal chain: who held what, what did not happen, and what would have
 * prevented it.
 */
export function RootCause({ event }: { readonly event: number }) {
  const machine = useStore(session, (state) => state.machine);
  const data = useStore(session, (state) => state.data);
  const recorded = useStore(player.state, (state) => state.recorded);
  const masked = useAnswerMask() !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace of the run grows
  const diagnosis = useMemo(() => {
    const trace = player.trace();
    if (!machine || !data || !trace?.has(event) || masked) return null;
    const reasons = causesOf(event);
    const found = nearestDiagnosis(
      { machine, data },
      trace,
      reasons.map(({ seq }) => seq),
    );
    const number = reasons.find(({ seq }) => seq === found?.seq)?.number;
    return found && { ...found, number };
  }, [machine, data, event, recorded, masked]);
  if (!diagnosis) return null;
  return (
    <section className={styles.blame} aria-label="Root cause">
      <p>
        <i>{diagnosis.number}</i> <GlossaryText text={diagnosis.sentences.join(' ')} />
      </p>
      {diagnosis.fixes.length > 0 && (
        <>
          <h4>What would have prevented it</h4>
          <ul>
            {diagnosis.fixes.map((fix) => (
              <li key={fix.title}>
                <FixButton fix={fix} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
