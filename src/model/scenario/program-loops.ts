/**
 * Loops in programs: `{ "for": "i", "count": 8, "rows": [...] }` expands to its rows eight times. Loops are
 * expanded when a file is read, so later stages see plain rows. Each row keeps its position in the file and the
 * iteration that produced it.
 */

import { quote } from '../../base/suggest';
import {
  evaluate,
  isExpression,
  namesIn,
  type Operand,
  operandIn,
  orSentence,
  sumOf,
  unknownName,
  withNames,
  writtenOperand,
} from './expression';
import { MAX } from './limits';
import type { Report } from './problems';
import type { TableRow, Value, Where } from './scenario-types';
import { variableOf } from './values';

/** A row as it stands in a file. */
export type RowFile = Record<string, Value>;

/** Rows that are repeated when a file is read, with a variable that changes each time. */
export interface LoopFile {
  readonly for: string;
  /** The values; otherwise `count` values starting at `from`. */
  readonly in?: Value[] | undefined;
  readonly from?: Value | undefined;
  readonly count?: Value | undefined;
  readonly step?: Value | undefined;
  /** A second variable: the number of the iteration, from 0. */
  readonly index?: string | undefined;
  readonly rows: ItemFile[];
}
export type ItemFile = RowFile | LoopFile;

/** Indexes of an item in a list of rows and loops: [2, 0] is the first row of the loop at index 2. */
export type ItemPath = readonly number[];

export const isSameItem = (one: ItemPath, other: ItemPath): boolean =>
  one.length === other.length && one.every((index, i) => index === other[i]);

/** Variables set for each thread when a machine is compiled: the numbers of its processor and of the thread. */
const THREAD_NAMES = { cpu: 'processor', thread: 'thread' } as const;

const isThreadName = (name: string): name is keyof typeof THREAD_NAMES =>
  Object.hasOwn(THREAD_NAMES, name);

export const isLoop = (item: ItemFile): item is LoopFile =>
  Object.hasOwn(item, 'for') || Array.isArray(item.rows);

type Known = ReadonlyMap<string, Value>;

interface Context {
  /** Variables of the scenario, which get a value only when it is compiled. */
  readonly variables: ReadonlySet<string>;
  readonly report: Report;
}

/** A row's fields with known names replaced; unknown ones stay. */
function replaced(
  fields: RowFile,
  known: Known,
  refuse: (field: string, sentence: string) => void,
  isLater: (name: string) => boolean,
): RowFile {
  const made: Record<string, Value> = {};
  for (const [field, value] of Object.entries(fields)) {
    const found = replacedValue(value, known, isLater);
    if (typeof found === 'string') refuse(field, found);
    else made[field] = found.value;
  }
  return made;
}

function replacedValue(
  value: Value,
  known: Known,
  isLater: (name: string) => boolean,
): { value: Value } | string {
  const lookup = (name: string) => known.get(name);
  if (!isExpression(value)) {
    const name = variableOf(value);
    if (name === null) return { value };
    const found = known.get(name);
    if (found === undefined && !isLater(name)) return unknownName(name, known.keys());
    return { value: found ?? value };
  }
  const names = namesIn(value);
  if (typeof names === 'string') return names;
  const open = names.filter((name) => !known.has(name));
  const strange = open.find((name) => !isLater(name));
  if (strange !== undefined) return unknownName(strange, known.keys());
  if (open.length === 0) {
    const made = evaluate(value, lookup, known.keys());
    return typeof made === 'string' ? `${value}: ${made}` : made;
  }
  const made = withNames(value, lookup);
  return typeof made === 'string' ? made : { value: made.text };
}

/** Aborts an expansion that was refused. */
class Refused extends Error {}

/** Remaining rows and iterations that the loops of one file may produce. */
export class RowBudget {
  private left: number = MAX.allRows;

  /** Takes one; false if none is left. */
  take(): boolean {
    return this.left-- > 0;
  }
}

class Expansion {
  private readonly rows: TableRow[] = [];
  private iterations = 0;

  constructor(
    private readonly context: Context,
    private readonly budget: RowBudget,
  ) {}

