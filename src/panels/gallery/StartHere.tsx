import { integer } from '../../base/format';
import { formatFragment } from '../../base/route';
import { useStore } from '../../controllers/useStore';
import { isDone } from '../../model/lesson/prerequisites';
import type { ScenarioEntry } from '../../model/scenario/scenarios';
import { answers } from '../../model/session/answers';
import { Icon } from '../../widgets/Icon';
import { VisitedMark } from '../../widgets/VisitedMark';
import { linkTo } from './linkTo';
import styles from './StartHere.module.css';

/** The folder of the introductory lessons. */
export const FIRST = 'start';

/** The introduction for newcomers: its lessons in order, the next one in bold. */
export function StartHere({ scenarios }: { readonly scenarios: readonly ScenarioEntry[] }) {
  const lessons = scenarios.filter(({ kind }) => kind !== 'sandbox');
  const given = useStore(answers);
  const next = lessons.find((lesson) => !isDone(lesson, given));
  const minutes = lessons.reduce((sum, lesson) => sum + (lesson.minutes ?? 0), 0);
  return (
    <section className={styles.path} aria-labelledby="start-here">
      <div className={styles.words}>
        <h3 id="start-here">Start here</h3>
        <p>
          Never heard of DMA? Short lessons on small machines, from what a bus is to why a device
          may read old data. About {integer(minutes)} minutes. The words are in the{' '}
          <a href={formatFragment({ view: 'glossary', params: {} })}>glossary</a>, all lessons on a{' '}
          <a href={formatFragment({ view: 'lessons', params: {} })}>map</a>.
        </p>
      </div>
      <ol>
        {lessons.map((lesson, index) => (
          <li key={lesson.id}>
            <a
              href={linkTo(lesson)}
              title={lesson.summary}
              data-next={lesson === next || undefined}
            >
              <span className={styles.number}>{index + 1}</span>
              <span>{lesson.title}</span>
              {lesson === next && <Icon name="forward" size={12} />}
              <VisitedMark entry={lesson} />
            </a>
          </li>
        ))}
      </ol>
      {scenarios
        .filter(({ kind }) => kind === 'sandbox')
        .map((sandbox) => (
          <a key={sandbox.id} className={styles.sandbox} href={linkTo(sandbox)}>
            <b>{sandbox.title}</b>
            <span>{sandbox.summary}</span>
            <Icon name="forward" size={12} />
          </a>
        ))}
    </section>
  );
}
