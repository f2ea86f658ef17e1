import { listScenarios } from '../../model/scenario/scenarios';
import styles from './Gallery.module.css';
import { Misconceptions, Recent, Tools } from './GalleryFooter';
import { Hero } from './Hero';
import { Lectures } from './Lectures';
import { FIRST, StartHere } from './StartHere';
import { ScenarioList, SystemColumn } from './SystemColumn';
import { SYSTEMS } from './systems';

/** The folder of scenarios whose machines are joined from several systems. */
const MIXED = 'one';

export default function Gallery() {
  const scenarios = listScenarios();
  return (
    <div className={styles.gallery}>
      <div className={styles.wrap} data-large>
        <Hero />
        <StartHere scenarios={scenarios.filter(({ system }) => system === FIRST)} />
        <div className={styles.head}>
          <h2>Five real machines</h2>
          <p>
            Run them, rewind them, take them apart. Every number on screen comes from a run, and
            every constant names its source.
          </p>
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
        <section className={styles.one} aria-labelledby="one-machine">
          <div>
            <h3 className={styles.name} id="one-machine">
              One machine
            </h3>
            <p className={styles.about}>
              Parts of one system wired into another. Nobody built these machines; every part is as
              in the one it comes from, and so is every constant.
            </p>
          </div>
          <ScenarioList scenarios={scenarios.filter(({ system }) => system === MIXED)} />
        </section>
        <section className={styles.one} aria-labelledby="lectures">
          <div>
            <h3 className={styles.name} id="lectures">
              Lectures
            </h3>
            <p className={styles.about}>
              Five lessons on the projector. → or a clicker goes to the next new thing, then to the
              next step, then to the next lesson.
            </p>
          </div>
          <Lectures />
        </section>
        <div className={styles.low}>
          <Recent />
          <Misconceptions scenarios={scenarios} />
          <Tools />
        </div>
      </div>
    </div>
  );
}
