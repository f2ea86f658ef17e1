import { Suspense, useEffect, useMemo, useRef } from 'react';
import { unbroken } from '../../base/format';
import { route, setParams } from '../../base/route';
import { showsOneRun } from '../../controllers/machine-features';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { stepShown } from '../../model/lesson/answer-mask';
import { glossary, loadGlossary, markTerms } from '../../model/lesson/glossary';
import type { Step } from '../../model/lesson/lesson';
import { openLesson } from '../../model/lesson/open-lesson';
import type { Scene } from '../../model/lesson/scene';
import type { Scenario } from '../../model/scenario/scenario-types';
import { lessonFile } from '../../model/scenario/scenarios';
import { forgetRunBefore, recordedToEnd } from '../../model/session/run-before';
import { clearSelection, selection } from '../../model/session/selection';
import { session, setView } from '../../model/session/session';
import { IconButton } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { loadable } from '../../widgets/loadable';
import { Panel } from '../../widgets/Panel';
import { Roving } from '../../widgets/Roving';
import { Ahead } from './Ahead';
import { author } from './author-state';
import { Blocks } from './Blocks';
import { Change } from './Change';
import { Ending } from './Ending';
import styles from './Lesson.module.css';
import { AnswerTally } from './Marks';
import { Ask } from './Question';
import { Suggestion } from './Suggestion';
import { showScene } from './show-scene';

const LessonProblems = loadable(() => import('./LessonProblems'));

/** The lesson: one step at a time, with questions that the run answers. */
export default function Lesson() {
  const data = useStore(session, (state) => state.data);
  const opened = useStore(session, (state) => state.opened);
  const isUnderCheck = useStore(
    session,
    ({ scenario, written }) => !scenario || written !== undefined,
  );
  const isWritten = useStore(author, ({ open }) => open);
  const lesson = useStore(openLesson);
  const at = useStore(stepShown);
  // Beside curves of many runs, the single run is made only for a question that needs it.
  const asks = lesson?.steps[at]?.question != null || lesson?.steps[at]?.task != null;
  useRun(useStore(showsOneRun) || asks);
  useEffect(loadGlossary, []);
  const text = useRef<HTMLDivElement>(null);
  const before = useRef({ lesson, at, opened });
  const isNew = useRef(true);
  useEffect(() => {
    const last = before.current;
    // A lesson that changes while its author writes it stays at its place.
    const isOther = last.opened !== opened && last.lesson !== lesson;
    const isNext = (isOther || last.at !== at) && last.lesson !== null;
    before.current = { lesson, at, opened };
    if (!isNext) {
      if (isNew.current && lesson) openAtStep(lesson.steps[at]?.scene ?? null);
      isNew.current = lesson === null;
      return;
    }
    forgetRunBefore();
    const scene = lesson?.steps[at]?.scene ?? null;
    // The causes of the event that the last verdict selected are not what this step is about.
    if (scene && selection.getState().event !== null) clearSelection();
    void showScene(scene);
    // If the focused control disappeared or leads nowhere, the text gets the focus.
    const { activeElement: active } = document;
    const isLost = active === document.body || (active as HTMLButtonElement | null)?.disabled;
    // After a step by keyboard the text is at its top, so that the question is not skipped.
    const isHere = text.current?.parentElement?.contains(active);
    if (!isLost && !isHere) return;
    const heading = asks ? null : text.current?.querySelector<HTMLElement>('[data-step]');
    (heading ?? text.current)?.focus();
  }, [lesson, at, opened, asks]);
  if (!data) return <Panel title="Lesson">{null}</Panel>;
  const steps = lesson?.steps ?? [];
  const step = steps[at];
  const isLast = at >= steps.length - 1;
  return (
    <Panel title="Lesson" tools={<AnswerTally steps={steps} />}>
      <div className={styles.lesson}>
        {steps.length > 1 && <Progress at={at} steps={steps} />}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable contents must be reachable by keyboard */}
        <div className={styles.text} key={`${data.id} ${at}`} ref={text} tabIndex={0}>
          {lesson && isUnderCheck && !isWritten && (
            <Suspense fallback={null}>
              <LessonProblems scenario={data} />
            </Suspense>
          )}
          {step ? (
            <StepText
              step={step}
              title={at === 0 ? (lesson?.title ?? '') : ''}
              next={isLast ? null : () => goTo(at + 1)}
            />
          ) : (
            <Summary scenario={data} />
          )}
          {isLast && <NotClaimed scenario={data} />}
          {isLast && step && <Ending steps={steps} />}
        </div>
        {steps.length > 1 && <StepButtons at={at} count={steps.length} />}
      </div>
    </Panel>
  );
}

