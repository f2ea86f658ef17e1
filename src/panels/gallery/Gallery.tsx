import { request } from '../../base/recent';
import { listScenarios } from '../../model/scenarios';
import { Button } from '../../widgets/Button';
import { Beliefs, Recent, Tools } from './Below';
import styles from './Gallery.module.css';
import { SystemColumn } from './SystemColumn';
import { SYSTEMS } from './systems';

export default function Gallery() {
  const scenarios = listScenarios();
  return (
    <div className={styles.gallery}>
      <div className={styles.wrap}>
        <div className={styles.hero}>
          <div>
            <h2 className={styles.title}>How data gets in and out of a computer</h2>
            <p className={styles.lead}>
              Five machines to run, rewind and take apart. Every number on screen comes from a run,
              and every constant names its source.
            </p>
          </div>
          <div className={styles.open}>
            <div>
              <b>Open a file</b>
              <p>scenario, session or gttp text. Or drop it here.</p>
            </div>
            <Button onClick={() => request({ kind: 'choose-file' })}>Choose…</Button>
          </div>
        </div>
        <div className={styles.systems}>
          {SYSTEMS.map((system, index) => (
            <SystemColumn
              key={system.id}
              number={index + 1}
              system={system}
              scenarios={scenarios.filter((entry) => entry.system === system.id)}
            />
          ))}
        </div>
        <div className={styles.low}>
          <Recent />
          <Beliefs scenarios={scenarios} />
          <Tools />
        </div>
      </div>
    </div>
  );
}
