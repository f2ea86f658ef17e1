/**
 * Lessons: a subset of Markdown, parsed into plain data. Steps start at second-level headings. A block
 * that starts with "?" is a question. Each option has the condition under which it is right:
 *
 *     ? [first] Which ends first?
 *     - [pio] PIO {cpu.lap_time < 10 us}
 *     - [dma] DMA {cpu.lap_time >= 10 us}
 *     > The engine is fast, but the call has to be prepared. What does that take?
 *     + bytes=512
 *     ~ cpu.lap_busy, time
 *     @ cpu 12.6 us
 *     * cpu.lap_time 0 us..12.6 us the DMA call
 *     = The DMA pays 8.1 us around its data.
 *
 * The words in brackets are ids, under which answers are stored, so that the text of a question can be edited.
 * Without an id the text itself is used. Options are shuffled for each reader, unless the question says that they
 * lie on a scale: "? [first, in order]".
 *
 * A block that starts with "!" is a task: a condition that the reader must make true with links that set
 * something, and after "=" a text that is shown then:
 *
 *     ! [Set *flush* to on](set:flush=true) and see that nothing is old. {adapter.stale_reads = 0}
 *     = Four flushes, and the disk has the newest.
 *
 * A line with ">" below an option is for a reader who has chosen it and was not right: a sentence about the belief
 * behind it. With such lines a question can be answered twice.
 *
 * A value may be a multiple of another counter: "{cpu.lap_time_1 > 10 cpu.lap_time}".
 *
 * The scenario’s initial run decides a question; "+" adds settings, in the form of links.
 * While a question is open, the page hides the counters in its options, everything derived from them, and the names
 * the line with "~" adds. "@" says where the answer is seen, when it is not where those counters change.
 * A line with "*" is a measure that the answer shows, as counted where the answer is seen: a counter or metric, the
 * interval that the lanes bracket, and its name. Without one, the answer shows the counters in its options.
 *
 * A number of a run is bound to its counter or metric, so that it is checked: "[63 ns](run:cpu.lap_time)",
 * "[97 us](run:call with poll=0 B)". A number from elsewhere names its source: "[13.3 us](source:gt.dma_write.512)".
 *
 * A line by itself that begins with "@" says what the page shows when its step is entered: a time, parts to mark, an
 * interval of the lanes, and a panel.
 *
 *     @ 1063.2 ns cpu bus zoom 0 us..2.5 us panel why
 *
 * For the lecturer, and for paper: lines with "%" below the title are learning objectives, a block of lines with ">"
 * is a note on its step. The page shows both on the worksheet only.
 *
 *     % say why a load from a device costs more than a store
 *
 *     > Ask for a show of hands before the loads play.
 *
 * Lessons never produce HTML: unknown syntax is shown as text.
 */
import { frontOf } from '../scenario/lesson-front';
import { type Measure, measureOf } from './measure';
import { type Scene, sceneOf } from './scene';

export type Inline =
  | { readonly kind: 'text' | 'strong' | 'emphasis' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly to: LinkTarget };

export type LinkTarget =
  | {
      readonly kind: 'part' | 'param' | 'time' | 'scenario' | 'set' | 'run' | 'source' | 'outside';
      readonly value: string;
    }
  | { readonly kind: 'nowhere'; readonly value: string };

/** A block of prose with inline elements of type I. */
export type BlockOf<I> =
  | { readonly kind: 'paragraph'; readonly inlines: readonly I[] }
  | {
      readonly kind: 'list';
      readonly ordered: boolean;
      readonly items: readonly (readonly I[])[];
    }
  | { readonly kind: 'table'; readonly head: Cells<I>; readonly rows: readonly Cells<I>[] };

/** The cells of one row of a table. */
type Cells<I> = readonly (readonly I[])[];

export type Block = BlockOf<Inline>;

/** "cpu.lap_time < 10 us" */
export interface Condition {
  readonly part: string;
  readonly counter: string;
  readonly operator: '<' | '<=' | '>' | '>=' | '=';
  readonly value: string;
}

export interface Option {
  readonly inlines: readonly Inline[];
  readonly when: readonly Condition[];
}

/** A part and a time in text form: "cpu 12.6 us". */
interface Sight {
  readonly part: string;
  readonly time: string;
}

/** An option of a question. */
interface Choice extends Option {
  /** Id in stored answers; the option's text if the lesson has no id. */
  readonly id: string;
  /** For a reader who has chosen it and was not right: about the belief behind it. */
  readonly hint: readonly Inline[];
}

