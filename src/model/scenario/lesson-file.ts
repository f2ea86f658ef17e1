/** A scenario whose lesson is a file, opened together with that file: the text then holds both. */
import { applyEdits, modify } from 'jsonc-parser';
import { quote } from '../../base/suggest';
import { readJson } from './json-text';
import { failure, problem, type Result, success } from './problems';
import { lessonFile } from './scenarios';

/** A file's name and text. */
export interface LessonFile {
  readonly name: string;
  readonly text: string;
}

const lessonIn = (value: unknown): string | null => {
  const { lesson } = (value ?? {}) as { lesson?: unknown };
  return typeof lesson === 'string' ? lessonFile(lesson) : null;
};

/** The text of a scenario with its lesson in place of the lesson's name; comments and all else stay. */
export function mergeLessonFile(
  scenario: LessonFile,
  lessons: readonly LessonFile[],
): Result<string> {
  const { text, name } = scenario;
  const json = readJson(text, name);
  if (!json.ok) return json;
  const wanted = lessonIn(json.value.value);
  const other = lessons.find((one) => one.name !== wanted);
  if (other) {
    const has = wanted === null ? 'names no file of a lesson' : `has its lesson in ${wanted}`;
    return failure([problem(`${name} ${has}; ${quote(other.name)} does not go with it.`)]);
  }
  const [found] = lessons;
  if (!found) return success(text);
  const lesson = found.text.replace(/^\uFEFF?\s*/, '');
  if (!lesson.startsWith('# '))
    return failure([problem('A lesson begins with "# " and its title.', '', found.name)]);
  return success(applyEdits(json.value.text, modify(json.value.text, ['lesson'], lesson, {})));
}
