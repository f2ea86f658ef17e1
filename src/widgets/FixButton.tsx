import { applyFix } from '../controllers/useFixRuns';
import type { Fix } from '../model/diagnosis/rule';
import { Button } from './Button';
import { focusSheet } from './focusSheet';

interface FixButtonProps {
  readonly cure: Fix;
  readonly className?: string | undefined;
}

/** Runs the machine again with a change. What is in force is no longer offered, so the button goes away. */
export function FixButton({ cure, className }: FixButtonProps) {
  const press = (button: HTMLElement) => {
    focusSheet(button);
    applyFix(cure);
  };
  return (
    <Button look="link" className={className} onClick={(event) => press(event.currentTarget)}>
      {cure.title}
    </Button>
  );
}