export interface Question {
  /** Id in stored answers; the question's text if the lesson has no id. */
  readonly id: string;
  readonly prompt: readonly Inline[];
  readonly options: readonly Choice[];
  /** Whether the options lie on a scale, and are shown in the lesson's order. */
  readonly isOrdered: boolean;
  /** Settings for the run that decides it: "bytes=512"; null for the initial run. */
  readonly set: string | null;
  /** Additional items that would reveal the answer: counters and views as "part.name", metrics by name. */
  readonly hides: readonly string[];
  /** Where the answer can be seen, if the lesson specifies it. */
  readonly seen: Sight | null;
  /** What the answer shows; none: the counters in its options. */
  readonly measures: readonly Measure[];
  /** Text shown after the answer. */
  readonly because: readonly Inline[];
}

/** Something to do, and the condition at the end of the run once it is done. */
export interface Task extends Option {
  /** Text shown then. */
  readonly because: readonly Inline[];
}

export interface Step {
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly task: Task | null;
  readonly question: Question | null;
  /** Notes for the lecturer. */
  readonly notes: readonly Block[];
  /** What the page shows when the step is entered. */
  readonly scene: Scene | null;
}

export interface Lesson {
  readonly title: string;
  /** What a reader can do afterwards; each completes "You can". */
  readonly objectives: readonly (readonly Inline[])[];
  readonly steps: readonly Step[];
}

const LINK_KINDS = /^(part|param|time|scenario|set|run|source):(.+)$/;

function targetOf(address: string): LinkTarget {
  const own = LINK_KINDS.exec(address);
  if (own) return { kind: own[1] as 'part', value: (own[2] as string).trim() };
  if (/^https:\/\/\S+$/.test(address)) return { kind: 'outside', value: address };
  return { kind: 'nowhere', value: address };
}

/** Finds the next marks of a text. Positions only increase, so each mark is searched once. */
class Marks {
  readonly #text: string;
  readonly #found = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The first position of a mark at or after `from`; -1 if there is none. */
  next(mark: string, from: number): number {
    const known = this.#found.get(mark);
    if (known === -1 || (known !== undefined && known >= from)) return known;
    const at = this.#text.indexOf(mark, from);
    this.#found.set(mark, at);
    return at;
  }
}

/** The inline element at `at` and its end; null if the mark has no meaning there. */
function spanAt(text: string, at: number, marks: Marks): { inline: Inline; end: number } | null {
  const between = (kind: 'strong' | 'emphasis' | 'code', mark: string) => {
    const from = at + mark.length;
    const close = text.startsWith(mark, at) ? marks.next(mark, from + 1) : -1;
    return close < 0
      ? null
      : { inline: { kind, text: text.slice(from, close) }, end: close + mark.length };
  };
  if (text[at] === '`') return between('code', '`');
  if (text[at] === '*') return between('strong', '**') ?? between('emphasis', '*');
  const close = marks.next(']', at + 1);
  const end = close < at + 2 || text[close + 1] !== '(' ? -1 : marks.next(')', close + 2);
  if (end < close + 3) return null;
  const to = targetOf(text.slice(close + 2, end));
  return { inline: { kind: 'link', text: text.slice(at + 1, close), to }, end: end + 1 };
}

