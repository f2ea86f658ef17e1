import type { ReactNode } from 'react';
import { runCommand } from '../base/commands';
import { useStore } from '../controllers/useStore';
import { unansweredSteps } from '../model/lesson/answer-mask';
import { Button } from './Button';
import styles from './Masked.module.css';

interface WaitsForAnswersProps {
  /** What would show the answer, as the subject of a sentence. */
  readonly what: string;
  /** Called before the page goes to the question. */
  onGo?(): void;
  readonly children: ReactNode;
}

/** Contents that show whole runs, or several, and so would answer any open question of the lesson. */
export function WaitsForAnswers({ what, onGo, children }: WaitsForAnswersProps) {
  const [first] = useStore(unansweredSteps);
  if (first === undefined) return children;
  return (
    <div className={styles.notice}>
      <b>A question is open</b>
      <span>
        Step {first + 1} of the lesson asks about this machine, and {what} would show the answer.
      </span>
      <div className={styles.actions}>
        <Button
          onClick={() => {
            onGo?.();
            runCommand('question.go');
          }}
        >
          Go to the question
        </Button>
        <Button look="link" onClick={() => runCommand('question.show')}>
          Just show me
        </Button>
      </div>
    </div>
  );
}
