import { useEffect } from 'react';
import { useCommands } from '../../controllers/useCommands';
import { useStore } from '../../controllers/useStore';
import { stepText } from '../../model/sandbox/sandbox-text';
import { navigateInSession } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { BUTTONS } from './buttons';
import { Machine } from './Machine';
import styles from './Sandbox.module.css';
import { Steps } from './Steps';
import { StepWords } from './StepWords';
import { chooseLine, play, press, showStep, startPlay } from './sandbox-state';
import { ViolationNotice } from './ViolationNotice';

const SECTION = 'Sandbox';

const PRESSES = (['cpu0', 'cpu1', 'driver', 'disk'] as const).flatMap((who) =>
  BUTTONS[who].map(({ does, key, label }) => ({
    id: `sandbox.${who}.${does}`,
    title: label,
    section: SECTION,
    keys: [key],
    run: () => press(who, does),
  })),
);

const MOVES = [
  { id: 'sandbox.line.a', title: 'Act on line A', keys: ['A'], run: () => chooseLine('A') },
  { id: 'sandbox.line.b', title: 'Act on line B', keys: ['B'], run: () => chooseLine('B') },
  {
    id: 'sandbox.back',
    title: 'Previous step',
    keys: ['ArrowLeft'],
    run: () => showStep(play.getState().shown - 1),
  },
  {
    id: 'sandbox.on',
    title: 'Next step',
    keys: ['ArrowRight'],
    run: () => showStep(play.getState().shown + 1, true),
  },
].map((move) => ({ ...move, section: SECTION }));

/** The sandbox: two processors, a disk and two lines of memory; every button is a step of a real run. */
export default function SandboxStep() {
  useEffect(startPlay, []);
  useCommands([...PRESSES, ...MOVES]);
  const { failure } = useStore(play);
  if (failure)
    return (
      <Panel title="Sandbox" bare>
        <EmptyState title={failure}>
          <Button onClick={() => navigateInSession('machine')}>Open it in the workspace</Button>
        </EmptyState>
      </Panel>
    );
  return (
    <Panel title="Sandbox" bare textAlternative={<StepsTextAlternative />}>
      <div className={styles.page}>
        <Machine />
        <StepWords />
        <ViolationNotice />
        <Steps />
      </div>
    </Panel>
  );
}

/** All steps as sentences. */
function StepsTextAlternative() {
  const { run, userSteps, rules } = useStore(play);
  if (!run) return null;
  return (
    <ol className={styles.textAlternative} start={0}>
      {run.steps.map((_, step) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its index
        <li key={step}>{stepText(run, userSteps, step, rules)}</li>
      ))}
    </ol>
  );
}
