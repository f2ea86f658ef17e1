import { useEffect, useRef } from 'react';
import { runCommand } from '../../base/commands';
import { useStore } from '../../controllers/useStore';
import { MAX_SANDBOX_STEPS, SANDBOX_LINES } from '../../model/sandbox/sandbox';
import { outcomeOf, titleOf } from '../../model/sandbox/sandbox-text';
import { violationsOf } from '../../model/sandbox/violations';
import { redoEdit, undoEdit } from '../../model/session/editing';
import { navigateInSession, session } from '../../model/session/session';
import { Button, IconButton } from '../../widgets/Button';
import { Cell, copyState, memoryState } from './Cell';
import common from './common.module.css';
import { filming } from './film-state';
import styles from './Steps.module.css';
import { play, replay, showStep } from './sandbox-state';

/** Every step as a small picture; selecting one returns to it. */
export function Steps() {
  const { userSteps, rules, shown } = useStore(play);
  const canUndo = useStore(session, (state) => state.canUndo);
  const canRedo = useStore(session, (state) => state.canRedo);
  const strip = useRef<HTMLElement>(null);
  const startAgain = () => {
    replay([], rules);
    strip.current?.querySelector('button')?.focus();
  };
  return (
    <section className={styles.steps} aria-label="Steps">
      <header>
        <h3>Steps</h3>
        <span className={`${common.quiet} ${styles.aside}`}>
          pick one to see it again; a triangle marks what changed
        </span>
        <span className={styles.tools}>
          <IconButton
            icon="undo"
            label="Undo"
            keys="Ctrl Z"
            disabled={!canUndo}
            onClick={undoEdit}
          />
          <IconButton
            icon="redo"
            label="Redo"
            keys="Ctrl Y"
            disabled={!canRedo}
            onClick={redoEdit}
          />
          <Button size="small" disabled={userSteps.length === 0} onClick={startAgain}>
            Start again
          </Button>
          <Button size="small" onClick={() => runCommand('share')}>
            Share
          </Button>
          <Button size="small" onClick={() => navigateInSession('machine')}>
            Open in the workspace
          </Button>
        </span>
      </header>
      <nav ref={strip} className={styles.strip} aria-label="Steps so far">
        {[null, ...userSteps].map((_, step) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its index
          <Small key={step} step={step} isShown={step === shown} />
        ))}
        {userSteps.length < MAX_SANDBOX_STEPS && (
          <span className={styles.yours}>
            {shown < userSteps.length
              ? `another step ${shown + 1}`
              : `step ${userSteps.length + 1}`}
            <br />
            is yours
          </span>
        )}
      </nav>
    </section>
  );
}

function Small({ step, isShown }: { readonly step: number; readonly isShown: boolean }) {
  const { run, userSteps } = useStore(play);
  const isUnderWay = useStore(filming, ({ phase }) => isShown && phase !== 'over');
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const [own, strip] = [button.current, button.current?.parentElement];
    if (isShown && own && strip)
      strip.scrollLeft =
        own.offsetLeft - strip.offsetLeft - (strip.clientWidth - own.offsetWidth) / 2;
  }, [isShown]);
  const userStep = userSteps[step - 1];
  const was = run?.steps[step - 1]?.lines;
  const now = isUnderWay ? was : run?.steps[step]?.lines;
  const isViolation = run !== null && !isUnderWay && violationsOf(run, userSteps, step).length > 0;
  const title = userStep ? titleOf(userStep) : 'start';
  const parts = ['CPU 0', 'CPU 1', 'mem'] as const;
  const stateOf = (at: NonNullable<typeof now>, part: number, line: 'A' | 'B') => {
    const copy = at[line].copies[part];
    return copy ? copyState(copy, at[line]) : memoryState(at[line]);
  };
  const lineValue = (at: NonNullable<typeof now>, part: number, line: 'A' | 'B') =>
    part < 2 ? at[line].copies[part]?.value : at[line].memory;
  return (
    <button
      ref={button}
      type="button"
      className={styles.step}
      data-violation={isViolation || undefined}
      aria-current={isShown ? 'step' : undefined}
      aria-label={`${step > 0 ? `Step ${step}: ` : ''}${title}${isViolation ? ', a lie' : ''}`}
      onClick={() => showStep(step, true)}
    >
      <span className={styles.stepTitle}>
        {step > 0 && <b>{step}</b>} {title}
      </span>
      <span className={styles.grid} aria-hidden="true">
        {parts.map((part, row) => (
          <span key={part}>
            <i>{part}</i>
            {SANDBOX_LINES.map((line) => {
              const moved =
                was &&
                now &&
                (stateOf(was, row, line) !== stateOf(now, row, line) ||
                  lineValue(was, row, line) !== lineValue(now, row, line));
              return (
                <span key={line} className={styles.mini}>
                  {now && <Cell size={17} state={stateOf(now, row, line)} />}
                  {moved ? '◂' : ''}
                </span>
              );
            })}
          </span>
        ))}
      </span>
      <span className={styles.outcome}>
        {isUnderWay ? 'under way' : run && outcomeOf(run, userSteps, step)}
      </span>
    </button>
  );
}
