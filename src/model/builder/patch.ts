/**
 * Edits JSON text with comments to have another value, keeping all comments, blank lines and formatting of
 * unchanged parts. jsonc-parser's `modify` reformats the neighbours of a change and removes their comments, so only
 * its parser is used.
 */
import { createScanner, getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { fileText } from './build-file';

interface Edit {
  readonly offset: number;
  readonly length: number;
  readonly content: string;
}

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether two values are equal, ignoring the order of keys. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  if (!isMembers(a) || !isMembers(b)) return a === b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isSame(a[name], b[name]));
}

const endOf = ({ offset, length }: Node): number => offset + length;

/** Token kinds of jsonc-parser, which exports them only as a const enum. */
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const BLANKS = 15;
const END = 17;

const isComma = (token: number): boolean => token === COMMA;
const isLineBreak = (token: number): boolean => token === LINE_BREAK;
const isComment = (token: number): boolean => token === LINE_COMMENT || token === BLOCK_COMMENT;
const isLayout = (token: number): boolean => isComment(token) || isLineBreak(token);

class Patch {
  readonly edits: Edit[] = [];

  constructor(private readonly text: string) {}

  private replace(offset: number, length: number, content: string): void {
    this.edits.push({ offset, length, content });
  }

  /** Indentation of the line at an offset. */
  private indentAt(offset: number): string {
    const start = this.text.lastIndexOf('\n', offset - 1) + 1;
    return /^[ \t]*/.exec(this.text.slice(start, offset))?.[0] ?? '';
  }

  /** The first token of a kind in a range; null if there is none. */
  private find(test: (kind: number) => boolean, from: number, to: number): number | null {
    const scanner = createScanner(this.text.slice(from, to), false);
    for (let kind = scanner.scan() as number; kind !== END; kind = scanner.scan() as number)
      if (test(kind)) return from + scanner.getTokenOffset();
    return null;
  }

  to(node: Node, value: unknown): void {
    const now: unknown = getNodeValue(node);
    if (isSame(now, value)) return;
    const isPlain = this.find(isLayout, node.offset, endOf(node)) === null;
    if (isPlain) this.whole(node, value);
    else if (node.type === 'object' && isMembers(value)) this.members(node, value);
    else if (node.type === 'array' && Array.isArray(value)) this.items(node, value);
    else this.whole(node, value);
  }

  private whole(node: Node, value: unknown): void {
    this.replace(node.offset, node.length, fileText(value, this.indentAt(node.offset)));
  }

  private members(node: Node, value: Members): void {
    const written = node.children ?? [];
    const names = written.map(({ children }) => String(children?.[0]?.value));
    for (const [i, { children }] of written.entries()) {
      const [, child] = children ?? [];
      const target = value[names[i] ?? ''];
      if (child && target !== undefined) this.to(child, target);
    }
    const kept = written.map((_, i) => value[names[i] ?? ''] !== undefined);
    const added = Object.entries(value).filter(
      ([name, member]) => member !== undefined && !names.includes(name),
    );
    const texts = added.map(
      ([name, member]) =>
        (indent: string) =>
          `${JSON.stringify(name)}: ${fileText(member, indent)}`,
    );
    this.rows(node, kept, written.length, texts);
  }

  private items(node: Node, value: readonly unknown[]): void {
    const written = node.children ?? [];
    const now = written.map((child) => getNodeValue(child) as unknown);
    const most = Math.min(now.length, value.length);
    let front = 0;
    while (front < most && isSame(now[front], value[front])) front++;
    let back = 0;
    while (back < most - front && isSame(now.at(-1 - back), value.at(-1 - back))) back++;
    const both = most - front - back;
    for (let i = front; i < front + both; i++) {
      const child = written[i];
      if (child) this.to(child, value[i]);
    }
    const kept = now.map((_, i) => i < front + both || i >= now.length - back);
    const added = value.slice(front + both, value.length - back);
    const texts = added.map((item) => (indent: string) => fileText(item, indent));
    this.rows(node, kept, front + both, texts);
  }

