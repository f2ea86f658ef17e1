import { useEffect, useState } from 'react';
import { nextTask } from '../../base/tasks';
import { createWorkerEngine } from '../../engine/workers';
import { checkLesson } from '../../model/lesson/check';
import { compile, DEFAULT_TRACE_LOG2 } from '../../model/scenario/compile';
import type { Problem } from '../../model/scenario/problems';
import type { Scenario } from '../../model/scenario/scenario-types';
import { listScenarios } from '../../model/scenario/scenarios';

export interface LessonCheck {
  /** The text that was checked; null before the first one. */
  readonly text: string | null;
  readonly problems: readonly Problem[];
  /** Why the check came to no end; null if it did. */
  readonly failed: string | null;
}

const NOTHING: LessonCheck = { text: null, problems: [], failed: null };

/** The check's end after its text has changed. */
const OUTDATED = new Error('The text has changed.');

/** What `busyard lesson` finds in a text, once its runs in a worker are done. */
async function checked(
  scenario: Scenario,
  text: string,
  pause: () => Promise<void>,
): Promise<LessonCheck> {
  const machine = compile(scenario, { traceLog2: DEFAULT_TRACE_LOG2 });
  if (!machine.ok)
    return { text, problems: [], failed: machine.problems[0]?.message ?? 'It does not run.' };
  const engine = createWorkerEngine();
  const known = listScenarios().map(({ id }) => id);
  const context = { scenario, machine: machine.value, known, pause };
  try {
    const problems = await checkLesson(engine, { text, file: '' }, context);
    return { text, problems, failed: null };
  } finally {
    engine.dispose();
  }
}

/** Checks a text when it has not changed for `delay` ms; until then, the problems are those of the text before. */
export function useLessonCheck(scenario: Scenario, text: string, delay = 0): LessonCheck {
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    let isOver = false;
    const pause = async () => {
      await nextTask();
      if (isOver) throw OUTDATED;
    };
    const timer = setTimeout(() => {
      checked(scenario, text, pause)
        .catch((error: unknown) => ({ text, problems: [], failed: String(error) }))
        .then((result) => {
          if (!isOver) setFound(result);
        });
    }, delay);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [scenario, text, delay]);
  return found;
}
