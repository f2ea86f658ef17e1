import { count } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import type { Step } from '../../model/lesson/lesson';
import { type Answer, answers, scenarioKey } from '../../model/session/answers';
import { session } from '../../model/session/session';
import { AnswerMark, type MarkKind } from '../../widgets/AnswerMark';
import styles from './Lesson.module.css';

const kindOf = (answer: Answer | undefined): MarkKind => {
  if (!answer) return 'open';
  if (answer.option === null) return 'shown';
  return answer.right ? 'right' : 'other';
};

/** A small mark for each question of the lesson: open, correct, different from the run, or revealed. */
export function AnswerTally({ steps }: { readonly steps: readonly Step[] }) {
  const key = useStore(session, scenarioKey);
  const given = useStore(answers, (all) => all[key]);
  const kinds = steps.flatMap(({ question }) => (question ? [kindOf(given?.[question.id])] : []));
  if (kinds.length === 0) return null;
  const right = kinds.filter((kind) => kind === 'right').length;
  const open = kinds.filter((kind) => kind === 'open').length;
  const words = `${count(kinds.length, 'question')}: ${right} predicted, ${open} open`;
  return (
    <span className={styles.marks} role="img" aria-label={words} title={words}>
      {kinds.map((kind, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a mark is identified by its index
        <AnswerMark key={index} kind={kind} />
      ))}
    </span>
  );
}
