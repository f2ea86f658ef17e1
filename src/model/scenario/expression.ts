/**
 * Arithmetic in rows of programs: "0x100000 + $i * 32", "60 s + $burst * 600 s". Supports whole numbers,
 * hexadecimal numbers, quantities with a unit, names, +, -, * and brackets. Exact, without floating point.
 */

import { formatQuantity, parseQuantity, type QuantityType, UNITS } from '../../base/quantity.mjs';
import { hint, quote } from '../../base/suggest';
import type { Value } from './scenario-types';

/** A number in base units. Sizes are plain numbers of bytes, so that they can be added to addresses. */
export interface Operand {
  readonly value: bigint;
  readonly unit: 'time' | 'clock' | 'rate' | null;
  /** Written in hexadecimal. */
  readonly hex: boolean;
}

/** The value of a name; undefined if it is not known yet. */
export type Lookup = (name: string) => Value | undefined;

/** An error in an expression, with a message for the user. */
class ExpressionError extends Error {}

const TOKEN =
  /\s*(?:\$([A-Za-z][\w-]*)|(0[xX][0-9a-fA-F]+)|(\d+(?:\.\d+)?)\s*([A-Za-zµ]+(?:\/s)?)?|([-+*()]))/y;

type Token =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'number'; readonly text: string; readonly operand: Operand }
  | { readonly kind: 'operator'; readonly text: string };

/** Matches arithmetic: operators between values, or text around a name. */
export const EXPRESSION = /\s[-+*]\s|[*()]|.\$|^\$[\w-]+[^\w-]/;

/** Whether a text is an expression and not a plain value. */
export const isExpression = (value: Value | undefined): value is string =>
  typeof value === 'string' && EXPRESSION.test(value.trim());

const unitOf = (unit: string): QuantityType | undefined =>
  (['time', 'bytes', 'clock', 'rate'] as const).find((type) => Object.hasOwn(UNITS[type], unit));

function exact(text: string, type: QuantityType): bigint {
  try {
    return parseQuantity(text, type);
  } catch (error) {
    throw new ExpressionError(error instanceof RangeError ? error.message : `${quote(text)}?`);
  }
}

function operandOf(text: string, unit: string | undefined): Operand {
  const hex = /^0x/i.test(text);
  if (unit === undefined) return { value: exact(text, 'count'), unit: null, hex };
  const type = unitOf(unit);
  if (type === undefined) throw new ExpressionError(`There is no unit ${quote(unit)}.`);
  const value = exact(`${text} ${unit}`, type);
  return { value, unit: type === 'bytes' ? null : (type as Operand['unit']), hex };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) {
      const rest = text.slice(at).trim();
      throw new ExpressionError(
        `${quote(rest)} cannot be read; an expression has numbers, quantities, $names, +, -, * and brackets.`,
      );
    }
    const [all, name, hex, number, unit, operator] = found;
    const written = hex ?? number;
    if (name !== undefined) tokens.push({ kind: 'name', name });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
    else if (written !== undefined)
      tokens.push({ kind: 'number', text: all.trim(), operand: operandOf(written, unit) });
  }
  return tokens;
}

function numberOf(name: string, value: Value): Operand {
  const found = operandIn(String(value), () => undefined, []);
  if (typeof found !== 'string') return found;
  throw new ExpressionError(`$${name} is ${quote(value)}, which is not a number.`);
}

const MINUS_ONE: Operand = { value: -1n, unit: null, hex: false };

const NOUNS = { time: 'a time', clock: 'a frequency', rate: 'a rate', plain: 'a number' } as const;
const nounOf = ({ unit }: Operand) => NOUNS[unit ?? 'plain'];

export function sumOf(left: Operand, right: Operand, sign = 1n): Operand {
  if (left.unit !== right.unit)
    throw new ExpressionError(
      `This adds or subtracts ${nounOf(left)} and ${nounOf(right)}; both need a unit of the same kind.`,
    );
  return { ...left, value: left.value + sign * right.value, hex: left.hex || right.hex };
}

