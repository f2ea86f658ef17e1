import { applyFix } from '../controllers/useFixRuns';
import type { Fix } from '../model/diagnosis/fixes';
import { Button } from './Button';
import { focusSheet } from './focusSheet';

interface FixButtonProps {
  readonly fix: Fix;
  readonly className?: string | undefined;
}

/** Applies a suggested fix and runs the machine again. The button disappears once the fix is applied. */
export function FixButton({ fix, className }: FixButtonProps) {
  const press = (button: HTMLElement) => {
    focusSheet(button);
    applyFix(fix);
  };
  return (
    <Button look="link" className={className} onClick={(event) => press(event.currentTarget)}>
      {fix.title}
    </Button>
  );
}
