import { useEffect, useState } from 'react';
import { route, setParams } from '../../base/route';
import { type Lesson as LessonText, parseLesson, type Step } from '../../model/lesson';
import { lessonText } from '../../model/scenarios';
import type { Scenario } from '../../model/scenarioTypes';
import { session, setView } from '../../model/session';
import { IconButton } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { useRun } from '../../widgets/useRun';
import { useStore } from '../../widgets/useStore';
import { Blocks } from './Blocks';
import styles from './Lesson.module.css';
import { Ask } from './Question';

/** The teacher's text: one step at a time, with questions that the run decides. */
export default function Lesson() {
  useRun();
  const data = useStore(session, (state) => state.data);
  const lesson = useLesson(data);
  const kept = useStore(session, (state) => state.view.step);
  const named = useStore(route, ({ params }) => Number(params.step ?? 1) - 1);
  const chosen = kept === undefined ? named : Number(kept);
  if (!data) return <Panel title="Lesson">{null}</Panel>;
  const steps = lesson?.steps ?? [];
  const at = Math.min(Math.max(0, chosen), Math.max(0, steps.length - 1));
  const step = steps[at];
  return (
    <Panel title="Lesson" tools={step && `${at + 1} of ${steps.length}`}>
      <div className={styles.lesson}>
        {steps.length > 1 && <Progress at={at} steps={steps} />}
        <div className={styles.text} key={`${data.id} ${at}`}>
          {step ? (
            <StepText step={step} title={at === 0 ? (lesson?.title ?? '') : ''} />
          ) : (
            <Summary scenario={data} />
          )}
          {at >= steps.length - 1 && <NotClaimed scenario={data} />}
        </div>
        {steps.length > 1 && <StepButtons at={at} count={steps.length} />}
      </div>
    </Panel>
  );
}

/** The lesson of a scenario, once its text is there; null while it is not, or when there is none. */
function useLesson(data: Scenario | null): LessonText | null {
  const [lesson, setLesson] = useState<LessonText | null>(null);
  useEffect(() => {
    let wanted = true;
    const failHere = (error: unknown) =>
      setLesson(() => {
        throw error;
      });
    setLesson(null);
    if (data?.lesson?.startsWith('# ')) setLesson(parseLesson(data.lesson));
    else if (data?.lesson)
      lessonText(data.id, data.lesson).then((text) => {
        if (wanted && text !== null) setLesson(parseLesson(text));
      }, failHere);
    return () => {
      wanted = false;
    };
  }, [data]);
  return lesson;
}

function StepText({ step, title }: { readonly step: Step; readonly title: string }) {
  return (
    <>
      {title && <h3 className={styles.title}>{title}</h3>}
      {step.title && <h4 className={title ? styles.sub : styles.title}>{step.title}</h4>}
      <Blocks blocks={step.blocks} />
      {step.question && <Ask question={step.question} />}
    </>
  );
}

function Summary({ scenario }: { readonly scenario: Scenario }) {
  if (!scenario.summary) return <EmptyState title="This scenario has no lesson." />;
  return (
    <>
      <h3 className={styles.title}>{scenario.title}</h3>
      <p>{scenario.summary}</p>
    </>
  );
}

/** What the model leaves open, at the end of the lesson. */
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

/** The step goes into the session, and into the address: whoever comes back finds it again. */
function goTo(step: number): void {
  setView({ step });
  setParams({ step: step > 0 ? String(step + 1) : null });
}

function Progress({ at, steps }: { readonly at: number; readonly steps: readonly Step[] }) {
  return (
    <nav className={styles.progress} aria-label="Steps of the lesson">
      {steps.map((step, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
          key={index}
          type="button"
          aria-label={`Step ${index + 1}: ${step.title}`}
          aria-current={index === at ? 'step' : undefined}
          data-done={index < at || undefined}
          title={step.title}
          onClick={() => goTo(index)}
        />
      ))}
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