function productOf(left: Operand, right: Operand): Operand {
  if (left.unit !== null && right.unit !== null)
    throw new ExpressionError(
      `This multiplies ${nounOf(left)} by ${nounOf(right)}; one of them must be a plain number.`,
    );
  const unit = left.unit ?? right.unit;
  return { unit, value: left.value * right.value, hex: left.hex || right.hex };
}

class Evaluation {
  private at = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly lookup: Lookup,
    private readonly known: Iterable<string>,
  ) {}

  result(): Operand {
    const value = this.sum();
    if (this.at < this.tokens.length) this.expected('+, - or *');
    return value;
  }

  private operator(...some: string[]): string | null {
    const token = this.tokens[this.at];
    if (token?.kind !== 'operator' || !some.includes(token.text)) return null;
    this.at++;
    return token.text;
  }

  private sum(): Operand {
    let left = this.product();
    for (let next = this.operator('+', '-'); next; next = this.operator('+', '-'))
      left = sumOf(left, this.product(), next === '+' ? 1n : -1n);
    return left;
  }

  private product(): Operand {
    let left = this.factor();
    while (this.operator('*')) left = productOf(left, this.factor());
    return left;
  }

  private factor(): Operand {
    if (this.operator('-')) return productOf(MINUS_ONE, this.factor());
    if (this.operator('(')) {
      const inner = this.sum();
      if (!this.operator(')')) this.expected('a closing bracket');
      return inner;
    }
    const token = this.tokens[this.at];
    if (token?.kind !== 'number' && token?.kind !== 'name')
      return this.expected('a number, a quantity or a $name');
    this.at++;
    return token.kind === 'number' ? token.operand : this.named(token.name);
  }

  private named(name: string): Operand {
    const value = this.lookup(name);
    if (value === undefined) throw new ExpressionError(unknownName(name, this.known));
    return numberOf(name, value);
  }

  private expected(what: string): never {
    const token = this.tokens[this.at];
    throw new ExpressionError(
      token === undefined
        ? `The expression ends where ${what} is expected.`
        : `${quote(textOf(token))} is found where ${what} is expected.`,
    );
  }
}

const textOf = (token: Token): string => (token.kind === 'name' ? `$${token.name}` : token.text);

/** The message for an unknown name. A name with a minus in it may have been meant as a difference. */
export function unknownName(name: string, known: Iterable<string>): string {
  const spaced = name.includes('-') ? ' Write spaces around a minus.' : '';
  return `There is no variable ${quote(name)}${hint(name, known)}${spaced}`;
}

const MAX_U64 = (1n << 64n) - 1n;

/** A number as written in files. */
export function writtenOperand({ value, unit, hex }: Operand): Value {
  if (unit !== null && value >= 0n) return formatQuantity(value, unit);
  if (hex && value >= 0n) return formatQuantity(value, 'address');
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** The result of `work`, or the message of an ExpressionError. */
export function orSentence<T extends object>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

/** The number that an expression evaluates to, or a message. */
export const operandIn = (
  text: string,
  lookup: Lookup,
  known: Iterable<string>,
): Operand | string => orSentence(() => new Evaluation(tokensOf(text), lookup, known).result());

/** The value that an expression gives for a field of a row, or a message. */
export function evaluate(
  text: string,
  lookup: Lookup,
  known: Iterable<string>,
): { value: Value } | string {
  const made = operandIn(text, lookup, known);
  if (typeof made === 'string') return made;
  if (made.value < 0n)
    return `This evaluates to ${made.value}; negative values are not allowed in a row.`;
  if (made.value > MAX_U64) return 'This evaluates to more than 64 bits.';
  return { value: writtenOperand(made) };
}

/** The names in an expression. */
export function namesIn(text: string): string[] | string {
  return orSentence(() =>
    tokensOf(text).flatMap((token) => (token.kind === 'name' ? [token.name] : [])),
  );
}

/** An expression in which known names are replaced by their values. */
export function withNames(text: string, lookup: Lookup): { text: string } | string {
  return orSentence(() => {
    const parts = tokensOf(text).map((token) => {
      const value = token.kind === 'name' ? lookup(token.name) : undefined;
      if (value === undefined) return textOf(token);
      const operand = numberOf(textOf(token).slice(1), value);
      return operand.value < 0n ? `(${value})` : String(value);
    });
    return { text: parts.join(' ') };
  });
}
