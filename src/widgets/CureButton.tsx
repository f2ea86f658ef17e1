import { tryCure } from '../controllers/tryCure';
import type { Cure } from '../model/diagnosis/diagnose';
import { Button } from './Button';
import { focusSheet } from './focusSheet';

interface CureButtonProps {
  readonly cure: Cure;
  readonly className?: string | undefined;
}

/** Runs the machine again with a change. What is in force is no longer offered, so the button goes away. */
export function CureButton({ cure, className }: CureButtonProps) {
  const press = (button: HTMLElement) => {
    focusSheet(button);
    tryCure(cure);
  };
  return (
    <Button look="link" className={className} onClick={(event) => press(event.currentTarget)}>
      {cure.title}
    </Button>
  );
}
