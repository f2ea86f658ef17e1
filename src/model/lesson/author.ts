/**
 * Help for the author of a lesson: links to what the page shows, and names that may stand where the cursor is. What they
 * write passes the lesson's check.
 */
import type { CounterSpec } from '../../engine/manifest';
import type { CompiledMachine, CompiledParam, CompiledPart } from '../scenario/compiled';
import { editableParam } from '../scenario/editable-param';
import type { Scenario } from '../scenario/scenario-types';
import { settingText } from '../scenario/settings';
import { toText } from '../scenario/values';
import { inMicroseconds } from './check-context';
import { PANEL_NAMES } from './panel-names';

const link = (text: string, target: string): string => `[${text}](${target})`;

/** A link to a time of the run; the selected words become its text. */
export const momentLink = (timePs: number, selected: string): string =>
  link(selected || inMicroseconds(timePs).replace('us', 'µs'), `time:${inMicroseconds(timePs)}`);

export const partLink = ({ name, title }: CompiledPart, selected: string): string =>
  link(selected || title, `part:${name}`);

/** A link to a parameter. A number stands for itself, as the lesson's check demands. */
export function paramLink(part: CompiledPart, param: CompiledParam, selected: string): string {
  const shown = editableParam(part, param);
  const value =
    shown?.kind === 'number'
      ? `${shown.original.toFixed(shown.decimals)} ${shown.unit}`.trim()
      : '';
  return link(selected || value || param.spec.title, `param:${param.path}`);
}

/** A link that gives a parameter its present value. */
export function settingLink(part: CompiledPart, param: CompiledParam, selected: string): string {
  const value = toText(param.value, param.spec.type, part.type.enums);
  const words = `Set ${param.spec.title} to ${value}`;
  return link(selected || words, `set:${settingText({ [param.path]: value })}`);
}

/** The first line of a step's scene: the page shows this moment, and marks the part. */
export const sceneLine = (timePs: number, part: CompiledPart | null): string =>
  `@ ${inMicroseconds(timePs)}${part ? ` ${part.name}` : ''}`;

/** A lesson to begin with: three steps, whose words the author replaces. */
export const outline = (title: string): string =>
  [
    `# ${title}`,
    '## What there is',
    'Say what the reader sees. One idea in a sentence.',
    '## What happens',
    'Ask before you show: a question comes before its evidence.',
    '## What you can say now',
    '- Say what the reader has learned.',
    '',
  ].join('\n\n');

/** A counter that the run has left at `value`, which is 2 at least. */
export interface Counted {
  readonly part: CompiledPart;
  readonly counter: CounterSpec;
  readonly value: number;
}

/** The counters of the parts that count things and have counted several, in the order of the parts. */
export const countedIn = (
  parts: readonly CompiledPart[],
  counters: readonly (readonly number[])[],
): readonly Counted[] =>
  parts.flatMap((part) =>
    part.type.counters.flatMap((counter, at) => {
      const value = counters[part.index]?.[at] ?? 0;
      return value < 2 || counter.unit === 'ps' ? [] : [{ part, counter, value }];
    }),
  );

/** A question about a counter, which the run decides. Its words are the author's to improve. */
export function questionLines({ part, counter, value }: Counted): string {
  const [name, low, high] = [`${part.name}.${counter.name}`, Math.ceil(value / 2), 2 * value];
  return [
    `? [${counter.name}, in order] ${part.title}, ${counter.title}: how many ${counter.unit}?`,
    `- [few] Fewer than ${low} {${name} < ${low}}`,
    `- [some] ${low} to ${high} {${name} >= ${low} and ${name} <= ${high}}`,
    `- [many] More than ${high} {${name} > ${high}}`,
    `= There are [${value}](run:${name}). Say why.`,
  ].join('\n');
}

interface Suggestion {
  readonly label: string;
  /** What it is. */
  readonly detail: string;
}

export interface Suggestions {
  /** Where the word begins that a suggestion replaces. */
  readonly from: number;
  readonly options: readonly Suggestion[];
}

