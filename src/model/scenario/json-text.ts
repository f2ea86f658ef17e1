/**
 * Parses JSON with comments, keeping the position of every value: JSON pointer, line and column. Refuses files that
 * are too large or too deeply nested, duplicate keys, and numbers that cannot be represented exactly.
 */
import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  stripComments,
} from 'jsonc-parser';
import { quote } from '../../base/suggest';
import { failure, gather, type Problem, problem, type Result } from './problems';

export type Path = readonly (string | number)[];

/** Twenty times the largest included scenario; parsed in a fraction of a second. */
export const MAX_FILE_BYTES = 256 * 1024;
const MAX_DEPTH = 32;

const pointerOf = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** A text and its value; `problem` gives the position of a value in the text. */
export class JsonText {
  private readonly lineStarts: readonly number[];

  constructor(
    readonly file: string,
    readonly text: string,
    private readonly root: Node,
    readonly value: unknown,
  ) {
    this.lineStarts = lineStartsOf(text);
  }

  /** A problem at a value; `onKey` reports the key instead. A missing value is reported where it would be. */
  problem(path: Path, message: string, onKey = false): Problem {
    const node = this.find(path, onKey);
    return {
      file: this.file,
      pointer: pointerOf(path),
      ...positionAt(this.lineStarts, node.offset),
      message,
    };
  }

  private find(path: Path, onKey: boolean): Node {
    let node = this.root;
    for (const [i, key] of path.entries()) {
      if (typeof key === 'number') {
        const item = node.type === 'array' ? node.children?.[key] : undefined;
        if (!item) return node;
        node = item;
        continue;
      }
      const property = node.children?.find(
        (child) => child.type === 'property' && child.children?.[0]?.value === key,
      );
      const [name, value] = property?.children ?? [];
      if (!name || !value) return node;
      node = onKey && i === path.length - 1 ? name : value;
    }
    return node;
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function positionAt(starts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

const SENTENCES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This is not JSON: names and strings stand in double quotes. Is one missing?',
  InvalidNumberFormat: 'This is not a number.',
  PropertyNameExpected: 'A name in double quotes is expected here.',
  ValueExpected: 'A value is expected here.',
  ColonExpected: 'A colon is expected here.',
  CommaExpected: 'A comma is expected here.',
  CloseBraceExpected: 'A closing brace } is missing here.',
  CloseBracketExpected: 'A closing bracket ] is missing here.',
  EndOfFileExpected: 'The file should end here.',
  UnexpectedEndOfComment: 'This comment does not end.',
  UnexpectedEndOfString: 'This text has no closing quote.',
  InvalidUnicode: 'This is not a valid \\u escape.',
  InvalidEscapeCharacter: 'This is not a valid escape.',
  InvalidCharacter: 'This character must be escaped.',
};

/** Token kinds of jsonc-parser, which exports them only as a const enum. */
const OPENS = new Set([1, 3]);
const CLOSES = new Set([2, 4]);
const END = 17;

/** Offset at which the nesting exceeds the limit, or -1. Not recursive. */
function tooDeepAt(text: string): number {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token = scanner.scan() as number; token !== END; token = scanner.scan() as number) {
    if (OPENS.has(token) && ++depth > MAX_DEPTH) return scanner.getTokenOffset();
    if (CLOSES.has(token)) depth--;
  }
  return -1;
}

type Note = (offset: number, path: Path, message: string) => void;

/** Converts a syntax tree to values and reports problems that the values no longer show. */
function toValue(node: Node, path: Path, note: Note): unknown {
  if (node.type === 'array')
    return (node.children ?? []).map((child, i): unknown => toValue(child, [...path, i], note));
  if (node.type === 'number') {
    if (Math.abs(node.value as number) > Number.MAX_SAFE_INTEGER)
      note(node.offset, path, 'This number is too large to be held exactly; write it as a string.');
    return node.value as number;
  }
  if (node.type !== 'object') return node.value as unknown;
  const value: Record<string, unknown> = {};
  for (const { children } of node.children ?? []) {
    const [name, child] = children ?? [];
    if (!name || !child) continue;
    const key = String(name.value);
    const at = [...path, key];
    if (key in {}) note(name.offset, at, `${quote(key)} cannot be used as a name.`);
    else if (Object.hasOwn(value, key)) note(name.offset, at, `${quote(key)} is written twice.`);
    else value[key] = toValue(child, at, note);
  }
  return value;
}

/** The error for a text without any value: only blanks and comments, or not JSON. */
function withoutValue(
  text: string,
  errors: readonly ParseError[],
  at: (offset: number, message: string) => Problem,
) {
  const wrong = errors.find((error) => printParseErrorCode(error.error) !== 'ValueExpected');
  const bare = stripComments(text).search(/\S/);
  if (bare < 0 && !wrong) return at(0, 'The file is empty.');
  return at(
    wrong?.offset ?? bare,
    'This is not JSON: a scenario or a saved session begins with {.',
  );
}

export const sizeText = (bytes: number): string =>
  bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`;

/** `most`: maximum length of the text. */
export function readJson(source: string, file = '', most = MAX_FILE_BYTES): Result<JsonText> {
  const text = source.startsWith('\uFEFF') ? ` ${source.slice(1)}` : source;
  const starts = lineStartsOf(text);
  const at = (offset: number, message: string, path: Path = []): Problem => ({
    file,
    pointer: pointerOf(path),
    ...positionAt(starts, offset),
    message,
  });
  if (text.length > most)
    return failure([problem(`The file is larger than ${sizeText(most)}.`, '', file)]);
  const deep = tooDeepAt(text);
  if (deep >= 0)
    return failure([at(deep, `Values may be nested ${MAX_DEPTH} deep; this goes deeper.`)]);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: false });
  const [error] = errors;
  // In a text that is not JSON, the parser may accept a single number or word as a value.
  if (!root || (error && error.offset < root.offset))
    return failure([withoutValue(text, errors, at)]);
  if (error) {
    const sentence = SENTENCES[printParseErrorCode(error.error)] ?? 'This is not JSON.';
    return failure([at(error.offset, sentence)]);
  }
  return gather((report) => {
    const value = toValue(root, [], (offset, path, message) => report(at(offset, message, path)));
    return new JsonText(file, text, root, value);
  });
}
