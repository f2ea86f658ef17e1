/**
 * The language of event queries, used by the search, by *stop when* and by the command line (docs/queries.md):
 *
 *     query     = all { "OR" all }
 *     all       = item { item }
 *     item      = [ "-" ] ( word | '"' text '"' | condition | address "-" address | "(" query ")" )
 *     condition = name operator value | "cause:" ( number | "(" query ")" )
 *     operator  = ":" | "=" | "<" | "<=" | ">" | ">="
 */
import { quote } from '../../base/suggest';

/** A range of the query's text. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

type Operator = ':' | '=' | '<' | '<=' | '>' | '>=';

export interface Condition extends Place {
  readonly kind: 'condition';
  readonly name: string;
  readonly operator: Operator;
  readonly value: string;
}

export type EventQuery =
  | { readonly kind: 'all' | 'any'; readonly of: readonly EventQuery[] }
  | { readonly kind: 'not'; readonly of: EventQuery }
  /** Words in any order, among them forms of glossary terms. */
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string }
  | Condition
  /** Events that have such an event among their causes. */
  | { readonly kind: 'caused'; readonly by: EventQuery };

/** Why a query cannot be read, and where. */
export class QueryError extends Error {
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message);
  }
}

const CONDITION = /([A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)?)(<=|>=|[:=<>])/y;
const ADDRESSES = /0x[0-9a-f]+-0x[0-9a-f]+(?![^\s()])/iy;
const WORD = /[^\s()"]+/y;
const OR = /OR(?![^\s()"])/y;

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): EventQuery | null {
    const query = this.any();
    if (this.peek() === ')') this.fail('This bracket closes nothing.', this.at, this.at + 1);
    return query;
  }

  private fail(message: string, from: number, to = this.text.length): never {
    throw new QueryError(message, { from, to });
  }

  /** The next character that is not a space; empty at the end. */
  private peek(): string {
    while (/\s/.test(this.text.charAt(this.at))) this.at++;
    return this.text.charAt(this.at);
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  private any(): EventQuery | null {
    const first = this.all();
    const of = first ? [first] : [];
    for (;;) {
      this.peek();
      const { at } = this;
      if (!this.take(OR)) break;
      const next = this.all();
      if (of.length === 0 || !next) this.fail('OR stands between two conditions.', at, at + 2);
      of.push(next);
    }
    return of.length > 1 ? { kind: 'any', of } : (of[0] ?? null);
  }

  private all(): EventQuery | null {
    const of: EventQuery[] = [];
    for (let next = this.peek(); next !== '' && next !== ')'; next = this.peek()) {
      if (this.isOr()) break;
      const item = this.item();
      const last = of.at(-1);
      if (item.kind === 'words' && last?.kind === 'words')
        of[of.length - 1] = { kind: 'words', text: `${last.text} ${item.text}` };
      else of.push(item);
    }
    return of.length > 1 ? { kind: 'all', of } : (of[0] ?? null);
  }

  private isOr(): boolean {
    OR.lastIndex = this.at;
    return OR.test(this.text);
  }

  private item(): EventQuery {
    const { at } = this;
    if (this.text.charAt(at) === '-' && /^[^\s)]/.test(this.text.slice(at + 1))) {
      this.at++;
      return { kind: 'not', of: this.item() };
    }
    if (this.text.charAt(at) === '(') return this.bracket();
    if (this.text.charAt(at) === '"') return { kind: 'phrase', text: this.quoted() };
    const [addresses] = this.take(ADDRESSES) ?? [];
    if (addresses !== undefined)
      return this.condition('address', ':', addresses, { from: at, to: this.at });
    const [, name, operator] = this.take(CONDITION) ?? [];
    if (name !== undefined) return this.conditionOn(name, operator as Operator, at);
    return { kind: 'words', text: this.take(WORD)?.[0] ?? '' };
  }

  private condition(name: string, operator: Operator, value: string, place: Place): Condition {
    return { kind: 'condition', name, operator, value, ...place };
  }

  private conditionOn(name: string, operator: Operator, from: number): EventQuery {
    const next = this.text.charAt(this.at);
    if (name === 'cause' && next === '(') return { kind: 'caused', by: this.bracket() };
    const value = next === '"' ? this.quoted() : (this.take(WORD)?.[0] ?? '');
    const place = { from, to: this.at };
    if (value === '')
      this.fail(`A value is missing after ${quote(name + operator)}.`, from, this.at);
    if (name !== 'cause') return this.condition(name, operator, value, place);
    return { kind: 'caused', by: this.condition('event', operator, value, place) };
  }

  private bracket(): EventQuery {
    const from = this.at++;
    const query = this.any();
    if (this.peek() !== ')') this.fail('This bracket is not closed.', from, from + 1);
    this.at++;
    return query ?? this.fail('These brackets hold nothing.', from, this.at);
  }

  private quoted(): string {
    const from = this.at;
    const to = this.text.indexOf('"', from + 1);
    if (to < 0) this.fail('This quotation mark is not closed.', from);
    this.at = to + 1;
    return this.text.slice(from + 1, to);
  }
}

/**
 * Reads a query; null if it is empty.
 * @throws {QueryError}
 */
export const parseEventQuery = (text: string): EventQuery | null => new Parser(text).whole();
