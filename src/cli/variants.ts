/** `busyard variants`: writes a lab for each student of a list, with constants of their own. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../engine/api';
import { createLocalEngine } from '../engine/inprocess';
import { checkLesson, type LessonText } from '../model/lesson/check';
import { isConfirmed } from '../model/lesson/evidence';
import { QuestionRuns } from '../model/lesson/judge';
import {
  type Lesson,
  type Option,
  parseLesson,
  plainText,
  type Question,
} from '../model/lesson/lesson';
import {
  type DeclaredVariants,
  valuesFor,
  variantsIn,
  variantText,
} from '../model/lesson/variants';
import { csvLine } from '../model/report/export';
import { DEFAULT_TRACE_LOG2 } from '../model/scenario/compile';
import { lineOf, type Problem } from '../model/scenario/problems';
import type { Assignment, Scenario } from '../model/scenario/scenario-types';
import { listScenarios, readText } from '../model/scenario/scenarios';
import { settingText } from '../model/scenario/settings';
import { fileCommand } from './arguments';
import { readFile } from './files';
import { type Input, machineOf, readInput } from './input';
import { textOf } from './lesson';
import { count, warn, write } from './output';
import { Refusal, refusalOf } from './refusal';
import { studentsIn } from './students';

/** A student's lab: its values, its file, and the scenario in it. */
export interface Variant {
  readonly values: Assignment;
  readonly text: string;
  readonly scenario: Scenario;
}

/** The labs of a class; each machine is read once. */
export class Variants {
  readonly #file: string;
  readonly #seed: string;
  readonly #lab: string;
  readonly #declared: DeclaredVariants;
  readonly #known = new Map<string, Promise<Variant>>();
  #own: Promise<Input> | undefined;
  #lesson: string | undefined;

  constructor(file: string, seed: string) {
    this.#file = file;
    this.#seed = seed;
    this.#lab = readFile(file);
    const declared = variantsIn(this.#lab, file);
    if (!declared.ok) throw refusalOf(declared.problems);
    this.#declared = declared.value;
  }

  /** Names of the values that differ. */
  get names(): readonly string[] {
    return Object.keys(this.#declared);
  }

  /** The lab as it was written. */
  own(): Promise<Input> {
    this.#own ??= readInput(this.#file);
    return this.#own;
  }

  /** The lesson and where it stands. */
  async lessonText(): Promise<LessonText> {
    return textOf(await this.own(), this.#file);
  }

  async lesson(): Promise<string> {
    this.#lesson ??= (await this.lessonText()).text;
    return this.#lesson;
  }

  of(student: string): Promise<Variant> {
    const values = valuesFor(this.#declared, student, this.#seed);
    const key = settingText(values);
    const known = this.#known.get(key) ?? this.#make(values, student);
    this.#known.set(key, known);
    return known;
  }

  async #make(values: Assignment, student: string): Promise<Variant> {
    const text = variantText(this.#lab, values, await this.lesson());
    const read = text.ok ? await readText(text.value, `${student}.json`) : text;
    if (!text.ok || !read.ok) throw refusalOf(read.ok ? [] : read.problems);
    return { values, text: text.value, scenario: read.value };
  }
}

/** Lines of the lesson that are not right for a lab; empty for most. */
async function wrongIn(
  engine: Engine,
  lesson: LessonText,
  scenario: Scenario,
): Promise<readonly Problem[]> {
  const machine = machineOf({ scenario, saved: null }, {}, DEFAULT_TRACE_LOG2);
  const known = listScenarios().map(({ id }) => id);
  return checkLesson(engine, lesson, { scenario, machine, known });
}

/** Why a variant cannot be graded: a question without exactly one right option, or a task that is done already. */
async function unfit(engine: Engine, scenario: Scenario, lesson: Lesson): Promise<string | null> {
  const runs = new QuestionRuns(engine, scenario);
  const confirmed = async (options: readonly Option[], question?: Question) => {
    const run = await runs.of(question);
    if (!run.ok) throw refusalOf(run.problems);
    const { machine, counters } = run.value;
    return options.filter((one) => isConfirmed(one, machine, counters));
  };
  for (const { question, task } of lesson.steps) {
    const right = question ? await confirmed(question.options, question) : [];
    if (question && right.length !== 1)
      return `makes ${count(right.length, 'option')} of "${plainText(question.prompt)}" right, not one`;
    const done = task ? await confirmed([task]) : [];
    if (task && done.length > 0) return `does the task "${plainText(task.inlines)}" already`;
  }
  return null;
}

const SPEC = {
  name: 'variants',
  summary:
    'Writes a lab for each student of a list, with values that the lab declares under "variants".',
  takes: ['<LAB>', 'a scenario with "variants" and a lesson'],
  options: {
    students: { value: 'LIST.csv', help: 'the class list; its first column names the students' },
    to: { value: 'FOLDER', help: 'where the files go; default: labs' },
    seed: { value: 'TEXT', help: 'other values for the same names, such as the year' },
  },
  more: 'Grade what comes back by the same list and seed: busyard grade FOLDER --scenario LAB --students LIST.csv',
} as const;

export const variants = fileCommand(SPEC, async (chosen, file) => {
  if (chosen.students === undefined)
    throw new Refusal('"variants" needs --students LIST.csv, the class list.');
  const students = studentsIn(chosen.students);
  const labs = new Variants(file, chosen.seed ?? '');
  const text = await labs.lessonText();
  const lesson = parseLesson(text.text);
  const folder = chosen.to ?? 'labs';
  const engine = await createLocalEngine();
  const checked = new Set<Variant>();
  const rows: string[] = [];
  try {
    // What is not right in the lab as it was written is told by "busyard lesson".
    const before = await wrongIn(engine, text, (await labs.own()).scenario);
    const isNew = ({ line }: Problem) => before.every((known) => known.line !== line);
    for (const student of students) {
      const lab = await labs.of(student);
      if (!checked.has(lab)) {
        const which = `The lab of ${student} (${settingText(lab.values)})`;
        const reason = await unfit(engine, lab.scenario, lesson);
        if (reason) throw new Refusal(`${which} ${reason}.`);
        const wrong = (await wrongIn(engine, text, lab.scenario)).find(isNew);
        if (wrong) throw new Refusal(`${which} makes a line of its lesson wrong. ${lineOf(wrong)}`);
        checked.add(lab);
      }
      rows.push(csvLine([student, ...Object.values(lab.values)]));
    }
    // Nothing is written unless all labs can be graded.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    for (const student of students)
      writeFileSync(join(folder, `${student}.json`), (await labs.of(student)).text);
  } finally {
    engine.dispose();
  }
  await write([csvLine(['name', ...labs.names]), ...rows]);
  warn(`${count(students.length, 'lab')} in ${folder}, ${checked.size} different.`);
  return 0;
});
