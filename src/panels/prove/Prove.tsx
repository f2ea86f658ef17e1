import { useState } from 'react';
import { useProofRunner } from '../../controllers/useProofRunner';
import { Panel } from '../../widgets/Panel';
import { DefectTable } from './DefectTable';
import { LazyFlush } from './LazyFlush';
import { Proofs } from './Proofs';
import styles from './Prove.module.css';
import { Results } from './Results';

/** All reachable states, explored in the page, without and with defects. */
export default function Prove() {
  const { current } = useProofRunner();
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = chosen ?? current;
  return (
    <Panel title="Prove it, break it" bare>
      <div className={styles.page}>
        <Results name={shown} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <section className={styles.lists} tabIndex={0} aria-label="Configurations and defects">
          <Proofs shown={shown} choose={setChosen} />
          <DefectTable shown={shown} choose={setChosen} />
          <LazyFlush />
        </section>
      </div>
    </Panel>
  );
}