  of(items: readonly ItemFile[], where: Where): TableRow[] {
    try {
      this.items(items, where, new Map());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    return this.rows;
  }

  private refuse(where: Where, sentence: string): never {
    this.context.report(where.problem(sentence));
    throw new Refused();
  }

  private items(items: readonly ItemFile[], where: Where, known: Known): void {
    items.forEach((item, at) => {
      if (isLoop(item)) this.loop(item, where.at(at), known);
      else this.row(item, where.at(at), known);
    });
  }

  private row(written: RowFile, where: Where, known: Known): void {
    if (known.size === 0) {
      this.rows.push({ fields: written, where });
      return;
    }
    this.count(where);
    const refuse = (field: string, sentence: string) => this.refuse(where.at(field), sentence);
    const fields = replaced(written, known, refuse, (name) => this.isLater(name));
    this.rows.push({ fields, where });
  }

  private loop(loop: LoopFile, where: Where, known: Known): void {
    for (const key of ['for', 'index'] as const) this.checkName(loop[key], where.at(key), known);
    if (loop.index === loop.for)
      this.refuse(
        where.at('index'),
        'The variable and the index of a loop must have different names.',
      );
    const values = loop.in ? this.listed(loop, where) : this.counted(loop, where, known);
    let index = 0;
    for (const value of values) {
      this.count(where);
      if (++this.iterations > MAX.rows) this.tooMany(where, loop);
      const inner = new Map(known).set(loop.for, value);
      if (loop.index !== undefined) inner.set(loop.index, index);
      index++;
      this.items(loop.rows, where.during(`${loop.for} ${value}`).at('rows'), inner);
      if (this.rows.length > MAX.rows) this.tooMany(where, loop);
    }
  }

  private checkName(name: string | undefined, where: Where, known: Known): void {
    if (name === undefined) return;
    if (known.has(name))
      this.refuse(where, `A loop around this one has the variable ${quote(name)} already.`);
    if (this.context.variables.has(name))
      this.refuse(where, `The scenario has a variable ${quote(name)} already.`);
    if (isThreadName(name))
      this.refuse(
        where,
        `${quote(name)} is reserved for the number of the ${THREAD_NAMES[name]} that runs the program.`,
      );
  }

  private tooMany(where: Where, { for: name }: LoopFile): never {
    return this.refuse(
      where,
      `A program has at most ${MAX.rows} rows; the loop over ${quote(name)} makes more.`,
    );
  }

  private count(where: Where): void {
    if (this.budget.take()) return;
    this.refuse(where, `The loops of a file make at most ${MAX.allRows} rows in all.`);
  }

  private listed({ in: values = [], ...loop }: LoopFile, where: Where): readonly Value[] {
    for (const key of ['from', 'count', 'step'] as const)
      if (loop[key] !== undefined)
        this.refuse(where.at(key), `A loop can have either "in" or ${quote(key)}.`);
    const name = values.findIndex((value) => variableOf(value) !== null || isExpression(value));
    if (name >= 0) this.refuse(where.at('in', name), 'The values of a loop cannot contain names.');
    return values;
  }

  private *counted(loop: LoopFile, where: Where, known: Known): Generator<Value> {
    if (loop.count === undefined)
      this.refuse(where, 'A loop needs "count", or "in" with a list of values.');
    const count = this.operand(loop.count, where.at('count'), known);
    if (count.unit !== null || count.value < 0n)
      this.refuse(where.at('count'), 'The count of a loop must be a whole number from 0.');
    const from = this.operand(loop.from ?? 0, where.at('from'), known);
    if (loop.step === undefined && from.unit !== null)
      this.refuse(where, '"from" has a unit, so this loop needs a "step" with one.');
    const step = this.operand(loop.step ?? 1, where.at('step'), known);
    let value = from;
    for (let i = 0n; i < count.value; i++) {
      const wide = value.value < 0n ? -value.value : value.value;
      if (wide > MAX_U64)
        this.refuse(where.during(`iteration ${i}`), `${quote(loop.for)} has more than 64 bits.`);
      yield writtenOperand(value);
      const next = orSentence(() => sumOf(value, step));
      if (typeof next === 'string') this.refuse(where.at('step'), next);
      else value = next;
    }
  }

  /** A bound of a loop, which must be known when the file is read. */
  private operand(written: Value, where: Where, known: Known): Operand {
    const text = String(written);
    const names = namesIn(text);
    if (typeof names === 'string') return this.refuse(where, names);
    for (const name of names) {
      if (known.has(name)) continue;
      const isLater = this.isLater(name);
      this.refuse(
        where,
        isLater
          ? `$${name} is not known when the file is read; the bounds of a loop are numbers, or expressions of the variables of enclosing loops.`
          : unknownName(name, known.keys()),
      );
    }
    const found = operandIn(text, (name) => known.get(name), known.keys());
    return typeof found === 'string' ? this.refuse(where, found) : found;
  }

  /** Whether a name gets its value only when the scenario is compiled. */
  private isLater(name: string): boolean {
    return this.context.variables.has(name) || isThreadName(name);
  }
}

const MAX_U64 = (1n << 64n) - 1n;
/** Expands the loops of a program. */
export const expandRows = (
  items: readonly ItemFile[],
  where: Where,
  context: Context,
  budget: RowBudget,
): TableRow[] => new Expansion(context, budget).of(items, where);

/** The number at the end of a part's name: 3 for "cpu3". */
const numberOf = (part: string): number | null => {
  const [, digits] = /(\d{1,9})$/.exec(part) ?? [];
  return digits === undefined ? null : Number(digits);
};

const USES_THREAD = /\$(?:cpu|thread)(?![\w-])/;

/** The rows of a program for one thread of a processor, with `$cpu` and `$thread` replaced. */
export function rowsOfThread(
  rows: readonly TableRow[],
  { part, thread, variables, report }: Context & { readonly part: string; readonly thread: number },
): readonly TableRow[] {
  const uses = (row: TableRow) =>
    Object.values(row.fields).some((value) => typeof value === 'string' && USES_THREAD.test(value));
  if (!rows.some(uses)) return rows;
  const known = new Map<string, Value>();
  const cpu = numberOf(part);
  // Older scenarios may have variables with these names; those take precedence.
  if (cpu !== null && !variables.has('cpu')) known.set('cpu', cpu);
  if (!variables.has('thread')) known.set('thread', thread);
  return rows.map((row) => {
    if (!uses(row)) return row;
    const where = row.where.during(`${part}, thread ${thread}`);
    const refuse = (field: string, sentence: string) =>
      report(
        where
          .at(field)
          .problem(
            cpu === null && /\$cpu(?![\w-])/.test(String(row.fields[field]))
              ? `The name ${quote(part)} does not end in a number, so $cpu has no value here.`
              : sentence,
          ),
      );
    const isLater = (name: string) => name !== 'cpu' || variables.has(name);
    return { fields: replaced(row.fields, known, refuse, isLater), where };
  });
}