  /** Removes dropped rows of an object or array, and inserts new ones before row `at`. */
  private rows(
    node: Node,
    kept: readonly boolean[],
    at: number,
    texts: readonly ((indent: string) => string)[],
  ): void {
    const written = node.children ?? [];
    for (const [i, child] of written.entries()) {
      if (kept[i]) continue;
      const isBeforeKept = kept.indexOf(true, i) >= 0;
      const before = written[i - 1];
      const next = written[i + 1];
      const end = endOf(child);
      const comma = isBeforeKept && next ? this.find(isComma, end, next.offset) : null;
      if (comma !== null && this.text.slice(end, comma).trim() === '')
        this.remove(child.offset, comma + 1);
      else {
        if (comma !== null) this.replace(comma, 1, '');
        else if (before) this.removeComma(before, child);
        this.remove(child.offset, end);
      }
    }
    if (texts.length === 0) return;
    const first = written[0];
    const isLaidOut = this.find(isLineBreak, node.offset, first?.offset ?? endOf(node)) !== null;
    const outer = this.indentAt(node.offset);
    const indent = first && isLaidOut ? this.indentAt(first.offset) : `${outer}  `;
    const gap = isLaidOut ? `\n${indent}` : ' ';
    const all = texts.map((text) => gap + text(indent)).join(',');
    const last = kept.lastIndexOf(true, at - 1);
    const previous = at > 0 && last >= 0 ? written[last] : undefined;
    const hasNext = kept.indexOf(true, at) >= 0;
    if (!previous) {
      this.replace(node.offset + 1, 0, hasNext ? `${all},` : all);
      return;
    }
    const next = written[last + 1];
    const comma = next ? this.find(isComma, endOf(previous), next.offset) : null;
    const from = hasNext && comma !== null ? comma + 1 : endOf(previous);
    if (!hasNext) this.replace(from, 0, ',');
    const place = isLaidOut ? this.endOfLine(from, next?.offset ?? endOf(node) - 1) : from;
    this.replace(place, 0, hasNext ? `${all},` : all);
  }

  private removeComma(before: Node, child: Node): void {
    const comma = this.find(isComma, endOf(before), child.offset);
    if (comma !== null) this.replace(comma, 1, '');
  }

  /** Removes a range, including its lines if nothing else is on them. */
  private remove(from: number, to: number): void {
    const start = this.text.lastIndexOf('\n', from - 1);
    const found = this.text.indexOf('\n', to);
    const stop = found < 0 ? this.text.length : found;
    const around = this.text.slice(start + 1, from) + this.text.slice(to, stop);
    const isAlone = start >= 0 && /^[ \t\r]*$/.test(around);
    if (isAlone) this.replace(start, stop - start, '');
    else this.replace(from, to - from, '');
  }

  /** The end of the comments at the end of a line; the offset itself if something else follows. */
  private endOfLine(from: number, to: number): number {
    const scanner = createScanner(this.text.slice(from, to), false);
    let end = from;
    for (let kind = scanner.scan() as number; kind !== END; kind = scanner.scan() as number) {
      if (kind === LINE_BREAK) return end;
      if (kind !== BLANKS && !isComma(kind) && !isComment(kind)) return from;
      end = from + scanner.getTokenOffset() + scanner.getTokenLength();
      if (kind === BLOCK_COMMENT && this.text.slice(from, end).includes('\n')) return from;
      if (kind === COMMA) end = from;
    }
    return end;
  }
}

/** Edits a valid text to have another value. */
export function patched(text: string, value: unknown): string {
  const root = parseTree(text.replace('\uFEFF', ' '));
  if (!root) return fileText(value);
  const patch = new Patch(text);
  patch.to(root, value);
  let [result, at] = ['', 0];
  // At the same offset, insertions come before removals.
  const inOrder = patch.edits.sort((a, b) => a.offset - b.offset || a.length - b.length);
  for (const { offset, length, content } of inOrder) {
    result += text.slice(at, Math.max(at, offset)) + content;
    at = Math.max(at, offset + length);
  }
  return result + text.slice(at);
}
