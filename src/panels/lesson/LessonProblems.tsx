import { count } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import type { Scenario } from '../../model/scenario/scenario-types';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { openAuthor } from './author-state';
import styles from './Lesson.module.css';
import { useLessonCheck } from './useLessonCheck';

/** For the author of a lesson from a file: what is wrong with it, by line. Readers need not open it. */
export default function LessonProblems({ scenario }: { readonly scenario: Scenario }) {
  const text = useStore(session, ({ lesson }) => lesson) ?? '';
  const { problems, failed } = useLessonCheck(scenario, text);
  if (problems.length === 0 && failed === null) return null;
  return (
    <details className={styles.problems}>
      <summary>
        {failed === null
          ? `${count(problems.length, 'problem')} in this lesson, for its author`
          : 'This lesson could not be checked'}
      </summary>
      <ul>
        {failed !== null && <li>{failed}</li>}
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <b>line {line}</b> {message}
          </li>
        ))}
      </ul>
      <Button look="link" onClick={openAuthor}>
        Edit the lesson
      </Button>
    </details>
  );
}
