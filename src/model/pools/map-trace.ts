/**
 * Reads operation traces of the pooled allocator: JSON lines, one operation each, with the results of a recorded
 * run. Lines of operations are parsed byte by byte, because there may be millions. Other lines, and operations in
 * an unusual format, are parsed as JSON.
 */
import { hint, quote } from '../../base/suggest';

/** A line that is not an operation: its values by key. */
export type StateLine = Readonly<Record<string, unknown>>;

/** Numeric fields of an operation, with their index in `fields`. */
export const FIELD = {
  c: 0,
  n: 1,
  o: 2,
  m: 3,
  h: 4,
  e: 5,
  d: 6,
  r: 7,
  p: 8,
  l: 9,
  f: 10,
  ho: 11,
} as const;
export type FieldName = keyof typeof FIELD;
const FIELD_NAMES = Object.keys(FIELD) as readonly FieldName[];

export type LineKind = 'alloc' | 'free' | 'freeAddress' | 'state' | 'end-of-file';

/** Kinds of other lines: the table, its layout, a checkpoint, the end. */
const STATE_KINDS = ['init', 'layout', 's', 'end'] as const;

const CODE = {
  quote: 34,
  comma: 44,
  minus: 45,
  zero: 48,
  colon: 58,
  open: 123,
  close: 125,
} as const;
const LETTER: readonly number[] = (() => {
  const table = new Array<number>(128).fill(-1);
  for (const name of FIELD_NAMES) if (name.length === 1) table[name.charCodeAt(0)] = FIELD[name];
  return table;
})();
const [LOWER_A, LOWER_F, LOWER_H, LOWER_O, LOWER_T] = [97, 102, 104, 111, 116];
const OPERATIONS: ReadonlyMap<string, LineKind> = new Map([
  ['a', 'alloc'],
  ['f', 'free'],
  ['fa', 'freeAddress'],
]);
const KINDS = [...OPERATIONS.keys(), ...STATE_KINDS];
const MAX_DIGITS = 15;
const ALL_ONES_64 = (1n << 64n) - 1n;

/** A trace that cannot be read: the line, and a message. */
export class TraceError extends Error {
  constructor(
    readonly line: number,
    readonly sentence: string,
  ) {
    super(`Line ${line}: ${sentence}`);
    this.name = 'TraceError';
  }
}

/** A source of bytes, possibly larger than memory. */
export interface ByteSource {
  /**
   * Reads the next bytes into the start of `into`.
   * @returns their number; 0 at the end
   */
  read(into: Uint8Array): number;
}

/** A source for bytes in memory. */
export function sourceOf(bytes: Uint8Array): ByteSource {
  let at = 0;
  return {
    read(into) {
      const piece = bytes.subarray(at, at + into.length);
      into.set(piece);
      at += piece.length;
      return piece.length;
    },
  };
}

const BUFFER = 1 << 20;
/** Initial buffer size; longer lines enlarge the buffer. */
const LINE = 1 << 12;
const LONGEST_LINE = 1 << 22;

/** Whether a value is a number, a text, null, or a list of these or of pairs, but not nested deeper. */
const isFlat = (value: unknown, depth = 2): boolean =>
  Array.isArray(value)
    ? depth > 0 && value.every((one) => isFlat(one, depth - 1))
    : value === null || typeof value !== 'object';

/** Reads a trace line by line. `next` provides the numbers of an operation, or the values of another line. */
export class TraceReader {
  /** Numbers of the operation; valid only if their bit is set in `present`. */
  readonly fields = new Float64Array(FIELD_NAMES.length);
  present = 0;
  /** Numbers too large to be exact in `fields`, by field. */
  readonly wide = new Map<number, bigint>();
  state: StateLine = {};
  line = 0;
  #at = 0;
  #from = 0;
  #to = 0;
  #buffer = new Uint8Array(BUFFER);
  /** The part of the buffer that contains bytes of the file. */
  #bytes = this.#buffer.subarray(0, 0);
  #ended = false;
  #begun = false;

  /** @param onRefill called before the buffer is refilled, which invalidates earlier line positions */
  constructor(
    private readonly source: ByteSource,
    private readonly onRefill: () => void = () => {},
  ) {}

  /** Start of the line, for `textAt`. */
  get place(): number {
    return this.#from;
  }

  /** The line at a position. */
  textAt(place: number): string {
    const end = this.#bytes.indexOf(10, place);
    const line = this.#bytes.subarray(place, end < 0 ? this.#bytes.length : end);
    return new TextDecoder().decode(line).trim();
  }

  /** Moves the unread bytes to the start of the buffer and reads more. */
  #refill(): void {
    this.onRefill();
    const rest = this.#bytes.subarray(this.#at);
    const old = this.#buffer;
    if (rest.length * 2 > old.length) this.#buffer = new Uint8Array(old.length * 2);
    this.#buffer.set(rest);
    const got = this.source.read(this.#buffer.subarray(rest.length));
    this.#ended = got === 0;
    this.#bytes = this.#buffer.subarray(0, rest.length + got);
    this.#at = 0;
  }

  has(field: FieldName): boolean {
    return (this.present & (1 << FIELD[field])) !== 0;
  }

