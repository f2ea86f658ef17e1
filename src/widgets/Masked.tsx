import { runCommand } from '../base/commands';
import { Button } from './Button';
import { focusSheet } from './focusSheet';
import styles from './Masked.module.css';

/** In place of a value that the open question asks about. */
export function Masked() {
  return (
    <span className={styles.value} title="The open question asks about this">
      <span className="visually-hidden">hidden until the question is answered</span>
      <span aria-hidden="true">?</span>
    </span>
  );
}

/** The button goes away with the veil that it lifts. */
function lift(button: HTMLElement, command: string): void {
  focusSheet(button);
  runCommand(command);
}

interface HiddenNoticeProps {
  /** Earlier in the run the panel would not answer it. */
  readonly byTime?: boolean;
}

/** In place of a panel that would answer the open question. */
export function HiddenNotice({ byTime = false }: HiddenNoticeProps) {
  return (
    <div className={styles.notice}>
      <span>Hidden while the question is open</span>
      <div className={styles.actions}>
        <Button look="link" onClick={() => runCommand('question.go')}>
          Go to the question
        </Button>
        {byTime && (
          <Button look="link" onClick={(event) => lift(event.currentTarget, 'question.before')}>
            Back in time
          </Button>
        )}
        <Button look="link" onClick={(event) => lift(event.currentTarget, 'question.show')}>
          Show me
        </Button>
      </div>
    </div>
  );
}
