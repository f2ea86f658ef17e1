/** Checks questions of a lesson: errors, and hints that reveal the answer. */

import { hint, quote } from '../../base/suggest';
import { type CompiledMachine, partNamed } from '../scenario/compiled';
import { type Metric, termsOf } from '../scenario/scenario-types';
import { type Checked, inMicroseconds, missed, type Tell } from './check-context';
import { conditionAt, isConfirmed } from './evidence';
import {
  type Condition,
  hiddenBy,
  type Option,
  type Piece,
  plainText,
  type Question,
} from './lesson';
import { measureOf } from './measure';
import { quantityOf } from './quantity-of';
import { timeOf } from './time-of';

type QuestionLines = Pick<Piece, 'line' | 'lines'>;

/** The lines of a question that start with a mark. */
const linesWith = ({ line, lines }: QuestionLines, mark: string): number[] =>
  lines.flatMap((text, index) => (text.startsWith(`${mark} `) ? [line + index] : []));

/** What is wrong with a condition; null if it can be evaluated. */
export function conditionProblem({ part, counter, value }: Condition, machine: CompiledMachine) {
  const found = partNamed(machine, part);
  const parts = machine.parts.map(({ name }) => name);
  if (!found) return `There is no part ${quote(part)}${hint(part, parts)}`;
  const counters: readonly string[] = found.type.counters.map(({ name }) => name);
  if (!counters.includes(counter))
    return `${part} has no counter ${quote(counter)}${hint(counter, counters)}`;
  const limit = conditionAt(machine, { part, counter, operator: '=', value })?.limitIn([]);
  if (Number.isFinite(limit)) return null;
  return `${part}.${counter} cannot be compared with ${quote(value)}: write a number with the unit of the counter, or a multiple of a counter of that unit.`;
}

function checkOption({ inlines, when }: Option, line: number, { machine, tell }: Checked): void {
  if (when.length === 0)
    tell(
      line,
      `The option ${quote(plainText(inlines))} has no condition, such as {cpu.lap_time < 10 us}.`,
    );
  for (const condition of when) {
    const found = conditionProblem(condition, machine);
    if (found) tell(line, found);
  }
}

/** If one option has a hint, all have one but the right option. */
function checkHints({ options }: Question, right: Option, line: number, tell: Tell): void {
  if (options.every(({ hint }) => hint.length === 0)) return;
  for (const option of options) {
    const words = quote(plainText(option.inlines));
    if (option === right && option.hint.length > 0)
      tell(line, `The option ${words} is right: nobody sees its line ">".`);
    if (option !== right && option.hint.length === 0)
      tell(line, `The option ${words} has no line ">", as others of the question have.`);
  }
}

/** Exactly one option must be right at the end of the run. */
function checkVerdict(question: Question, line: number, checked: Checked): void {
  const { machine, run, tell } = checked;
  const right = question.options.filter((option) => isConfirmed(option, machine, run.counters));
  const [one, another] = right;
  if (one && !another) {
    checkHints(question, one, line, tell);
    checked.onDecided?.({ question, right: question.options.indexOf(one) });
    return;
  }
  const counted = question.options
    .flatMap(({ when }) => when)
    .flatMap((condition) => {
      const at = conditionAt(machine, condition)?.place ?? -1;
      const value = run.counters[at];
      return value === undefined ? [] : `${condition.part}.${condition.counter} is ${value}`;
    });
  const which =
    right.length === 0
      ? 'none of the options'
      : `${right.length} options (${right.map(({ inlines }) => quote(plainText(inlines))).join(', ')})`;
  const results = [...new Set(counted)].join(', ');
  tell(line, `The run makes ${which} right, not one${results ? `: at its end ${results}.` : '.'}`);
}

/** Names after "~" are counters, views or metrics; "@" names an event. */
function checkMarks(question: Question, asked: QuestionLines, checked: Checked): void {
  const { machine, scenario, run, tell } = checked;
  const [maskLine = asked.line] = linesWith(asked, '~');
  for (const name of question.hides) {
    const [part = '', what] = name.split('.');
    const { type } = partNamed(machine, part) ?? {};
    const own = [...(type?.counters ?? []), ...(type?.views ?? [])].map((one) => one.name);
    const known = what === undefined ? [...scenario.metrics.keys()] : own;
    if (!known.includes(what ?? part))
      tell(maskLine, `${quote(name)} names no counter, view or metric${hint(what ?? part, known)}`);
  }
  const [at = asked.line] = linesWith(asked, '@');
  const { seen } = question;
  if (!seen) {
    if (linesWith(asked, '@').length > 0)
      tell(at, 'After "@" come a part and a time: "cpu 15.2 us".');
    return;
  }
  const timePs = timeOf(seen.time);
  if (!partNamed(machine, seen.part)) {
    const parts = machine.parts.map(({ name }) => name);
    tell(at, `There is no part ${quote(seen.part)}${hint(seen.part, parts)}`);
  }
  if (timePs === null) tell(at, `${quote(seen.time)} is not a time; write it as "15.2 us".`);
  else if (run.near(timePs).before !== timePs) tell(at, missed(seen.time, run.near(timePs)));
}

/** Largest difference between an interval and the time that it measures, as a share. */
const HARDLY = 0.005;

