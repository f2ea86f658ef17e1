/**
 * Checks a lesson: links lead somewhere, times are those of events, shown numbers are right, and the run makes
 * exactly one option of each question right, without the page revealing it. The page shows an incorrect lesson
 * anyway; its author gets the reasons here.
 */

import { hint, quote } from '../../base/suggest';
import type { Engine } from '../../engine/api';
import { type CompiledMachine, paramAt, partNamed } from '../scenario/compiled';
import { editableParam } from '../scenario/editable-param';
import { frontOf } from '../scenario/lesson-front';
import type { Problem } from '../scenario/problems';
import type { Assignment } from '../scenario/scenario-types';
import { machineWith, settingOf, settingText } from '../scenario/settings';
import {
  type Checked,
  inMicroseconds,
  type LessonContext,
  missed,
  type Tell,
} from './check-context';
import { numberProblem, sourceProblem } from './check-number';
import { checkQuestion } from './check-questions';
import { lessonRun } from './check-run';
import { checkScene } from './check-scene';
import { checkTask, settingsIn } from './check-tasks';
import { stumblesIn } from './english';
import { verdict } from './evidence';
import { LedTo } from './led-to';
import {
  hiddenBy,
  type Inline,
  type LinkTarget,
  type Piece,
  parseLesson,
  piecesOf,
  plainText,
  type Step,
} from './lesson';
import { isWithoutPlace } from './moment';
import { isRounded } from './quantities';
import { revealedBy } from './revealed-words';
import { openingNamesIn, timesOfRun } from './run-value';
import { Runs } from './runs';
import { settingProblem } from './setting-problem';
import { timeOf } from './time-of';

export interface LessonText {
  readonly text: string;
  /** File name for the positions of problems. */
  readonly file: string;
}

const MAX_STEPS = 7;

interface Outlined {
  readonly title: string;
  readonly line: number;
  blocks: number;
  questions: number;
}

/** Steps with their contents, as written. */
function outlineOf(pieces: readonly Piece[]): Outlined[] {
  const steps: Outlined[] = [];
  for (const { headings, block, task, question, line } of pieces) {
    for (const { level, title, line: at } of headings)
      if (level > 1) steps.push({ title, line: at, blocks: 0, questions: 0 });
    if (!block && !task && !question) continue;
    if (steps.length === 0) steps.push({ title: '', line, blocks: 0, questions: 0 });
    const step = steps.at(-1) as Outlined;
    step.blocks += block || task ? 1 : 0;
    step.questions += question ? 1 : 0;
  }
  return steps;
}

const MAX_QUESTIONS = 2;

function checkOutline(title: string, pieces: readonly Piece[], checked: Checked): void {
  const { scenario, tell } = checked;
  const steps = outlineOf(pieces);
  const asked = pieces.filter(({ question }) => question);
  if (title !== scenario.title)
    tell(1, `The title is that of the scenario, ${quote(scenario.title)}, not ${quote(title)}.`);
  if (steps.length === 0) tell(1, 'A lesson has steps; each begins with a heading "## ".');
  if (steps.length > MAX_STEPS)
    tell(
      steps[MAX_STEPS]?.line ?? 1,
      `A lesson has at most ${MAX_STEPS} steps, not ${steps.length}.`,
    );
  if (asked.length > MAX_QUESTIONS)
    tell(
      asked[MAX_QUESTIONS]?.line ?? 1,
      `A lesson asks at most ${MAX_QUESTIONS} questions, not ${asked.length}.`,
    );
  const first = steps[0]?.line ?? Infinity;
  for (const { objectives, line } of pieces)
    if (objectives.length > 0 && line > first)
      tell(line, 'Learning objectives ("% ") stand below the title, before the first step.');
  const ids = asked.map(({ question }) => question?.id ?? '');
  for (const [index, { line }] of asked.entries())
    if (ids.indexOf(ids[index] ?? '') < index)
      tell(line, `Two questions of the lesson have the id ${quote(ids[index] ?? '')}.`);
  for (const { title: name, line, blocks, questions } of steps) {
    if (blocks === 0) tell(line, `The step ${quote(name)} has nothing to read.`);
    if (questions > 1)
      tell(line, `The step ${quote(name)} asks ${questions} questions; only the last is shown.`);
  }
}

