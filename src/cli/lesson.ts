/** `busyard lesson`: checks a lesson and lists its problems by line. Exit code 1 if there are any. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLocalEngine } from '../engine/inprocess';
import { checkLesson, type LessonText } from '../model/lesson/check';
import { parseLesson } from '../model/lesson/lesson';
import { DEFAULT_TRACE_LOG2 } from '../model/scenario/compile';
import { lineOf } from '../model/scenario/problems';
import { lessonFile, lessonOf, listScenarios } from '../model/scenario/scenarios';
import { fileCommand, JSON_OPTION } from './arguments';
import { readFile } from './files';
import { type Input, machineOf, readInput } from './input';
import { warn, write, writeJson } from './output';
import { Refusal } from './refusal';

/** The scenario of a lesson file: it has the same name and is in the same folder. */
const scenarioOf = (file: string): string => file.replace(/\.md$/, '.json');

/** The text of the lesson: from the scenario, from a file next to it, or from the included lessons. */
async function textOf({ scenario }: Input, file: string): Promise<LessonText> {
  const { lesson } = scenario;
  if (lesson === null) throw new Refusal(`${file} has no lesson: its "lesson" names none.`);
  if (lessonFile(lesson) === null) return { text: lesson, file: `${file}, "lesson"` };
  if (existsSync(file)) {
    const path = join(dirname(file), lesson);
    return { text: readFile(path), file: path };
  }
  const text = await lessonOf(scenario);
  if (text === null) throw new Refusal(`${file} has no lesson ${lesson}.`);
  return { text, file: `${dirname(file)}/${lesson}` };
}

const SPEC = {
  name: 'lesson',
  summary:
    'Checks a lesson against its run: links, times, answers, hints that reveal an answer; exit code 1 if it fails.',
  takes: ['<FILE>', 'a lesson, its scenario, or the id of a scenario'],
  options: { json: JSON_OPTION },
} as const;

export const lesson = fileCommand(SPEC, async (values, named) => {
  const file = scenarioOf(named);
  const input = await readInput(file);
  const found = await textOf(input, file);
  const machine = machineOf(input, {}, DEFAULT_TRACE_LOG2);
  const known = listScenarios().map(({ id }) => id);
  const engine = await createLocalEngine();
  const problems = await checkLesson(engine, found, { scenario: input.scenario, machine, known });
  engine.dispose();
  const { steps } = parseLesson(found.text);
  const questions = steps.filter(({ question }) => question).length;
  const counted = `${steps.length} steps, ${questions} question${questions === 1 ? '' : 's'}`;
  if (values.json) await writeJson({ file: found.file, steps: steps.length, questions, problems });
  else await write(problems.map((problem) => `${lineOf(problem)}\n`));
  const outcome = problems.length === 0 ? 'is correct' : `${problems.length} to fix`;
  warn(`${found.file}: ${counted}, ${outcome}`);
  return problems.length === 0 ? 0 : 1;
});
