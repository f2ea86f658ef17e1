/**
 * `busyard grade`: judges the answers in saved sessions of a folder with the engine, and prints one line for each
 * file as CSV. What a file says about right and wrong is not trusted: the question's run is made again.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { quote } from '../base/suggest';
import type { Engine } from '../engine/api';
import { createLocalEngine } from '../engine/inprocess';
import { isConfirmed } from '../model/lesson/evidence';
import { QuestionRuns } from '../model/lesson/judge';
import { parseLesson, type Question, type Step } from '../model/lesson/lesson';
import { csvLine } from '../model/report/export';
import { compile } from '../model/scenario/compile';
import { variablesAt } from '../model/scenario/experiment';
import { readJson } from '../model/scenario/json-text';
import { withPrograms } from '../model/scenario/program-overrides';
import type { Scenario } from '../model/scenario/scenario-types';
import { settingText } from '../model/scenario/settings';
import { answersById } from '../model/session/answer-ids';
import type { Answer } from '../model/session/answers';
import { engineCommands } from '../model/session/commands';
import { BUILT_FILE, type SessionDocument } from '../model/session/document';
import { fileCommand, JSON_OPTION } from './arguments';
import { readInput } from './input';
import { textOf } from './lesson';
import { count, warn, write, writeJson } from './output';
import { Refusal } from './refusal';
import { sameName, studentsIn } from './students';
import { Variants } from './variants';

/** A question, and the id of the option that its run makes right; null if its run decides none. */
interface Judged {
  readonly question: Question;
  readonly right: string | null;
}

type Mark = 'right' | 'second' | 'not right' | 'shown' | 'open' | 'passed' | 'not passed';

/** A scenario and its lesson. */
interface Lab {
  readonly scenario: Scenario;
  readonly text: string;
}

async function labOf(file: string): Promise<Lab> {
  const input = await readInput(file);
  return { scenario: input.scenario, text: (await textOf(input, file)).text };
}

interface Grade {
  /** The student's name or number, or that of the file in its folder without its ending. */
  readonly name: string;
  readonly scenario: string;
  /** Answers that were right at once, and at the second attempt. */
  readonly right: number;
  readonly second: number;
  /** Questions and tasks of the lab; null if no lab is known for the file. */
  readonly of: number | null;
  readonly passed: number;
  readonly tasks: number | null;
  readonly marks: Readonly<Record<string, Mark>>;
  /** What the lecturer should know: an edited answer, a file that cannot be read. */
  readonly note: string;
}

async function judged(engine: Engine, { scenario, text }: Lab): Promise<Judged[]> {
  const questions = parseLesson(text).steps.flatMap(({ question }) => question ?? []);
  const runs = new QuestionRuns(engine, scenario);
  const all: Judged[] = [];
  for (const question of questions) all.push({ question, right: await runs.rightOption(question) });
  return all;
}

function markOf({ right }: Judged, answer: Answer | undefined): Mark {
  if (!answer) return 'open';
  if (answer.option === null) return 'shown';
  if (answer.option === right) return 'right';
  return answer.second !== undefined && answer.second === right ? 'second' : 'not right';
}

/** Whether a file claims another verdict than the run's. */
function isEdited({ right }: Judged, answer: Answer | undefined): boolean {
  if (!answer || answer.right === null) return false;
  const claimsOther = answer.happened !== undefined && answer.happened !== right;
  return claimsOther || answer.right !== (answer.option === right);
}

/** "Ada.session (1).json" is a file of Ada. In a folder for each student, the folder's name is part of it. */
const nameOf = (file: string): string =>
  sameName(sameName(file.replace(/\.\w+$/, '')).replace(/\.(session|busyard)$/, ''));

/** What can be right in a lab: its questions and its tasks. */
type Whole = Pick<Grade, 'of' | 'tasks'>;

function wholeOf(text: string): Whole {
  const { steps } = parseLesson(text);
  const has = (what: 'question' | 'task') => steps.filter((step) => step[what]).length;
  return { of: has('question'), tasks: has('task') };
}

const UNKNOWN: Whole = { of: null, tasks: null };

/** The row of a student whose answers are not there, or cannot be judged. */
const unread = (name: string, note: string, whole: Whole): Grade => ({
  ...{ name, scenario: '', right: 0, second: 0, passed: 0, ...whole, marks: {}, note },
});

/** The counters at the end of a session's run in a lab; null if it cannot be set up there. */
async function endOf(engine: Engine, { scenario }: Lab, document: SessionDocument) {
  const own = withPrograms(scenario, document.programs);
  const variables = own.ok ? variablesAt(own.value, document.variables) : own;
  if (!own.ok || !variables.ok) return null;
  const { edits, seed, commands } = document;
  const made = compile(own.value, {
    ...{ variables: variables.value, edits, seed: seed ?? undefined, traceLog2: 0 },
  });
  if (!made.ok) return null;
  const machine = made.value;
  await engine.open({ config: machine.config, commands: engineCommands(machine, commands) });
  await engine.run({ untilPs: machine.untilPs });
  const { counters } = await engine.frame({ views: [] });
  return { machine, counters: counters.flatMap((own) => [...own]) };
}

