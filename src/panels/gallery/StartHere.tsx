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
import { ASKED, StartPicture } from './StartPictures';

/** The folder of the introductory lessons. */
export const FIRST = 'start';

/** The introduction for newcomers: its lessons in order, the next one framed. */
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
          Five questions, small machines, about {integer(minutes)} minutes. No knowledge of hardware
          is needed.
        </p>
        <nav aria-label="Overviews">
          <a href={formatFragment({ view: 'lessons', params: {} })}>All lessons</a>
          <a href={formatFragment({ view: 'glossary', params: {} })}>Glossary</a>
        </nav>
      </div>
      <ol>
        {lessons.map((lesson, index) => (
          <li key={lesson.id}>
            <a
              href={linkTo(lesson)}
              title={lesson.summary}
              data-next={lesson === next || undefined}
            >
              <StartPicture>{ASKED[lesson.id]?.picture}</StartPicture>
              <b className={styles.question}>{ASKED[lesson.id]?.question}</b>
              <span className={styles.lesson}>
                <span className={styles.number}>{index + 1}</span>
                <span>{lesson.title}</span>
                <span className={styles.minutes}>
                  {lesson === next && 'begin, '}
                  {lesson.minutes} min
                </span>
                <VisitedMark entry={lesson} />
              </span>
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