/** Front matter names the scenario that the lesson is checked with. */
function checkFront(text: string, { scenario, known, tell }: Checked): void {
  const { scenario: named, lines, wrong } = frontOf(text);
  if (wrong) tell(wrong.line, wrong.message);
  else if (lines > 0 && named === null) tell(1, 'Front matter names no scenario: "scenario: ID".');
  if (named === null || named === scenario.id) return;
  if (!known.includes(named)) tell(1, `There is no scenario ${quote(named)}${hint(named, known)}`);
  else if (scenario.id) tell(1, `The lesson belongs to ${named}, not to ${scenario.id}.`);
}

/** What is wrong with the target of a link; null if nothing. */
async function linkProblem(text: string, to: LinkTarget, checked: Checked): Promise<string | null> {
  const { machine, known, run } = checked;
  const names = machine.parts.map((part) => part.name);
  switch (to.kind) {
    case 'part':
      return partNamed(machine, to.value)
        ? null
        : `There is no part ${quote(to.value)}${hint(to.value, names)}`;
    case 'param':
      return paramProblem(text, to.value, machine);
    case 'scenario':
      return known.includes(to.value)
        ? null
        : `There is no scenario ${quote(to.value)}${hint(to.value, known)}`;
    case 'time': {
      const timePs = timeOf(to.value);
      if (timePs === null) return `${quote(to.value)} is not a time; write it as "15.2 us".`;
      const near = run.near(timePs);
      if (near.before !== timePs) return missed(to.value, near);
      const isTime = /^\d.*(ps|ns|us|µs|ms|s)$/u.test(text);
      return !isTime || isRounded(text, { value: timePs, dimension: 'ps' })
        ? null
        : `${quote(text)} is not ${to.value}, rounded.`;
    }
    case 'run':
      return eventProblem(to.value, checked) ?? (await numberProblem(text, to.value, checked));
    case 'source':
      return sourceProblem(text, to.value);
    case 'set':
      return settingProblem(to.value, checked.scenario);
    case 'nowhere':
      return `The link ${quote(text)} has no target: ${quote(to.value)} is not a part, param, time, scenario, set, run or source, nor an https address.`;
    case 'outside':
      return null;
  }
}

/** A time between two events begins and ends with one. */
function eventProblem(expression: string, { run }: Checked): string | null {
  for (const timePs of timesOfRun(expression)) {
    const near = run.near(timePs);
    if (near.before !== timePs) return missed(inMicroseconds(timePs), near);
  }
  return null;
}

/** A parameter shown as a number must have that value. */
function paramProblem(text: string, path: string, machine: CompiledMachine): string | null {
  const [name = ''] = path.split('.');
  const [part, param] = [partNamed(machine, name), paramAt(machine, path)];
  if (!part || !param) {
    const paths = machine.parts.flatMap(({ params }) => params.map((one) => one.path));
    return `There is no parameter ${quote(path)}${hint(path, paths)}`;
  }
  if (!/^\d/.test(text)) return null;
  const shown = editableParam(part, param);
  if (shown?.kind !== 'number') return `${path} is not a number, but is shown as ${quote(text)}.`;
  const right = `${shown.value.toFixed(shown.decimals)} ${shown.unit}`.trim();
  return text === right ? null : `${path} is ${right}; this says ${quote(text)}.`;
}

/** The texts of a piece that a reader reads one by one. */
function textsOf({
  block,
  task,
  question,
  note,
  objectives,
}: Piece): readonly (readonly Inline[])[] {
  const shown = block ?? note;
  if (shown?.kind === 'paragraph') return [shown.inlines];
  if (shown?.kind === 'list') return shown.items;
  if (shown) return [shown.head, ...shown.rows].flat();
  if (objectives.length > 0) return objectives;
  if (task) return [task.inlines, task.because];
  if (!question) return [];
  return [
    question.prompt,
    ...question.options.flatMap(({ inlines, hint }) => [inlines, hint]),
    question.because,
  ];
}

