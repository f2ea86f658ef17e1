import type { Assignment } from '../../model/scenario/scenario-types';
import { setVariables } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';

interface OpenRunProps {
  readonly variables: Assignment;
  readonly title: string;
}

/** Opens a run of the experiment. */
export function OpenRun({ variables, title }: OpenRunProps) {
  return (
    <Button
      look="link"
      onClick={() => setVariables({ ...session.getState().variables, ...variables })}
    >
      {title}
    </Button>
  );
}