const MARK = /[*`[]/g;

/** Emphasis, code and links of one line of prose. */
export function inlinesOf(text: string): Inline[] {
  const marks = new Marks(text);
  const found: Inline[] = [];
  let from = 0;
  let end = 0;
  for (const { index } of text.matchAll(MARK)) {
    const span = index < end ? null : spanAt(text, index, marks);
    if (!span) continue;
    if (index > from) found.push({ kind: 'text', text: text.slice(from, index) });
    found.push(span.inline);
    from = end = span.end;
  }
  if (from < text.length) found.push({ kind: 'text', text: text.slice(from) });
  return found;
}

const CONDITION = /^([\w-]+)\.([\w-]+)\s*(<=|>=|<|>|=)\s*(.+)$/;

function conditionsOf(text: string): Condition[] | null {
  const parts = text.replaceAll(/\s+/g, ' ').trim().split(' and ');
  const all = parts.map((part) => CONDITION.exec(part));
  if (all.some((match) => match === null)) return null;
  return all.map((match) => {
    const [, part = '', counter = '', operator = '=', value = ''] = match ?? [];
    return { part, counter, operator: operator as Condition['operator'], value };
  });
}

/** "PIO {cpu.lap_time < 10 us}": the braces at the end contain the option's condition. */
function optionOf(line: string): Option {
  const text = line.trimEnd();
  const last = text.length - 1;
  const open = text.indexOf('{', text.lastIndexOf('}', last - 1) + 1);
  const when = text.endsWith('}') && open >= 0 ? conditionsOf(text.slice(open + 1, last)) : null;
  return when
    ? { inlines: inlinesOf(text.slice(0, open).trimEnd()), when }
    : { inlines: inlinesOf(line), when: [] };
}

/** Lines that start with a mark and a space, without them. */
const marked = (lines: readonly string[], mark: string): string[] =>
  lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2));

function sightOf(line = ''): Sight | null {
  const [part = '', ...time] = line.trim().split(' ');
  return part && time.length > 0 ? { part, time: time.join(' ').trim() } : null;
}

const IN_ORDER = /^(\[[\w-]+), in order\]\s+/;
const ID = /^\[([\w-]+)\]\s+/;

/** A line and its leading id, if it has one. */
function withoutId(line: string): { readonly id: string | null; readonly text: string } {
  const [mark = '', id = null] = ID.exec(line) ?? [];
  return { id, text: line.slice(mark.length) };
}

function choiceOf([line = '', ...below]: readonly string[]): Choice {
  const { id, text } = withoutId(line.slice(2));
  const option = optionOf(text);
  const hint = inlinesOf(marked(below, '>').join(' '));
  return { id: id ?? plainText(option.inlines), ...option, hint };
}

/** The lines of each option: its own, and those below it up to the next. */
function choicesIn(lines: readonly string[]): string[][] {
  const choices: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('- ')) choices.push([line]);
    else choices.at(-1)?.push(line);
  }
  return choices;
}

function questionOf(lines: readonly string[]): Question {
  const prose = lines.filter((line) => !/^[-+~@=>*] /.test(line)).join(' ');
  const asked = prose.replace(/^\?\s*/, '');
  const { id, text } = withoutId(asked.replace(IN_ORDER, '$1] '));
  const prompt = inlinesOf(text);
  return {
    id: id ?? plainText(prompt),
    prompt,
    options: choicesIn(lines).map(choiceOf),
    isOrdered: IN_ORDER.test(asked),
    set: marked(lines, '+')[0]?.trim() ?? null,
    hides: marked(lines, '~')
      .flatMap((line) => line.split(',').map((name) => name.trim()))
      .filter(Boolean),
    seen: sightOf(marked(lines, '@')[0]),
    measures: lines.flatMap((line) => measureOf(line) ?? []),
    because: inlinesOf(marked(lines, '=').join(' ')),
  };
}

function taskOf(lines: readonly string[]): Task {
  const says = lines.filter((line) => !line.startsWith('= ')).join(' ');
  const because = inlinesOf(marked(lines, '=').join(' '));
  return { ...optionOf(says.replace(/^!\s*/, '')), because };
}

const BULLET = /^- /;
const NUMBER = /^\d+\.\s+/;

/** Items of a list; a line without a mark continues the previous item. */
function itemsOf(lines: readonly string[], mark: RegExp): (readonly Inline[])[] {
  const items: string[][] = [];
  for (const line of lines) {
    if (mark.test(line)) items.push([line.replace(mark, '')]);
    else items.at(-1)?.push(line.trim());
  }
  return items.map((item) => inlinesOf(item.join(' ').trim()));
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split('|')
    .map((cell) => cell.trim());

const RULE = /^\|(\s*:?-+:?\s*\|)+\s*$/;

/**
 * A table: "| packet | alone |", a rule "|---|---|" below it, and rows with as many cells; null for anything else.
 */
function tableOf([first = '', rule = '', ...lines]: readonly string[]): Block | null {
  const isRow = (line: string): boolean => /^\|.*\|\s*$/.test(line);
  if (!isRow(first) || !RULE.test(rule) || lines.length === 0 || !lines.every(isRow)) return null;
  const [head, ...rows] = [first, ...lines].map((line) => cellsOf(line).map(inlinesOf));
  const columns = cellsOf(rule).length;
  if (!head || [head, ...rows].some((row) => row.length !== columns)) return null;
  return { kind: 'table', head, rows };
}

function blockOf(lines: readonly string[]): Block {
  const [first = ''] = lines;
  const table = tableOf(lines);
  if (table) return table;
  if (BULLET.test(first)) return { kind: 'list', ordered: false, items: itemsOf(lines, BULLET) };
  if (NUMBER.test(first)) return { kind: 'list', ordered: true, items: itemsOf(lines, NUMBER) };
  return { kind: 'paragraph', inlines: inlinesOf(lines.join(' ')) };
}

interface Draft {
  title: string;
  blocks: Block[];
  task: Task | null;
  question: Question | null;
  notes: Block[];
  scene: Scene | null;
}

/** Consecutive lines, and the block that they form. */
export interface Piece {
  /** Headings before it, and its first line, from 1. */
  readonly headings: readonly { readonly level: number; readonly title: string; line: number }[];
  readonly line: number;
  readonly lines: readonly string[];
  readonly block: Block | null;
  readonly task: Task | null;
  readonly question: Question | null;
  readonly note: Block | null;
  /** Whether it is the line of a scene, and what it shows; null if it cannot be read. */
  readonly isScene: boolean;
  readonly scene: Scene | null;
  readonly objectives: readonly (readonly Inline[])[];
}

const OBJECTIVE = /^% /;

const HEADING = /^(#+)\s*(.*)$/;

function pieceOf(all: readonly string[], from: number): Piece {
  const matches = all.map((line) => HEADING.exec(line));
  const first = matches.indexOf(null);
  const count = first < 0 ? all.length : first;
  const headings = matches.slice(0, count).map((match, index) => {
    const [, marks = '', title = ''] = match ?? [];
    return { level: marks.length, title, line: from + index };
  });
  const lines = all.slice(count);
  const isQuestion = lines[0]?.startsWith('?') ?? false;
  const isTask = lines[0]?.startsWith('! ') ?? false;
  const isNote = lines[0]?.startsWith('> ') ?? false;
  const isAim = OBJECTIVE.test(lines[0] ?? '');
  const isScene = lines[0]?.startsWith('@ ') ?? false;
  const isProse = lines.length > 0 && !isScene && !isQuestion && !isTask && !isNote && !isAim;
  return {
    headings,
    line: from + count,
    lines,
    block: isProse ? blockOf(lines) : null,
    task: isTask ? taskOf(lines) : null,
    question: isQuestion ? questionOf(lines) : null,
    note: isNote ? blockOf(lines.map((line) => line.replace(/^> ?/, ''))) : null,
    isScene,
    scene: isScene && lines.length === 1 ? sceneOf(lines[0] ?? '') : null,
    objectives: isAim ? itemsOf(lines, OBJECTIVE) : [],
  };
}

/** The pieces of a lesson after its front matter, separated by empty lines. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  const front = frontOf(text).lines;
  let lines: string[] = [];
  for (const [index, line] of [...text.split(/\r?\n/), ''].entries()) {
    if (index < front) continue;
    if (line.trim() !== '') lines.push(line);
    else if (lines.length > 0) {
      pieces.push(pieceOf(lines, index + 1 - lines.length));
      lines = [];
    }
  }
  return pieces;
}

export function parseLesson(text: string): Lesson {
  let title = '';
  const steps: Draft[] = [];
  const aims: (readonly Inline[])[] = [];
  const begin = (name: string): void => {
    steps.push({ title: name, blocks: [], task: null, question: null, notes: [], scene: null });
  };
  const step = (): Draft => {
    if (steps.length === 0) begin('');
    return steps.at(-1) as Draft;
  };
  for (const { headings, block, task, question, note, scene, objectives } of piecesOf(text)) {
    for (const heading of headings)
      if (heading.level === 1) title = heading.title;
      else begin(heading.title);
    if (task) step().task = task;
    if (question) step().question = question;
    if (block) step().blocks.push(block);
    if (note) step().notes.push(note);
    if (scene) step().scene = scene;
    aims.push(...objectives);
  }
  return { title, objectives: aims, steps };
}

export function inlinesIn(block: Block): readonly Inline[] {
  switch (block.kind) {
    case 'paragraph':
      return block.inlines;
    case 'list':
      return block.items.flat();
    case 'table':
      return [block.head, ...block.rows].flat(2);
  }
}

/** A copy of a block with its prose replaced, from top to bottom. */
export function reworded<I, J>(
  block: BlockOf<I>,
  words: (some: readonly I[]) => readonly J[],
): BlockOf<J> {
  switch (block.kind) {
    case 'paragraph':
      return { ...block, inlines: words(block.inlines) };
    case 'list':
      return { ...block, items: block.items.map(words) };
    case 'table': {
      const [head = [], ...rows] = [block.head, ...block.rows].map((cells) => cells.map(words));
      return { ...block, head, rows };
    }
  }
}

/** Items that a question hides while it is open: counters and views as "part.name", metrics by name. */
export const hiddenBy = ({ options, hides }: Question): ReadonlySet<string> =>
  new Set([
    ...options.flatMap(({ when }) => when.map(({ part, counter }) => `${part}.${counter}`)),
    ...hides,
  ]);

/** The text of inline elements, without formatting. */
export const plainText = (inlines: readonly Inline[]): string =>
  inlines.map((inline) => inline.text).join('');
