/** Combines a scenario with its lesson file when both are opened together: the resulting text contains both. */
import { applyEdits, modify } from 'jsonc-parser';
import { quote } from '../../base/suggest';
import { readJson } from './json-text';
import { withoutFront } from './lesson-front';
import { failure, problem, type Result, success } from './problems';
import { lessonFile } from './scenarios';

/** Name and text of a file. */
export interface LessonFile {
  readonly name: string;
  readonly text: string;
}

const lessonIn = (value: unknown): string | null => {
  const { lesson } = (value ?? {}) as { lesson?: unknown };
  return typeof lesson === 'string' ? lessonFile(lesson) : null;
};

/** The scenario's text with a lesson file named in it; comments and formatting stay. */
export const namingLesson = (text: string, lesson: string): string =>
  applyEdits(
    text,
    modify(text, ['lesson'], lesson, {
      formattingOptions: { insertSpaces: true, tabSize: 2 },
    }),
  );

/** The text of a lesson file, as the page keeps it. */
export function lessonText(file: string): string {
  const text = file.replace(/^\uFEFF?\s*/, '');
  return text.startsWith('---') ? withoutFront(text) : text;
}

/** The scenario's text with the lesson's name replaced by its text; comments and formatting stay. */
export function mergeLessonFile(
  scenario: LessonFile,
  lessons: readonly LessonFile[],
): Result<string> {
  const { text, name } = scenario;
  const json = readJson(text, name);
  if (!json.ok) return json;
  const lessonName = lessonIn(json.value.value);
  const other = lessons.find((one) => one.name !== lessonName);
  if (other) {
    const has = lessonName === null ? 'names no lesson file' : `has its lesson in ${lessonName}`;
    return failure([problem(`${name} ${has}; ${quote(other.name)} does not go with it.`)]);
  }
  const [found] = lessons;
  if (!found) return success(text);
  const lesson = lessonText(found.text);
  if (!lesson.startsWith('# '))
    return failure([problem('A lesson begins with "# " and its title.', '', found.name)]);
  return success(applyEdits(json.value.text, modify(json.value.text, ['lesson'], lesson, {})));
}
