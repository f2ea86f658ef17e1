import { useId, useState } from 'react';
import type { Question } from '../../model/lesson';
import { player } from '../../model/opened';
import { session } from '../../model/session';
import { verdict } from '../../model/verdict';
import { Button } from '../../widgets/Button';
import { ProgressLine } from '../../widgets/Feedback';
import { useStore } from '../../widgets/useStore';
import { Inlines } from './Blocks';
import styles from './Lesson.module.css';

/** What the run as it stands now says; null until it is recorded to its end. */
function useVerdict(question: Question): number | null {
  useStore(player.state, (state) => state.recorded);
  const complete = useStore(player.state, (state) => state.complete);
  const machine = useStore(session, (state) => state.machine);
  const counters = player.recording()?.overview.at(-1)?.counters;
  if (!complete || !machine || !counters) return null;
  return verdict(question, machine, counters);
}

/** A place to think: choose, commit, and the run decides. */
export function Ask({ question }: { readonly question: Question }) {
  const name = useId();
  const [chosen, choose] = useState<number | null>(null);
  const [committed, commit] = useState(false);
  const right = useVerdict(question);
  const revealed = committed && right !== null;
  return (
    <fieldset className={styles.question} disabled={revealed}>
      <legend>
        <span className={styles.label}>
          <b>{revealed ? 'The run says' : 'Predict'}</b>
          <span>{revealed ? '' : 'then the run decides'}</span>
        </span>
        <span className={styles.prompt}>
          <Inlines inlines={question.prompt} />
        </span>
      </legend>
      {question.options.map(({ inlines }, index) => (
        <label
          // biome-ignore lint/suspicious/noArrayIndexKey: options keep their order
          key={index}
          className={styles.option}
          data-chosen={index === chosen || undefined}
          data-right={(revealed && index === right) || undefined}
          data-struck={(revealed && index === chosen && index !== right) || undefined}
        >
          <input
            type="radio"
            name={name}
            checked={index === chosen}
            onChange={() => choose(index)}
          />
          <span>
            <Inlines inlines={inlines} />
          </span>
          {revealed && index === right && <em>what happened</em>}
          {revealed && index === chosen && index !== right && <em>your answer</em>}
        </label>
      ))}
      {!committed && (
        <div className={styles.commit}>
          <Button look="primary" disabled={chosen === null} onClick={() => commit(true)}>
            Commit and run
          </Button>
        </div>
      )}
      {committed && !revealed && <Recording />}
      {revealed && <Outcome question={question} right={right} />}
    </fieldset>
  );
}

function Recording() {
  const endEvents = useStore(player.state, (state) => state.endEvents);
  return <ProgressLine label="Events run" done={endEvents} total={endEvents} />;
}

function Outcome({ question, right }: { readonly question: Question; readonly right: number }) {
  return (
    <div className={styles.outcome} aria-live="polite">
      {right < 0 ? (
        <p>None of these happens in the machine as it is now.</p>
      ) : (
        <p>
          <Inlines inlines={question.because} />
        </p>
      )}
      <Button size="small" onClick={() => void player.last()}>
        Go to the end of the run
      </Button>
    </div>
  );
}
