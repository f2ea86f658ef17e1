import { runCommand } from '../base/commands';
import { Button } from './Button';
import { focusSheet } from './focusSheet';
import styles from './Masked.module.css';

/** Replaces a value that would answer the open question. */
export function Masked() {
  return (
    <span className={styles.value} title="The open question asks about this">
      <span className="visually-hidden">hidden until the question is answered</span>
      <span aria-hidden="true">?</span>
    </span>
  );
}

/** Runs the command; the button disappears with the mask, so the focus goes to the panel. */
function lift(button: HTMLElement, command: string): void {
  focusSheet(button);
  runCommand(command);
}

interface SealedPartProps {
  readonly what: string;
  /** Number of the step that asks about it, if it is not the visible one. */
  readonly step?: number | undefined;
  /** The drawing shows the seal at its place: only the button is seen here. */
  readonly drawn?: boolean | undefined;
}

/** Stands in a panel in place of what the open question asks about; the rest of the panel stays. */
export function SealedPart({ what, step, drawn }: SealedPartProps) {
  return (
    <span className={drawn ? styles.drawn : styles.sealed}>
      <span className={drawn ? 'visually-hidden' : undefined}>
        {what}:{' '}
        {step === undefined ? 'sealed until you answer' : `sealed, step ${step} asks about it`}
      </span>
      <Button look="link" onClick={(event) => lift(event.currentTarget, 'question.show')}>
        Just show me
      </Button>
    </span>
  );
}

/** Replaces a panel that would answer the open question. */
export function HiddenNotice() {
  return (
    <div className={styles.notice}>
      <span>Hidden while the question is open</span>
      <div className={styles.actions}>
        <Button look="link" onClick={() => runCommand('question.go')}>
          Go to the question
        </Button>
        <Button look="link" onClick={(event) => lift(event.currentTarget, 'question.show')}>
          Just show me
        </Button>
      </div>
    </div>
  );
}
