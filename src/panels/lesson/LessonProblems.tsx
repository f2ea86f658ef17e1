import { useEffect, useState } from 'react';
import { count } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import { createWorkerEngine } from '../../engine/workers';
import { checkLesson } from '../../model/lesson/check';
import { compile, DEFAULT_TRACE_LOG2 } from '../../model/scenario/compile';
import type { Problem } from '../../model/scenario/problems';
import type { Scenario } from '../../model/scenario/scenario-types';
import { listScenarios } from '../../model/scenario/scenarios';
import { session } from '../../model/session/session';
import styles from './Lesson.module.css';

/** What the lesson's check finds, as `busyard lesson` prints it; empty until the runs are done. */
function useProblems(scenario: Scenario, text: string): readonly Problem[] {
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  useEffect(() => {
    setProblems([]);
    const machine = compile(scenario, { traceLog2: DEFAULT_TRACE_LOG2 });
    if (!machine.ok) return;
    let isOver = false;
    const engine = createWorkerEngine();
    const known = listScenarios().map(({ id }) => id);
    const context = { scenario, machine: machine.value, known };
    checkLesson(engine, { text, file: '' }, context)
      .then((found) => {
        if (!isOver) setProblems(found);
      })
      // A machine that stops is reported where it runs.
      .catch(() => undefined)
      .finally(() => engine.dispose());
    return () => {
      isOver = true;
    };
  }, [scenario, text]);
  return problems;
}

/** For the author of a lesson from a file: what is wrong with it, by line. Readers need not open it. */
export default function LessonProblems({ scenario }: { readonly scenario: Scenario }) {
  const text = useStore(session, ({ lesson }) => lesson) ?? '';
  const problems = useProblems(scenario, text);
  if (problems.length === 0) return null;
  return (
    <details className={styles.problems}>
      <summary>{count(problems.length, 'problem')} in this lesson, for its author</summary>
      <ul>
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <b>line {line}</b> {message}
          </li>
        ))}
      </ul>
    </details>
  );
}
