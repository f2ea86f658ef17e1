/** A lesson that is opened without its scenario: it names an included one, has its title, or its reader chooses. */
import { showOverlay } from '../../base/shell-state';
import { createStore } from '../../base/store';
import { hint, quote } from '../../base/suggest';
import { type LessonFile, lessonText } from '../scenario/lesson-file';
import { frontOf } from '../scenario/lesson-front';
import { failure, problem, type Result, success } from '../scenario/problems';
import { listScenarios } from '../scenario/scenarios';
import type { OpenResult } from './document';
import { setLesson } from './editing';
import { openScenario } from './opening';

/** The lesson whose scenario its reader is asked for, if any. */
export const withoutScenario = createStore<{ readonly lesson: LessonFile | null }>({
  lesson: null,
});

const titleOf = (text: string): string => /^# +(.*\S)/.exec(lessonText(text))?.[1] ?? '';

/** The id of a lesson's scenario: the one that it names, or the only one with its title; null if there is none. */
function scenarioOf({ name, text }: LessonFile): Result<string | null> {
  const { scenario, wrong } = frontOf(text.replace(/^\uFEFF/, ''));
  const at = (line: number, message: string) =>
    failure([{ file: name, pointer: '', line, column: 1, message }]);
  const ids = listScenarios().map(({ id }) => id);
  if (wrong) return at(wrong.line, wrong.message);
  if (scenario !== null && !ids.includes(scenario))
    return scenario.endsWith('.json')
      ? at(2, `Its scenario ${quote(scenario)} is a file: choose or drop both files at once.`)
      : at(2, `There is no scenario ${quote(scenario)}${hint(scenario, ids)}`);
  if (!titleOf(text))
    return failure([problem('A lesson begins with "# " and its title.', '', name)]);
  const namesakes = listScenarios().filter(({ title }) => title === titleOf(text));
  return success(scenario ?? (namesakes.length === 1 ? (namesakes[0]?.id ?? null) : null));
}

/** Opens an included scenario with this lesson in place of its own; without an id, the lesson comes to the open one. */
export async function openLesson(lesson: LessonFile, id: string | null): Promise<OpenResult> {
  const opened: OpenResult = id === null ? { ok: true } : await openScenario(id);
  if (opened.ok && !opened.overtaken) setLesson(lessonText(lesson.text));
  return opened;
}

/** Opens a lesson beside its scenario, or asks for it. */
export async function openLoneLesson(lesson: LessonFile): Promise<OpenResult> {
  const id = scenarioOf(lesson);
  if (!id.ok) return { title: `${lesson.name} could not be opened.`, ...id };
  if (id.value !== null) return openLesson(lesson, id.value);
  withoutScenario.setState({ lesson });
  showOverlay('lesson-scenario');
  return { ok: true, overtaken: true };
}