  /** The present line as text. */
  get text(): string {
    return new TextDecoder().decode(this.#bytes.subarray(this.#from, this.#to)).trim();
  }

  /** @throws {TraceError} for an invalid line */
  next(): LineKind {
    for (;;) {
      while (this.#bytes.length - this.#at < LINE && !this.#ended) this.#refill();
      if (this.#at >= this.#bytes.length) return 'end-of-file';
      this.#from = this.#at;
      this.line++;
      const quick = this.#quick();
      if (quick) return quick;
      let end = this.#bytes.indexOf(10, this.#from);
      while (end < 0 && !this.#ended) {
        if (this.#bytes.length - this.#from > LONGEST_LINE)
          throw new TraceError(
            this.line,
            'A line of a trace is at most 4 MiB long; this is longer.',
          );
        this.#refill();
        this.#from = this.#at;
        end = this.#bytes.indexOf(10, this.#from);
      }
      if (end < 0) end = this.#bytes.length;
      this.#to = end;
      this.#at = end + 1;
      if (this.text !== '') return this.#slow();
    }
  }

  /** Fast path: an operation without spaces and with plain numbers; null for anything else. */
  #quick(): LineKind | null {
    const { fields } = this;
    const bytes = this.#bytes;
    let at = this.#from;
    const { quote, comma, minus, zero, colon, open, close } = CODE;
    if (bytes[at] !== open || bytes[at + 1] !== quote || bytes[at + 2] !== LOWER_T) return null;
    if (bytes[at + 3] !== quote || bytes[at + 4] !== colon || bytes[at + 5] !== quote) return null;
    at += 6;
    let kind: LineKind = 'alloc';
    if (bytes[at] === LOWER_F) kind = bytes[at + 1] === LOWER_A ? 'freeAddress' : 'free';
    else if (bytes[at] !== LOWER_A) return null;
    at += kind === 'freeAddress' ? 2 : 1;
    if (bytes[at] !== quote) return null;
    at++;
    let present = 0;
    while (bytes[at] === comma) {
      if (bytes[at + 1] !== quote) return null;
      const letter = bytes[at + 2] ?? 0;
      let index = LETTER[letter] ?? -1;
      at += 3;
      if (letter === LOWER_H && bytes[at] === LOWER_O) {
        index = FIELD.ho;
        at++;
      }
      if (index < 0 || bytes[at] !== quote || bytes[at + 1] !== colon) return null;
      at += 2;
      const negative = bytes[at] === minus;
      if (negative) at++;
      const first = at;
      let value = 0;
      let digit = (bytes[at] ?? 0) - zero;
      while (digit >= 0 && digit <= 9) {
        value = value * 10 + digit;
        digit = (bytes[++at] ?? 0) - zero;
      }
      if (at === first || at - first > MAX_DIGITS) return null;
      fields[index] = negative ? -value : value;
      present |= 1 << index;
    }
    if (bytes[at] !== close) return null;
    at++;
    if (bytes[at] === 13) at++;
    if (bytes[at] !== 10 && !(at >= bytes.length && this.#ended)) return null;
    this.present = present;
    if (this.wide.size > 0) this.wide.clear();
    this.#to = at;
    this.#at = at + 1;
    return kind;
  }

  /** A number of the line as it is written. */
  #digits(name: string): bigint {
    const [, digits] = new RegExp(`"${name}"\\s*:\\s*(\\d{1,20})\\s*[,}]`).exec(this.text) ?? [];
    const value = digits === undefined ? -1n : BigInt(digits);
    if (value >= 0n && value <= ALL_ONES_64) return value;
    throw new TraceError(this.line, `"${name}" should fit in 64 bits.`);
  }

  #slow(): LineKind {
    let value: unknown;
    try {
      value = JSON.parse(this.text);
    } catch {
      throw new TraceError(this.line, 'This is not JSON.');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new TraceError(this.line, 'A line of a trace is an object.');
    const object = value as StateLine;
    const kind = typeof object.t === 'string' ? OPERATIONS.get(object.t) : undefined;
    if (!kind) return this.#stateLine(object);
    this.present = 0;
    this.wide.clear();
    FIELD_NAMES.forEach((name, index) => {
      const number = object[name];
      if (number === undefined || number === null) return;
      if (typeof number !== 'number' || !Number.isInteger(number))
        throw new TraceError(this.line, `"${name}" should be a whole number.`);
      this.fields[index] = number;
      this.present |= 1 << index;
      if (!Number.isSafeInteger(number)) this.wide.set(index, this.#digits(name));
    });
    return kind;
  }

  #stateLine(object: StateLine): LineKind {
    const refuse = (sentence: string) => new TraceError(this.line, sentence);
    const { t: kind } = object;
    if (typeof kind !== 'string') throw refuse(`"t" is the kind of a line: ${KINDS.join(', ')}.`);
    if (!STATE_KINDS.some((known) => known === kind))
      throw refuse(`There is no line of the kind ${quote(kind)}${hint(kind, KINDS)}`);
    if (kind === 'init' && this.#begun) throw refuse('A trace has one line of the kind "init".');
    for (const [key, one] of Object.entries(object))
      if (!isFlat(one))
        throw refuse(
          `${quote(key)} should be a number, a string, or a list of numbers or of pairs.`,
        );
    this.#begun = true;
    this.state = object;
    return 'state';
  }
}
