import { useState } from 'react';
import { showBanner } from '../../base/notices';
import { showOverlay } from '../../base/shell-state';
import type { RunJob } from '../../model/report/recording-replay';
import type { Problem } from '../../model/scenario/problems';
import { navigateInSession } from '../../model/session/session';
import { openText } from '../../model/session/session-module';
import { Button } from '../../widgets/Button';
import { NumberField } from '../../widgets/NumberField';
import styles from './Recording.module.css';
import { Failure } from './Shared';
import { replayed } from './useReplay';

interface FollowProps {
  readonly file: File;
  readonly job: Omit<RunJob, 'from'>;
  readonly what: string;
  /** Where one sees them. */
  readonly panels: string;
}

/** More than a file of the largest size holds. */
const MOST = 1e9;

/** Opens some of a recording as a run, with the panels of its system. */
export function Follow({ file, job, what, panels }: FollowProps) {
  const [from, setFrom] = useState(1);
  const [state, setState] = useState<'idle' | 'busy' | readonly Problem[]>('idle');
  const follow = async () => {
    setState('busy');
    const run = await replayed(file, { ...job, from } as RunJob);
    if (!run.ok || run.value.kind !== 'run') return setState(run.ok ? [] : run.problems);
    const opened = await openText(run.value.text, file.name);
    if (!opened.ok) return setState(opened.problems);
    showOverlay(null);
    navigateInSession('machine');
    const { notes } = run.value;
    if (notes.length > 0)
      showBanner({
        ...{ id: 'followed', kind: 'note', passing: true },
        title: `Of ${file.name}`,
        detail: notes.map((note) => `${note}.`).join(' '),
      });
  };
  return (
    <>
      <div className={styles.follow}>
        <Button look="primary" disabled={state === 'busy'} onClick={() => void follow()}>
          {state === 'busy' ? 'Opening …' : 'Follow it step by step'}
        </Button>
        <span>
          Opens its {what} as a run, {panels}, as many as fit, from number{' '}
          <NumberField
            label={`Follow from which of its ${what}`}
            value={from}
            min={1}
            max={MOST}
            step={1}
            onCommit={setFrom}
          />{' '}
          on.
        </span>
      </div>
      {Array.isArray(state) && <Failure problems={state} />}
    </>
  );
}
