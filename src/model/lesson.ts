/**
 * Lessons: a small part of Markdown, read into plain data. Steps begin at second-level headings; a block
 * that begins with "?" is a question whose options name what the run must show for them to be right:
 *
 *     ? Which ends first?
 *     - PIO {cpu.lap_time < 10 us}
 *     - DMA {cpu.lap_time >= 10 us}
 *     = The DMA pays 8.1 us around its data.
 *
 * Nothing in a lesson becomes markup: what is not understood is shown as the text it is.
 */
export type Inline =
  | { readonly kind: 'text' | 'strong' | 'emphasis' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly to: LinkTarget };

export type LinkTarget =
  | { readonly kind: 'part' | 'param' | 'time' | 'scenario' | 'outside'; readonly value: string }
  | { readonly kind: 'nowhere'; readonly value: string };

export type Block =
  | { readonly kind: 'paragraph'; readonly inlines: readonly Inline[] }
  | {
      readonly kind: 'list';
      readonly ordered: boolean;
      readonly items: readonly (readonly Inline[])[];
    };

/** "cpu.lap_time < 10 us" */
export interface Condition {
  readonly part: string;
  readonly counter: string;
  readonly operator: '<' | '<=' | '>' | '>=' | '=';
  readonly value: string;
}

export interface Question {
  readonly prompt: readonly Inline[];
  readonly options: readonly {
    readonly inlines: readonly Inline[];
    readonly when: readonly Condition[];
  }[];
  /** Said after the answer. */
  readonly because: readonly Inline[];
}

export interface Step {
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly question: Question | null;
}

export interface Lesson {
  readonly title: string;
  readonly steps: readonly Step[];
}

const LINK_KINDS = /^(part|param|time|scenario):(.+)$/;

function targetOf(address: string): LinkTarget {
  const own = LINK_KINDS.exec(address);
  if (own) return { kind: own[1] as 'part', value: (own[2] as string).trim() };
  if (/^https:\/\/\S+$/.test(address)) return { kind: 'outside', value: address };
  return { kind: 'nowhere', value: address };
}

const SPANS = /\*\*(.+?)\*\*|\*(.+?)\*|`(.+?)`|\[([^\]]+)\]\(([^)]+)\)/g;

/** Emphasis, code and links of one line of prose. */
export function inlinesOf(text: string): Inline[] {
  const found: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(SPANS)) {
    if (match.index > from) found.push({ kind: 'text', text: text.slice(from, match.index) });
    const [whole, strong, emphasis, code, label, address] = match;
    if (strong !== undefined) found.push({ kind: 'strong', text: strong });
    else if (emphasis !== undefined) found.push({ kind: 'emphasis', text: emphasis });
    else if (code !== undefined) found.push({ kind: 'code', text: code });
    else found.push({ kind: 'link', text: label ?? '', to: targetOf(address ?? '') });
    from = match.index + whole.length;
  }
  if (from < text.length) found.push({ kind: 'text', text: text.slice(from) });
  return found;
}

const CONDITION = /^\s*([\w-]+)\.([\w-]+)\s*(<=|>=|<|>|=)\s*(.+?)\s*$/;

function conditionsOf(text: string): Condition[] | null {
  const all = text.split(/\s+and\s+/).map((part) => CONDITION.exec(part));
  if (all.some((match) => match === null)) return null;
  return all.map((match) => {
    const [, part = '', counter = '', operator = '=', value = ''] = match ?? [];
    return { part, counter, operator: operator as Condition['operator'], value };
  });
}

function optionOf(line: string): Question['options'][number] {
  const match = /^(.*?)\s*\{([^}]*)\}\s*$/.exec(line);
  const when = match ? conditionsOf(match[2] as string) : null;
  return when
    ? { inlines: inlinesOf(match?.[1] as string), when }
    : { inlines: inlinesOf(line), when: [] };
}

function questionOf(lines: readonly string[]): Question {
  const isOption = (line: string) => /^- /.test(line);
  const isReason = (line: string) => /^= /.test(line);
  const prompt = lines.filter((line) => !isOption(line) && !isReason(line)).join(' ');
  return {
    prompt: inlinesOf(prompt.replace(/^\?\s*/, '')),
    options: lines.filter(isOption).map((line) => optionOf(line.slice(2))),
    because: inlinesOf(
      lines
        .filter(isReason)
        .map((line) => line.slice(2))
        .join(' '),
    ),
  };
}

const BULLET = /^- /;
const NUMBER = /^\d+\.\s+/;

/** Items of a list; a line that begins none belongs to the item above it. */
function itemsOf(lines: readonly string[], mark: RegExp): (readonly Inline[])[] {
  const items: string[] = [];
  for (const line of lines) {
    if (mark.test(line)) items.push(line.replace(mark, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`.trim());
  }
  return items.map(inlinesOf);
}

function blockOf(lines: readonly string[]): Block {
  const [first = ''] = lines;
  if (BULLET.test(first)) return { kind: 'list', ordered: false, items: itemsOf(lines, BULLET) };
  if (NUMBER.test(first)) return { kind: 'list', ordered: true, items: itemsOf(lines, NUMBER) };
  return { kind: 'paragraph', inlines: inlinesOf(lines.join(' ')) };
}

interface Draft {
  title: string;
  blocks: Block[];
  question: Question | null;
}

export function parseLesson(text: string): Lesson {
  const chunks = text.replaceAll('\r\n', '\n').split(/\n\s*\n/);
  let title = '';
  const steps: Draft[] = [];
  const step = (): Draft => {
    if (steps.length === 0) steps.push({ title: '', blocks: [], question: null });
    return steps.at(-1) as Draft;
  };
  for (const chunk of chunks) {
    const lines = chunk.split('\n').filter((line) => line.trim() !== '');
    while (lines[0]?.startsWith('#')) {
      const [, marks = '', heading = ''] = /^(#+)\s*(.*)$/.exec(lines.shift() as string) ?? [];
      if (marks.length === 1) title = heading;
      else steps.push({ title: heading, blocks: [], question: null });
    }
    if (lines.length === 0) continue;
    if (lines[0]?.startsWith('?')) step().question = questionOf(lines);
    else step().blocks.push(blockOf(lines));
  }
  return { title, steps };
}

/** The words of a piece of prose, without its marks. */
export const plainText = (inlines: readonly Inline[]): string =>
  inlines.map((inline) => inline.text).join('');