/** All prose of a piece, including its question. */
const proseOf = (piece: Piece): readonly Inline[] => textsOf(piece).flat();

function checkEnglish(piece: Piece, { tell }: Checked): void {
  for (const inlines of textsOf(piece))
    for (const { at, message } of stumblesIn(plainText(inlines)))
      tell(lineWith(piece, at), message);
}

/** The line of a piece that contains a text. */
function lineWith({ line, lines }: Piece, written: string): number {
  const at = lines.findIndex((one) => one.includes(written));
  return line + Math.max(0, at);
}

async function checkProse(piece: Piece, checked: Checked): Promise<void> {
  const bar = piece.lines.findIndex((line) => line.trimStart().startsWith('|'));
  if (bar >= 0 && piece.block?.kind !== 'table')
    checked.tell(
      piece.line + bar,
      'This is not a table: a table stands by itself, has a head, a line "|---|---|" below it, and rows with as many cells.',
    );
  for (const inline of proseOf(piece)) {
    if (inline.kind === 'link') {
      const found = await linkProblem(inline.text, inline.to, checked);
      if (found) checked.tell(lineWith(piece, `${inline.to.value})`), found);
    }
    const mark = /[{}*`#[\]]/.exec(inline.text);
    if (!mark) continue;
    const about = inline.text.slice(mark.index, mark.index + 12);
    checked.tell(
      lineWith(piece, about),
      `${quote(about)} is shown with its mark: nothing matches it.`,
    );
  }
}

/** Times in a lesson, from links and from positions of answers. */
function timesIn(piece: Piece): number[] {
  const targets = proseOf(piece).flatMap((inline) => (inline.kind === 'link' ? [inline.to] : []));
  const named = targets.flatMap(({ kind, value }) => (kind === 'time' ? [value] : []));
  const between = targets.flatMap(({ kind, value }) => (kind === 'run' ? timesOfRun(value) : []));
  const seen = piece.question?.seen?.time ?? [];
  const times = [...named, ...(typeof seen === 'string' ? [seen] : [])].flatMap(
    (text) => timeOf(text) ?? [],
  );
  times.push(...(piece.question?.measures ?? []).flatMap(({ interval }) => interval ?? []));
  return piece.scene ? [...times, ...between, piece.scene.timePs] : [...times, ...between];
}

/** The run that a question is asked about; null if it cannot be set up. */
async function askedIn(engine: Engine, piece: Piece, checked: Checked): Promise<Checked | null> {
  const set = piece.question?.set ?? null;
  if (set === null) return checked;
  const refused = settingProblem(set, checked.scenario);
  if (refused) checked.tell(lineWith(piece, '+ '), refused);
  const machine = machineWith(checked.scenario, [settingOf(set) ?? {}]);
  if (refused || !machine.ok) return null;
  const run = await lessonRun(engine, machine.value, timesIn(piece));
  return { ...checked, machine: machine.value, run };
}

/** If the settings in the lesson so far make another option right, the question must name its run. */
async function checkSettings(
  engine: Engine,
  { question, line }: Piece,
  before: ReadonlyMap<string, Assignment>,
  { scenario, machine, run, tell }: Checked,
): Promise<void> {
  if (!question || question.set !== null) return;
  const right = verdict(question, machine, run.counters);
  for (const [words, setting] of before) {
    const other = machineWith(scenario, [setting]);
    if (!other.ok) continue;
    const { counters } = await lessonRun(engine, other.value, []);
    if (verdict(question, other.value, counters) === right) continue;
    return tell(
      line,
      `The lesson has led to ${quote(words)} before, which makes another option right: say after "+" what is set in the run that is asked about, such as "+ ${words}".`,
    );
  }
}

/** Names of counters and metrics whose numbers a piece shows from the start. */
function boundIn(piece: Piece): string[] {
  const shown = piece.question ? piece.question.prompt : proseOf(piece);
  return shown.flatMap((inline) =>
    inline.kind === 'link' && inline.to.kind === 'run' ? openingNamesIn(inline.to.value) : [],
  );
}

/** A number that the lesson has shown before is no question about the same run. */
function checkToldBefore(piece: Piece, bound: ReadonlySet<string>, { tell }: Checked): void {
  const { question } = piece;
  if (!question || question.set !== null) return;
  const asked = question.options.flatMap(({ when }) =>
    when.map(({ part, counter }) => `${part}.${counter}`),
  );
  const known = [...bound, ...boundIn(piece)].find((name) => asked.includes(name));
  if (known) tell(piece.line, `The text has shown ${known} before the question about it.`);
}

/** A reader meets titles and the summary before the question. */
function checkToldByTitle(piece: Piece, met: readonly string[], asked: Checked): void {
  const { question } = piece;
  if (!question) return;
  const right = verdict(question, asked.machine, asked.run.counters);
  const revealed = right < 0 ? [] : revealedBy(met.join(' '), question, right);
  if (revealed.length === 0) return;
  asked.tell(
    piece.line,
    `The titles up to here and the scenario's summary tell the answer: ${revealed.map(quote).join(' and ')}.`,
  );
}

/** A duration needs a place, or the run could be played to the answer. */
function checkPlace(steps: readonly Step[], { question, line }: Piece, checked: Checked): void {
  const step = question && steps.find((one) => one.question?.id === question.id);
  if (!step || !isWithoutPlace(step, checked.machine)) return;
  checked.tell(
    line,
    'The question asks for a duration, and its step does not say where that begins, so the run can be played to the answer: add a scene to the step, such as "@ 1.2 us cpu", or an interval to a measure.',
  );
}

/** Runs the scenario and reports every problem of its lesson, by line. */
export async function checkLesson(
  engine: Engine,
  { text, file }: LessonText,
  context: LessonContext,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const tell: Tell = (line, message) =>
    problems.push({ file, pointer: '', line, column: 1, message });
  const pieces = piecesOf(text);
  const { title, steps } = parseLesson(text);
  const run = await lessonRun(engine, context.machine, pieces.flatMap(timesIn));
  const shown = new Set<string>();
  const runs = new Runs(engine, context.scenario);
  const checked = { ...context, run, runs, shown, tell };
  checkFront(text, checked);
  checkOutline(title, pieces, checked);
  const met = [title, context.scenario.summary];
  let settings: Assignment[] = [];
  const before = new Map<string, Assignment>();
  const ledTo = new LedTo();
  const bound = new Set<string>();
  let isAsked = false;
  for (const piece of pieces) {
    await context.pause?.();
    const asked = await askedIn(engine, piece, checked);
    await checkProse(piece, asked ?? checked);
    checkEnglish(piece, checked);
    checkScene(piece, checked);
    met.push(...piece.headings.map((heading) => heading.title));
    if (asked) checkToldByTitle(piece, met, asked);
    if (piece.question && asked) checkToldBefore(piece, bound, checked);
    for (const name of boundIn(piece)) bound.add(name);
    if (piece.scene) ledTo.show(piece.scene.timePs);
    checkPlace(steps, piece, checked);
    if (piece.headings.length > 0) isAsked = false;
    if (isAsked && (piece.block || piece.task))
      tell(
        piece.line,
        'The text of a step stands above its question: put what follows an answer into the line "=", or into the next step.',
      );
    isAsked ||= piece.question !== null;
    if (piece.question && asked) await ledTo.ask(piece.question, piece.line, asked);
    else ledTo.read(proseOf(piece));
    // Settings of a step count only for its own task, because a reader may start at any step.
    if (piece.headings.length > 0) settings = [];
    settings.push(...settingsIn(proseOf(piece)));
    await checkTask(engine, piece, settings, checked);
    if (piece.question && asked) {
      checkQuestion(piece.question, piece, asked);
      await checkSettings(engine, piece, before, asked);
    }
    for (const setting of settingsIn(proseOf(piece))) before.set(settingText(setting), setting);
    if (!piece.question) continue;
    for (const name of hiddenBy(piece.question)) shown.add(name);
  }
  return problems.sort((a, b) => a.line - b.line);
}
