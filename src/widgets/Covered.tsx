import { runCommand } from '../base/commands';
import { Button } from './Button';
import styles from './Covered.module.css';

/** In place of a value that the open question asks about. */
export function Covered() {
  return (
    <span className={styles.value} title="The open question asks about this">
      <span className="visually-hidden">covered until the question is answered</span>
      <span aria-hidden="true">?</span>
    </span>
  );
}

/** The panel keeps the focus when the button that lifts the veil goes away with it. */
function show(button: HTMLElement): void {
  button.closest<HTMLElement>('[data-sheet]')?.focus();
  runCommand('question.show');
}

/** In place of a panel that would answer the open question. */
export function Curtain() {
  return (
    <div className={styles.curtain}>
      <span>Covered while the question is open</span>
      <div className={styles.actions}>
        <Button look="link" onClick={() => runCommand('question.go')}>
          To the question
        </Button>
        <Button look="link" onClick={(event) => show(event.currentTarget)}>
          Show me
        </Button>
      </div>
    </div>
  );
}
