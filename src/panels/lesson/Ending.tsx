import { count, integer } from '../../base/format';
import { formatFragment } from '../../base/route';
import { useStore } from '../../controllers/useStore';
import type { Step } from '../../model/lesson/lesson';
import { listScenarios, type ScenarioEntry } from '../../model/scenario/scenarios';
import { answers, scenarioKey } from '../../model/session/answers';
import { session } from '../../model/session/session';
import { Icon } from '../../widgets/Icon';
import styles from './Lesson.module.css';

/** The lesson after this one in its system; null after the last, and for the user's own scenarios. */
function lessonAfter(id: string | undefined): ScenarioEntry | null {
  const lessons = listScenarios().filter(({ kind }) => kind !== 'sandbox');
  const at = lessons.findIndex((lesson) => lesson.id === id);
  const next = at < 0 ? undefined : lessons[at + 1];
  return next && next.system === lessons[at]?.system ? next : null;
}

/** The end of a lesson: how many answers were predicted, and the way on. */
export function Ending({ steps }: { readonly steps: readonly Step[] }) {
  const id = useStore(session, ({ scenario }) => scenario);
  const key = useStore(session, scenarioKey);
  const given = useStore(answers, (all) => all[key]);
  const questions = steps.flatMap(({ question }) => question ?? []);
  const marks = questions.map((question) => given?.[question.id]?.right);
  const isDone = questions.length > 0 && questions.every((question) => given?.[question.id]);
  const next = lessonAfter(id);
  return (
    <aside className={styles.ending}>
      {isDone && (
        <p>
          You predicted {integer(marks.filter(Boolean).length)} of{' '}
          {count(questions.length, 'answer')}.
        </p>
      )}
      <p>
        <a
          className={styles.link}
          href={formatFragment({ view: 'worksheet', ...(id ? { scenario: id } : {}), params: {} })}
        >
          Worksheet and summary card
        </a>
        , to print.
      </p>
      {next ? (
        <a
          className={styles.next}
          href={formatFragment({ view: next.kind, scenario: next.id, params: {} })}
        >
          <span>Next lesson</span>
          <b>{next.title}</b>
          <Icon name="forward" />
        </a>
      ) : (
        <a className={styles.next} href={formatFragment({ view: 'lessons', params: {} })}>
          <span>All lessons</span>
          <b>What can you take now?</b>
          <Icon name="forward" />
        </a>
      )}
    </aside>
  );
}
