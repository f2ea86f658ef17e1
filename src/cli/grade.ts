/**
 * `busyard grade`: judges the answers in saved sessions of a folder with the engine, and prints one line for each
 * file as CSV. What a file says about right and wrong is not trusted: the question's run is made again.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Engine } from '../engine/api';
import { createLocalEngine } from '../engine/inprocess';
import { rightOption } from '../model/lesson/judge';
import { parseLesson, type Question } from '../model/lesson/lesson';
import { csvLine } from '../model/report/export';
import type { Scenario } from '../model/scenario/scenario-types';
import { answersById } from '../model/session/answer-ids';
import type { Answer } from '../model/session/answers';
import { BUILT_FILE } from '../model/session/document';
import { fileCommand, JSON_OPTION } from './arguments';
import { readInput } from './input';
import { textOf } from './lesson';
import { count, warn, write, writeJson } from './output';
import { Refusal } from './refusal';

/** A question, and the id of the option that its run makes right; null if its run decides none. */
interface Judged {
  readonly question: Question;
  readonly right: string | null;
}

type Mark = 'right' | 'second' | 'not right' | 'shown' | 'open';

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
  /** The name of the file without its ending: the student's name or number. */
  readonly name: string;
  readonly scenario: string;
  /** Answers that were right at once, and at the second attempt. */
  readonly right: number;
  readonly second: number;
  readonly of: number;
  readonly marks: Readonly<Record<string, Mark>>;
  /** What the lecturer should know: an edited answer, a file that cannot be read. */
  readonly note: string;
}

async function judged(engine: Engine, { scenario, text }: Lab): Promise<Judged[]> {
  const questions = parseLesson(text).steps.flatMap(({ question }) => question ?? []);
  const all: Judged[] = [];
  for (const question of questions)
    all.push({ question, right: await rightOption(engine, scenario, question) });
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

const nameOf = (file: string): string => basename(file).replace(/(\.busyard)?\.json$/, '');

const unread = (file: string, note: string): Grade => ({
  name: nameOf(file),
  ...{ scenario: '', right: 0, second: 0, of: 0, marks: {}, note },
});

/** The folder's files against the runs of their lessons; each lesson is run once. */
class Grader {
  readonly #engine: Engine;
  /** The lecturer's own scenario; null to take the included one that a session names. */
  readonly #own: Lab | null;
  readonly #known = new Map<string, Promise<Judged[]>>();

  constructor(engine: Engine, own: Lab | null) {
    this.#engine = engine;
    this.#own = own;
  }

  #judged(key: string, lab: Lab): Promise<Judged[]> {
    const known = this.#known.get(key) ?? judged(this.#engine, lab);
    this.#known.set(key, known);
    return known;
  }

  async grade(file: string): Promise<Grade> {
    const { saved } = await readInput(file);
    if (!saved) return unread(file, 'no saved session');
    const { document } = saved;
    const id = 'id' in document.scenario ? document.scenario.id : null;
    if (!this.#own && (id === null || document.built))
      return unread(file, 'the session has its own scenario: name yours with --scenario');
    const lab = this.#own ?? (await labOf(id ?? BUILT_FILE));
    const name = id ?? lab.scenario.title;
    const answers = await answersById(name, document.answers ?? {});
    const all = await this.#judged(this.#own ? '' : name, lab);
    const marks = all.map(
      (one) => [one.question.id, markOf(one, answers[one.question.id])] as const,
    );
    const edited = all.filter((one) => isEdited(one, answers[one.question.id]));
    return {
      name: nameOf(file),
      scenario: name,
      right: marks.filter(([, mark]) => mark === 'right').length,
      second: marks.filter(([, mark]) => mark === 'second').length,
      of: all.length,
      marks: Object.fromEntries(marks),
      note:
        edited.length === 0
          ? ''
          : `the file claims another verdict than the run: ${edited.map(({ question }) => question.id).join(', ')}`,
    };
  }
}

function* csvOf(grades: readonly Grade[]): Generator<string> {
  const ids = [...new Set(grades.flatMap(({ marks }) => Object.keys(marks)))];
  yield csvLine(['name', 'scenario', 'right', 'at second', 'of', ...ids, 'note']);
  for (const { name, scenario, right, second, of, marks, note } of grades)
    yield csvLine([name, scenario, right, second, of, ...ids.map((id) => marks[id] ?? ''), note]);
}

/** Session files of a folder, by name. */
function sessionsIn(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new Refusal(`${folder} is not a folder of saved sessions.`);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (files.length === 0)
    throw new Refusal(`${folder} has no saved session: its files end with .json.`);
  return files.sort().map((name) => join(folder, name));
}

const SPEC = {
  name: 'grade',
  summary:
    'Judges the answers in the saved sessions of a folder by running their questions again, one line of CSV a file.',
  takes: ['<FOLDER>', 'saved sessions with answers; each is named after its student'],
  options: {
    scenario: { value: 'FILE', help: 'judge all by this scenario and its lesson' },
    json: JSON_OPTION,
  },
} as const;

export const grade = fileCommand(SPEC, async (values, folder) => {
  const files = sessionsIn(folder);
  const own = values.scenario === undefined ? null : await labOf(values.scenario);
  const engine = await createLocalEngine();
  const grader = new Grader(engine, own);
  const grades: Grade[] = [];
  for (const file of files)
    grades.push(
      await grader.grade(file).catch((error: unknown) => {
        if (error instanceof Refusal) return unread(file, error.message);
        throw error;
      }),
    );
  engine.dispose();
  if (values.json) await writeJson(grades);
  else await write(csvOf(grades));
  const noted = grades.filter(({ note }) => note !== '');
  warn(`${count(grades.length, 'session')} graded, ${noted.length} with a note.`);
  return noted.length === 0 ? 0 : 1;
});