interface AuthorContext {
  readonly machine: CompiledMachine;
  readonly scenario: Scenario;
  /** Scenarios that links may lead to. */
  readonly known: readonly { readonly id: string; readonly title: string }[];
  /** Times that the author may mean: the playhead and bookmarks. */
  readonly times: readonly number[];
}

const KINDS: readonly Suggestion[] = [
  { label: 'time:', detail: 'a moment of the run' },
  { label: 'part:', detail: 'a part of the machine' },
  { label: 'param:', detail: 'a parameter' },
  { label: 'set:', detail: 'a setting that the reader makes' },
  { label: 'run:', detail: 'a number of the run: a counter or a metric' },
  { label: 'scenario:', detail: 'another scenario' },
];

const partsOf = ({ machine }: AuthorContext): Suggestion[] =>
  machine.parts.map(({ name, title }) => ({ label: name, detail: title }));

const paramsOf = ({ machine }: AuthorContext): Suggestion[] =>
  machine.parts.flatMap(({ title, params }) =>
    params.map(({ path, spec }) => ({ label: path, detail: `${title}: ${spec.title}` })),
  );

const countersOf = ({ machine }: AuthorContext): Suggestion[] =>
  machine.parts.flatMap(({ name, title, type }) =>
    type.counters.map((counter) => ({
      label: `${name}.${counter.name}`,
      detail: `${title}: ${counter.title}`,
    })),
  );

const metricsOf = ({ scenario }: AuthorContext): Suggestion[] =>
  [...scenario.metrics].map(([name, { title }]) => ({ label: name, detail: title }));

const variablesOf = ({ scenario }: AuthorContext): Suggestion[] =>
  [...scenario.variables.keys()].map((name) => ({ label: name, detail: 'a variable' }));

const timesOf = ({ times }: AuthorContext): Suggestion[] =>
  times.map((timePs, index) => ({
    label: inMicroseconds(timePs),
    detail: index === 0 ? 'this moment' : 'a bookmark',
  }));

function targetsOf(kind: string, context: AuthorContext): Suggestion[] {
  switch (kind) {
    case 'part':
      return partsOf(context);
    case 'param':
      return paramsOf(context);
    case 'set':
      return [...variablesOf(context), ...paramsOf(context)].map((one) => ({
        ...one,
        label: `${one.label}=`,
      }));
    case 'run':
      return [...metricsOf(context), ...countersOf(context)];
    case 'scenario':
      return context.known.map(({ id, title }) => ({ label: id, detail: title }));
    default:
      return timesOf(context);
  }
}

const PLACES: readonly (readonly [
  where: RegExp,
  what: (match: RegExpExecArray, context: AuthorContext) => readonly Suggestion[],
])[] = [
  [/\]\((part|param|time|scenario|set|run):([^)]*)$/, ([, kind = ''], all) => targetsOf(kind, all)],
  [/\]\(([a-z]*)$/, () => KINDS],
  // A condition of an option, or of a task.
  [/^[-!] .*\{(?:[^}]* and )?([\w.-]*)$/, (_, all) => countersOf(all)],
  [/^~ (?:.*, *)?([\w.-]*)$/, (_, all) => [...metricsOf(all), ...countersOf(all)]],
  [/^@ .* panel ([\w-]*)$/, () => PANEL_NAMES.map((label) => ({ label, detail: 'a panel' }))],
  [/^@ [\d.]+ [a-zµ]+ (?:[\w-]+ )*([\w-]*)$/u, (_, all) => partsOf(all)],
  [/^@ ([\d.]*)$/, (_, all) => timesOf(all)],
];

/** What may stand at the end of a line's beginning; null if anything may. */
export function suggestionsAt(before: string, context: AuthorContext): Suggestions | null {
  for (const [where, what] of PLACES) {
    const match = where.exec(before);
    if (!match) continue;
    const word = match.at(-1) ?? '';
    return { from: before.length - word.length, options: what(match, context) };
  }
  return null;
}