/** Measures name a quantity of the run; an interval of the lanes is as long as the time that it measures. */
function checkMeasures(asked: QuestionLines, { machine, run, scenario, tell }: Checked): void {
  for (const at of linesWith(asked, '*')) {
    const words = asked.lines[at - asked.line] ?? '';
    const measure = measureOf(words);
    if (!measure) {
      tell(
        at,
        `${quote(words)} is no measure; write a counter or metric, an interval and a name: "* cpu.lap_time 0 us..63.2 ns four stores".`,
      );
      continue;
    }
    const found = quantityOf(measure.name, { machine, scenario, counters: run.counters });
    if (typeof found === 'string') tell(at, found);
    const [from, to] = measure.interval ?? [0, 0];
    if (!measure.interval || typeof found === 'string') continue;
    for (const end of [from, to])
      if (run.near(end).before !== end) tell(at, missed(inMicroseconds(end), run.near(end)));
    if (found.unit === 'ps' && Math.abs(to - from - found.value) > HARDLY * found.value)
      tell(
        at,
        `${measure.name} is ${inMicroseconds(found.value)}, and the interval is ${inMicroseconds(to - from)} long.`,
      );
  }
}

/** Counters that are always equal with values from this on are probably related. */
const NO_ACCIDENT = 2;

/**
 * Counters that are not hidden and always equal one that is asked about. Those of earlier questions are known
 * already.
 */
function checkAnswerMask(
  question: Question,
  line: number,
  { machine, run, shown, tell }: Checked,
): void {
  const names = machine.parts.flatMap(({ name, type }) =>
    type.counters.map((counter) => `${name}.${counter.name}`),
  );
  const asked = new Set(
    question.options.flatMap(({ when }) => when.map((one) => `${one.part}.${one.counter}`)),
  );
  const masked = new Set([...hiddenBy(question), ...shown]);
  for (const one of asked) {
    const at = names.indexOf(one);
    if (at < 0 || (run.counters[at] ?? 0) < NO_ACCIDENT) continue;
    const same = names.filter(
      (name, index) =>
        !masked.has(name) && run.samples.every((sample) => sample[index] === sample[at]),
    );
    if (same.length > 0)
      tell(
        line,
        `${same.join(' and ')} ${same.length === 1 ? 'counts' : 'count'} the same as ${one}: name ${same.length === 1 ? 'it' : 'them'} after "~", so that the answer is covered.`,
      );
  }
}

/** A counter or metric by its name alone: neither another run nor arithmetic. */
const PLAIN = /^[\w-]+(?:\.[\w-]+)?$/;

/** Longest text before the number that an answer begins with. */
const BEFORE_NUMBER = 12;

/** The quantity that an answer begins with, such as "It takes [8.34 us](run:cpu.lap_time)"; null if with none. */
function leadingQuantity({ because }: Question): string | null {
  const at = because.findIndex(({ kind }) => kind === 'link');
  const link = because[at];
  if (link?.kind !== 'link' || link.to.kind !== 'run' || !PLAIN.test(link.to.value)) return null;
  const before = plainText(because.slice(0, at));
  return before.length <= BEFORE_NUMBER && !/\d/.test(before) ? link.to.value : null;
}

/** Whether a metric is made from this counter and no other. */
function isMadeFrom(metric: Metric, named: string, machine: CompiledMachine): boolean {
  const [part = '', counter] = named.split('.');
  const [term, other] = termsOf(metric).filter(({ kind }) => kind === 'counter');
  const { index, type } = partNamed(machine, part) ?? {};
  return (
    !other &&
    term?.kind === 'counter' &&
    term.part === index &&
    type?.counters[term.counter]?.name === counter
  );
}

/** The number that an answer begins with is among those that its verdict shows. */
function checkAnswerNumber(question: Question, line: number, checked: Checked): void {
  const { machine, scenario, tell } = checked;
  const name = leadingQuantity(question);
  if (name === null) return;
  const asked = question.options.flatMap(({ when }) =>
    when.map(({ part, counter }) => `${part}.${counter}`),
  );
  const measures = question.measures.map((measure) => measure.name);
  const shown = (measures.length > 0 ? measures : asked).flatMap((one) => [
    one,
    ...[...scenario.metrics.values()]
      .filter((metric) => isMadeFrom(metric, one, machine))
      .map((metric) => metric.name),
  ]);
  if (!shown.includes(name))
    tell(
      line,
      `The answer begins with ${name}, and other numbers stand above it: add "* ${name}".`,
    );
}

/** Reports what is wrong with a question. */
export function checkQuestion(question: Question, asked: QuestionLines, checked: Checked): void {
  const { tell }: { tell: Tell } = checked;
  const lines = linesWith(asked, '-');
  const before = question.options.length;
  if (before < 3)
    tell(
      asked.line,
      'A question has at least three options, each in a line that begins with "- ".',
    );
  const ids = question.options.map(({ id }) => id);
  for (const [index, id] of ids.entries())
    if (ids.indexOf(id) < index)
      tell(lines[index] ?? asked.line, `Two options of the question have the id ${quote(id)}.`);
  let isReadable = before > 0;
  const noting: Tell = (line, message) => {
    isReadable = false;
    tell(line, message);
  };
  for (const [index, option] of question.options.entries())
    checkOption(option, lines[index] ?? asked.line, { ...checked, tell: noting });
  if (isReadable) checkVerdict(question, asked.line, checked);
  checkMarks(question, asked, checked);
  checkMeasures(asked, checked);
  checkAnswerNumber(question, asked.line, checked);
  if (isReadable) checkAnswerMask(question, asked.line, checked);
  if (plainText(question.because) === '')
    tell(asked.line, 'A question ends with a line "= " that is shown after the answer.');
}