/** An address that names a step, and no moment, opens at what the step shows. */
function openAtStep(scene: Scene | null): void {
  const { step, t } = route.getState().params;
  if (scene === null || step === undefined || t !== undefined) return;
  const isHere = () => openLesson.getState()?.steps[stepShown.getState()]?.scene === scene;
  void recordedToEnd().then((isWhole) => (isWhole && isHere() ? showScene(scene) : undefined));
}

interface StepTextProps {
  readonly step: Step;
  readonly title: string;
  readonly next: (() => void) | null;
}

/**
 * Glossary terms have tooltips at their first mention in a step, except in a question, to keep its tab order
 * short.
 */
function useTerms({ blocks }: Step) {
  const terms = useStore(glossary, (state) => state.terms);
  return useMemo(() => markTerms(blocks, terms), [terms, blocks]);
}

function StepText({ step, title, next }: StepTextProps) {
  const blocks = useTerms(step);
  const Heading = title ? 'h4' : 'h3';
  return (
    <>
      {title && <h3 className={styles.title}>{unbroken(title)}</h3>}
      {step.title && (
        <Heading className={title ? styles.sub : styles.title} data-step tabIndex={-1}>
          {unbroken(step.title)}
        </Heading>
      )}
      <Blocks blocks={blocks} />
      {step.task && <Suggestion task={step.task} next={step.question ? null : next} />}
      <div aria-live="polite">
        <Change />
      </div>
      {step.question && <Ask question={step.question} next={next} />}
      <Ahead goTo={goTo} />
    </>
  );
}

function Summary({ scenario }: { readonly scenario: Scenario }) {
  const isWritten = useStore(session, ({ written }) => written !== undefined);
  const file = lessonFile(scenario.lesson);
  if (isWritten)
    return <EmptyState title="The lesson has no step yet: a step begins with ## and its title." />;
  if (!scenario.summary && !file) return <EmptyState title="This scenario has no lesson." />;
  return (
    <>
      <h3 className={styles.title}>{scenario.title}</h3>
      <p>{scenario.summary}</p>
      {file && (
        <p>
          Its lesson is in {file}, which was not opened with it. Open or drop both files at once to
          have it here.
        </p>
      )}
    </>
  );
}

/** Limits of the model, at the end of the lesson. */
function NotClaimed({ scenario }: { readonly scenario: Scenario }) {
  if (scenario.unexplained.length === 0) return null;
  return (
    <aside className={styles.open}>
      <h4>Not explained by this model</h4>
      <ul>
        {scenario.unexplained.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </aside>
  );
}

/** The step is stored in the session and in the address, to be restored later. */
function goTo(step: number): void {
  setView({ step });
  setParams({ step: step > 0 ? String(step + 1) : null });
}

function Progress({ at, steps }: { readonly at: number; readonly steps: readonly Step[] }) {
  return (
    <nav className={styles.progress} aria-label="Steps of the lesson">
      <Roving className={styles.dots} start={at}>
        {steps.map((step, index) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its index
            key={index}
            type="button"
            aria-label={`Step ${index + 1}: ${step.title}`}
            aria-current={index === at ? 'step' : undefined}
            data-done={index < at || undefined}
            title={step.title}
            onClick={() => goTo(index)}
          />
        ))}
      </Roving>
    </nav>
  );
}

function StepButtons({ at, count }: { readonly at: number; readonly count: number }) {
  return (
    <div className={styles.steps}>
      <IconButton
        icon="back"
        label="Previous step"
        disabled={at === 0}
        onClick={() => goTo(at - 1)}
      />
      <span>
        Step {at + 1} of {count}
      </span>
      <IconButton
        icon="forward"
        label="Next step"
        disabled={at === count - 1}
        onClick={() => goTo(at + 1)}
      />
    </div>
  );
}
