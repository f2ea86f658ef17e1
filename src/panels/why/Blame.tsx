import { useMemo } from 'react';
import { tryCure } from '../../controllers/tryCure';
import { reasonsOf } from '../../controllers/useReasons';
import { useStore } from '../../controllers/useStore';
import { useVeil } from '../../controllers/useVeil';
import { culpritOf } from '../../model/run/culprit';
import { player } from '../../model/session/opened';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Glossed } from '../../widgets/Glossed';
import styles from './Why.module.css';

/** So many of the newest reasons are looked at: what is further back led to much else as well. */
const NEAR = 3;

/** Beyond the chain of causes, for the newest of them with which something is wrong: who held what, what did not happen, and what would have prevented it. */
export function Blame({ event }: { readonly event: number }) {
  const machine = useStore(session, (state) => state.machine);
  const data = useStore(session, (state) => state.data);
  const recorded = useStore(player.state, (state) => state.recorded);
  const covered = useVeil() !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the record of the run grows
  const culprit = useMemo(() => {
    const trace = player.trace();
    if (!machine || !data || !trace?.has(event) || covered) return null;
    for (const { seq, number } of reasonsOf(event).slice(0, NEAR)) {
      const found = culpritOf({ machine, data }, trace, seq);
      if (found) return { ...found, number };
    }
    return null;
  }, [machine, data, event, recorded, covered]);
  if (!culprit) return null;
  return (
    <section className={styles.blame} aria-label="Who is to blame">
      <p>
        <i>{culprit.number}</i> <Glossed text={culprit.sentences.join(' ')} />
      </p>
      {culprit.cures.length > 0 && (
        <>
          <h4>What would have prevented it</h4>
          <ul>
            {culprit.cures.map((cure) => (
              <li key={cure.title}>
                <Button look="link" onClick={() => tryCure(cure)}>
                  {cure.title}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
