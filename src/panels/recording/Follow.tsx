import { useState } from 'react';
import { showOverlay } from '../../base/shell-state';
import type { ReplayJob } from '../../model/report/recording-replay';
import type { Problem } from '../../model/scenario/problems';
import { navigateInSession } from '../../model/session/session';
import { openText } from '../../model/session/session-module';
import { Button } from '../../widgets/Button';
import styles from './Recording.module.css';
import { Failure } from './Shared';
import { replayed } from './useReplay';

interface FollowProps {
  readonly file: File;
  readonly job: ReplayJob;
  readonly what: string;
  /** Where one sees them. */
  readonly panels: string;
}

/** Opens the beginning of a recording as a run, with the panels of its system. */
export function Follow({ file, job, what, panels }: FollowProps) {
  const [state, setState] = useState<'idle' | 'busy' | readonly Problem[]>('idle');
  const follow = async () => {
    setState('busy');
    const run = await replayed(file, job);
    if (!run.ok || run.value.kind !== 'run') return setState(run.ok ? [] : run.problems);
    const opened = await openText(run.value.text, file.name);
    if (!opened.ok) return setState(opened.problems);
    showOverlay(null);
    navigateInSession('machine');
  };
  return (
    <>
      <div className={styles.follow}>
        <Button look="primary" disabled={state === 'busy'} onClick={() => void follow()}>
          {state === 'busy' ? 'Opening …' : 'Follow it step by step'}
        </Button>
        <span>
          Opens its {what} as a run, {panels}. A long recording is followed from its beginning.
        </span>
      </div>
      {Array.isArray(state) && <Failure problems={state} />}
    </>
  );
}