const taskId = ({ title }: Step): string => `task: ${title}`;

/** The tasks of a lab, judged at the end of the run that the session has. */
async function tasksOf(
  engine: Engine,
  lab: Lab,
  document: SessionDocument,
): Promise<Readonly<Record<string, Mark>>> {
  const steps = parseLesson(lab.text).steps.filter(({ task }) => task);
  if (steps.length === 0) return {};
  const end = document.built ? null : await endOf(engine, lab, document);
  const isDone = ({ task }: Step) => end && task && isConfirmed(task, end.machine, end.counters);
  return Object.fromEntries(
    steps.map((step) => [taskId(step), isDone(step) ? 'passed' : 'not passed']),
  );
}

/** The same JSON, however it is laid out. */
function isSameJson(one: string, other: string): boolean {
  const [a, b] = [readJson(one), readJson(other)];
  return a.ok && b.ok && JSON.stringify(a.value.value) === JSON.stringify(b.value.value);
}

/** The class of a lab with variants. */
interface Class {
  readonly students: readonly string[];
  readonly variants: Variants;
}

/** A lab, the key of its judged questions, the student that it was given to, and what is odd about the file. */
interface Given {
  readonly lab: Lab;
  readonly key: string;
  readonly student: string;
  readonly notes: readonly string[];
}

/** The lab that a student was given: the file that the session began with has the student's name. */
async function givenTo(
  { students, variants }: Class,
  handedIn: string,
  { scenario, edits, variables, built }: SessionDocument,
): Promise<Given | string> {
  if (!('text' in scenario)) return 'the session is not of the lab';
  const began = sameName(scenario.name.replace(/\.json$/, ''));
  const student = [began, handedIn].find((name) => students.includes(name));
  if (student === undefined) return `${quote(began)} is not in the list of students`;
  const { text, values, scenario: own } = await variants.of(student);
  const changed = Object.keys(values).filter((name) => name in edits || name in variables);
  const notes = [
    ...(isSameJson(text, scenario.text)
      ? []
      : [`the lab is not the one that ${student} was given`]),
    ...(students.includes(handedIn) && handedIn !== student
      ? [`the lab of ${student}, handed in as ${handedIn}`]
      : []),
    ...(changed.length > 0
      ? [`values that the lab gives were changed: ${changed.join(', ')}`]
      : []),
    ...(built ? ['the machine was rebuilt'] : []),
  ];
  const lab = { scenario: own, text: await variants.lesson() };
  return { lab, key: settingText(values), student, notes };
}

/** The folder's files against the runs of their lessons; each lesson is run once. */
class Grader {
  readonly #engine: Engine;
  /** The lecturer's own scenario; null to take the included one that a session names. */
  readonly #own: Lab | null;
  /** The students, if each has a variant of the lab. */
  readonly #class: Class | null;
  readonly #whole: Whole;
  readonly #known = new Map<string, Promise<Judged[]>>();

  constructor(engine: Engine, own: Lab | null, students: Class | null, whole: Whole) {
    this.#engine = engine;
    this.#own = own;
    this.#class = students;
    this.#whole = whole;
  }

