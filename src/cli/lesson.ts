/** `busyard lesson`: checks lessons and lists their problems by line. Exit code 1 if there are any. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quote } from '../base/suggest';
import type { Engine } from '../engine/api';
import { createLocalEngine } from '../engine/inprocess';
import { checkLesson, type LessonText } from '../model/lesson/check';
import { parseLesson } from '../model/lesson/lesson';
import { type Decided, unevenPositions } from '../model/lesson/positions';
import { type Unbound, unboundIn } from '../model/lesson/unbound';
import { DEFAULT_TRACE_LOG2 } from '../model/scenario/compile';
import { lineOf, type Problem } from '../model/scenario/problems';
import { lessonFile, lessonOf, listScenarios } from '../model/scenario/scenarios';
import { fileCommand, JSON_OPTION } from './arguments';
import { readFile } from './files';
import { type Input, machineOf, readInput } from './input';
import { warn, write, writeJson } from './output';
import { Refusal } from './refusal';

/** The scenario of a lesson file: it has the same name and is in the same folder. */
const scenarioOf = (file: string): string => file.replace(/\.md$/, '.json');

/** The text of the lesson: from the scenario, from a file next to it, or from the included lessons. */
export async function textOf({ scenario }: Input, file: string): Promise<LessonText> {
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
    'Checks lessons against their runs: links, times, answers, hints that reveal an answer; exit code 1 if it fails.',
  takes: ['<FILE>', 'a lesson, its scenario, the id of a scenario, or a folder with lessons'],
  options: {
    json: JSON_OPTION,
    unbound: { help: 'also list numbers with units that no run, parameter or source holds' },
  },
} as const;

/** Lessons in a folder and its subfolders, by their files. */
const lessonsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && existsSync(scenarioOf(join(folder, name))))
    .sort()
    .map((name) => join(folder, name));

interface CheckedLesson {
  readonly file: string;
  readonly steps: number;
  readonly questions: number;
  readonly problems: readonly Problem[];
  readonly decided: readonly Decided[];
  readonly unbound: readonly Unbound[];
}

async function check(engine: Engine, named: string): Promise<CheckedLesson> {
  const file = scenarioOf(named);
  const input = await readInput(file);
  const found = await textOf(input, file);
  const decided: Decided[] = [];
  const { scenario } = input;
  const machine = machineOf(input, {}, DEFAULT_TRACE_LOG2);
  const problems = await checkLesson(engine, found, {
    scenario,
    machine,
    known: listScenarios().map(({ id }) => id),
    onDecided: (one) => decided.push(one),
  });
  const { steps } = parseLesson(found.text);
  const questions = steps.filter(({ question }) => question).length;
  const unbound = unboundIn(found.text, scenario, machine);
  return { file: found.file, steps: steps.length, questions, problems, decided, unbound };
}

interface Wanted {
  readonly json?: boolean | undefined;
  readonly unbound?: boolean | undefined;
}

async function report(one: CheckedLesson, { json, unbound: isListed }: Wanted): Promise<void> {
  const { decided: _, unbound, ...shown } = one;
  if (json) await writeJson(isListed ? { ...shown, unbound } : shown);
  else {
    await write(one.problems.map((problem) => `${lineOf(problem)}\n`));
    const listed = isListed ? unbound : [];
    await write(
      listed.map(({ line, number }) => `${one.file}:${line}:1: ${quote(number)} is unbound.\n`),
    );
  }
  const outcome = one.problems.length === 0 ? 'is correct' : `${one.problems.length} to fix`;
  const asked = `${one.steps} steps, ${one.questions} question${one.questions === 1 ? '' : 's'}`;
  warn(`${one.file}: ${asked}, ${outcome}`);
}

export const lesson = fileCommand(SPEC, async (values, named) => {
  const isFolder = existsSync(named) && statSync(named).isDirectory();
  const files = isFolder ? lessonsIn(named) : [named];
  if (files.length === 0) throw new Refusal(`${named} has no lesson with its scenario beside it.`);
  const engine = await createLocalEngine();
  const checked: CheckedLesson[] = [];
  for (const file of files) {
    const one = await check(engine, file);
    await report(one, values);
    checked.push(one);
  }
  engine.dispose();
  const uneven = unevenPositions(checked.flatMap(({ decided }) => decided));
  for (const message of uneven) warn(message);
  return uneven.length === 0 && checked.every(({ problems }) => problems.length === 0) ? 0 : 1;
});
