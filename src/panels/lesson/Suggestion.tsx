import { useStore } from '../../controllers/useStore';
import { answerShown } from '../../model/lesson/answer-question';
import type { Task } from '../../model/lesson/lesson';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { Inlines } from './Blocks';
import styles from './Question.module.css';

interface TryProps {
  readonly task: Task;
  /** Goes to the next step of the lesson; null if there is none or a question is open here. */
  readonly next: (() => void) | null;
}

/** A task: the lesson continues when the run shows that it is done. */
export function Suggestion({ task, next }: TryProps) {
  useStore(player.state, (state) => state.recorded);
  useStore(player.state, (state) => state.complete);
  useStore(session, (state) => state.machine);
  const done = answerShown(task);
  return (
    <div className={styles.task} data-done={done || undefined}>
      <span className={styles.label}>
        <b>{done ? 'The run shows it' : 'Try it'}</b>
        <span>{done === null ? 'the run is being computed' : done ? 'done' : 'not yet'}</span>
      </span>
      <p>
        <Inlines inlines={task.inlines} />
      </p>
      <div aria-live="polite">
        {done && (
          <div className={styles.outcome}>
            <p>
              <Inlines inlines={task.because} />
            </p>
            {next && (
              <div className={styles.actions}>
                <Button look="primary" onClick={next}>
                  Next step
                </Button>
              </div>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