  #judged(key: string, lab: Lab): Promise<Judged[]> {
    const known = this.#known.get(key) ?? judged(this.#engine, lab);
    this.#known.set(key, known);
    return known;
  }

  async #given(file: string, document: SessionDocument): Promise<Given | string> {
    if (this.#class) return givenTo(this.#class, basename(nameOf(file)), document);
    const id = 'id' in document.scenario ? document.scenario.id : null;
    if (!this.#own && (id === null || document.built))
      return 'the session has its own scenario: name yours with --scenario';
    const lab = this.#own ?? (await labOf(id ?? BUILT_FILE));
    return { lab, key: this.#own ? '' : (id ?? ''), student: nameOf(file), notes: [] };
  }

  /** The row of a file that cannot be judged; it is the row of a student whose name the file has. */
  unread(file: string, note: string): Grade {
    const name = nameOf(file);
    const own = this.#class?.students.find((student) => student === basename(name));
    return unread(own ?? name, note, this.#whole);
  }

  /** Grades a file of the folder. */
  async grade(folder: string, file: string): Promise<Grade> {
    if (!isJson(file))
      return this.unread(file, 'no saved session: its name does not end with .json');
    const { saved } = await readInput(join(folder, file));
    if (!saved) return this.unread(file, 'a scenario, not a session saved with answers');
    const { document } = saved;
    const given = await this.#given(file, document);
    if (typeof given === 'string') return this.unread(file, given);
    const { lab, key, student } = given;
    const id = 'id' in document.scenario ? document.scenario.id : null;
    const name = id ?? lab.scenario.title;
    const answers = await answersById(name, document.answers ?? {});
    const all = await this.#judged(key, lab);
    const marks = all.map(
      (one) => [one.question.id, markOf(one, answers[one.question.id])] as const,
    );
    const edited = all.filter((one) => isEdited(one, answers[one.question.id]));
    const claims = edited.map(({ question }) => question.id).join(', ');
    const notes = [
      ...given.notes,
      ...(claims ? [`the file claims another verdict than the run: ${claims}`] : []),
    ];
    const isGiven = given.notes.length === 0;
    const tasks = Object.entries(await tasksOf(this.#engine, lab, document)).map(
      ([task, mark]) => [task, isGiven ? mark : 'not passed'] as const,
    );
    return {
      name: student,
      scenario: name,
      right: marks.filter(([, mark]) => mark === 'right').length,
      second: marks.filter(([, mark]) => mark === 'second').length,
      of: all.length,
      passed: tasks.filter(([, mark]) => mark === 'passed').length,
      tasks: tasks.length,
      marks: Object.fromEntries([...marks, ...tasks]),
      note: notes.join('; '),
    };
  }
}

/** The rows of a class in the order of its list: also of those who handed in nothing, or twice. */
function byStudent(students: readonly string[], grades: readonly Grade[], whole: Whole): Grade[] {
  const rows = students.flatMap((student) => {
    const own = grades.filter(({ name }) => name === student);
    const many = own.map((grade) => ({
      ...grade,
      note: [grade.note, own.length > 1 ? `${own.length} files` : ''].filter(Boolean).join('; '),
    }));
    return own.length > 0 ? many : [unread(student, 'no file', whole)];
  });
  return [...rows, ...grades.filter((grade) => !rows.some(({ name }) => name === grade.name))];
}

function* csvOf(grades: readonly Grade[]): Generator<string> {
  const ids = [...new Set(grades.flatMap(({ marks }) => Object.keys(marks)))];
  const hasTasks = grades.some(({ tasks }) => tasks);
  const done = hasTasks ? ['passed', 'tasks'] : [];
  yield csvLine(['name', 'scenario', 'right', 'at second', 'of', ...done, ...ids, 'note']);
  for (const { name, scenario, right, second, of, passed, tasks, marks, note } of grades) {
    const counts = [right, second, of ?? '', ...(hasTasks ? [passed, tasks ?? ''] : [])];
    yield csvLine([name, scenario, ...counts, ...ids.map((id) => marks[id] ?? ''), note]);
  }
}

const isJson = (file: string): boolean => file.endsWith('.json');

const isHidden = (name: string): boolean => name.split(/[/\\]/).some((one) => one.startsWith('.'));

/** What was handed in: files of a folder and of those in it, where a course system puts each student's. */
function filesIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Refusal(`${folder} is not a folder of saved sessions.`);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !isHidden(name) && statSync(join(folder, name)).isFile())
    .sort();
  if (!files.some(isJson))
    throw new Refusal(`${folder} has no saved session: its files end with .json.`);
  return files;
}

const SPEC = {
  name: 'grade',
  summary:
    'Judges the answers and tasks in the saved sessions of a folder by runs of its own, one line of CSV per file.',
  takes: ['<FOLDER>', 'saved sessions with answers; each is named after its student'],
  options: {
    scenario: { value: 'FILE', help: 'judge all by this scenario and its lesson' },
    students: { value: 'LIST.csv', help: 'each student has a variant of the scenario' },
    seed: { value: 'TEXT', help: 'the seed that the variants were made with' },
    json: JSON_OPTION,
  },
} as const;

export const grade = fileCommand(SPEC, async (values, folder) => {
  const files = filesIn(folder);
  const { scenario, students: list, seed } = values;
  if (list !== undefined && scenario === undefined)
    throw new Refusal('--students needs --scenario LAB, the lab that the variants were made of.');
  const students = list === undefined ? [] : studentsIn(list);
  const variants = scenario && list ? new Variants(scenario, seed ?? '') : null;
  const own = scenario === undefined || variants ? null : await labOf(scenario);
  const text = variants ? await variants.lesson() : own?.text;
  const whole = text === undefined ? UNKNOWN : wholeOf(text);
  const engine = await createLocalEngine();
  const grader = new Grader(engine, own, variants && { students, variants }, whole);
  const grades: Grade[] = [];
  try {
    for (const file of files)
      grades.push(
        await grader.grade(folder, file).catch((error: unknown) => {
          if (error instanceof Refusal) return grader.unread(file, error.message);
          throw error;
        }),
      );
  } finally {
    engine.dispose();
  }
  const rows = variants ? byStudent(students, grades, whole) : grades;
  if (values.json) await writeJson(rows);
  else await write(csvOf(rows));
  const noted = rows.filter(({ note }) => note !== '');
  const without = noted.length === 0 ? '' : `, ${count(noted.length, 'line')} with a note`;
  warn(`${count(grades.length, 'file')} read${without}.`);
  return noted.length === 0 ? 0 : 1;
});
