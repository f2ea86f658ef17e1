import { useEffect, useRef, useState } from 'react';
import { integer, unbroken } from '../../base/format';
import { showToast } from '../../base/notices';
import { processors } from '../../controllers/processors';
import { createSweepWorkers } from '../../engine/workers';
import { plainText, type Question } from '../../model/lesson/lesson';
import {
  type FoundMachine,
  machineWhere,
  type Outcome,
  type SearchProgress,
} from '../../model/lesson/make-true';
import { openedScenario, openRun } from '../../model/session/editing';
import { player } from '../../model/session/open-run';
import { changeKeepingMoment } from '../../model/session/run-before';
import { Button } from '../../widgets/Button';
import { decidingText } from './deciding-text';
import styles from './Question.module.css';
import { showMachine } from './showMachine';

type State =
  | { readonly kind: 'idle' | 'stopped' }
  | { readonly kind: 'failed'; readonly message: string }
  | ({ readonly kind: 'searching' } & SearchProgress)
  | { readonly kind: 'found'; readonly machine: FoundMachine }
  | ({ readonly kind: 'none' } & Outcome);

interface MakeTrueProps {
  readonly question: Question;
  /** Index of the reader's answer. */
  readonly option: number;
}

function useSearch({ question, option }: MakeTrueProps) {
  const [state, setShown] = useState<State>({ kind: 'idle' });
  const stop = useRef<AbortController | null>(null);
  const box = useRef<HTMLDivElement>(null);
  // The pressed button disappears; the focus stays with the search.
  const setState = (next: State) => {
    if (box.current?.contains(document.activeElement)) box.current.focus();
    setShown(next);
  };
  useEffect(() => () => stop.current?.abort(), []);
  const start = async () => {
    const scenario = openedScenario();
    if (!scenario) return;
    const control = new AbortController();
    stop.current = control;
    const { signal } = control;
    const sweeps = createSweepWorkers(processors());
    signal.addEventListener('abort', () => sweeps.cancel());
    setState({ kind: 'searching', tried: 0, of: 0 });
    const onProgress = (progress: SearchProgress) => {
      if (!signal.aborted) setShown({ kind: 'searching', ...progress });
    };
    try {
      const search = { scenario, question, option };
      const outcome = await machineWhere(search, sweeps, { signal, onProgress });
      const { found } = outcome;
      if (signal.aborted) return setState({ kind: 'stopped' });
      if (!found) return setState({ kind: 'none', ...outcome });
      const { edits, variables } = found;
      const refused = changeKeepingMoment(() => openRun({ edits, variables }));
      if (refused) showToast(refused.message);
      setState({ kind: 'found', machine: found });
    } catch (error) {
      setState({ kind: 'failed', message: error instanceof Error ? error.message : '' });
    } finally {
      sweeps.dispose();
    }
  };
  return { state, box, start, cancel: () => stop.current?.abort() };
}

/** What a search without a find has tried, and what it has not. */
function searchedText({ tried, of, refused, givenUp, alone, paired, fixed }: Outcome): string {
  const cannot = refused > 0 ? `; ${integer(refused)} of them cannot be built` : '';
  const long = givenUp > 0 ? `; ${integer(givenUp)} run too long to wait for` : '';
  const pairs = paired > 1 ? `, and each two of the ${integer(paired)} that matter` : '';
  const { titles, addresses } = fixed;
  const left = [
    ...titles.map((title) => `“${title}”`),
    ...(addresses > 0 ? ['addresses'] : []),
    'other programs',
  ];
  if (tried < of)
    return `Tried: ${integer(tried)} of ${integer(of)} machines${cannot}${long}. The runs of this scenario are long, so the search ended there. The smallest changes were tried first.`;
  return [
    `Tried: ${integer(tried)} machines${cannot}${long}.`,
    'A machine in which a part that works here does nothing is no answer.',
    `Each of ${integer(alone)} parameters and variables took all values of its range, numbers in steps of a factor of two${pairs}.`,
    `Not tried: ${left.join(', ')}.`,
  ].join(' ');
}

/** Searches for a machine in which the reader's answer is right, and opens it. */
export function MakeTrue(props: MakeTrueProps) {
  const { state, box, start, cancel } = useSearch(props);
  const option = props.question.options[props.option];
  if (!option) return null;
  return (
    <div ref={box} className={styles.makeTrue} tabIndex={-1} aria-live="polite">
      {state.kind === 'searching' ? (
        <>
          <p className={styles.counted}>
            {state.of === 0
              ? 'Looking for a machine in which your answer is right.'
              : `Looking for a machine in which your answer is right: ${integer(state.tried)} of ${integer(state.of)} tried.`}
          </p>
          <progress max={Math.max(1, state.of)} value={state.tried} aria-label="Machines tried" />
          <Button size="small" onClick={cancel}>
            Cancel
          </Button>
        </>
      ) : (
        <>
          {state.kind === 'found' && (
            <Found question={props.question} option={props.option} machine={state.machine} />
          )}
          {state.kind === 'none' && (
            <p>
              None was found in which “{unbroken(plainText(option.inlines))}” is right.{' '}
              {searchedText(state)}
            </p>
          )}
          {state.kind === 'failed' && <p>The search failed. {state.message}</p>}
          {state.kind !== 'none' && state.kind !== 'found' && (
            <Button look="link" onClick={() => void start()}>
              Make my answer true
            </Button>
          )}
        </>
      )}
    </div>
  );
}

interface FoundProps extends MakeTrueProps {
  readonly machine: FoundMachine;
}

function Found({ question, option, machine }: FoundProps) {
  const choice = question.options[option];
  if (!choice) return null;
  const play = () => {
    showMachine();
    void player.first().then(() => player.play());
  };
  return (
    <>
      <p>
        Your answer: <em>{unbroken(plainText(choice.inlines))}</em>. In this machine it is right.
      </p>
      <dl className={styles.settings}>
        {machine.settings.map(({ name, title, before, text }) => (
          <div key={name}>
            <dt>{title}</dt>
            <dd>
              <s>
                <span className="visually-hidden">before: </span>
                {unbroken(before)}
              </s>{' '}
              <b>{unbroken(text)}</b>
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.counted}>{unbroken(decidingText(choice, machine.counters))}</p>
      <div className={styles.actions}>
        <Button size="small" onClick={play}>
          Play that machine
        </Button>
      </div>
    </>
  );
}
