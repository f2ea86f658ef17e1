/**
 * Tables of a part, from rows of named fields to integers in manifest order. Programs are such a table:
 * each row says what to do, and a row `thread` parts one thread's program from the next.
 */
import type { PartType, TableSpec } from '../engine/manifest';
import type { Report } from './problems';
import type { Assignment, TableRow, Value, Where } from './scenarioTypes';
import { hint, quote } from './suggest';
import { substitute, toInteger, variableOf } from './values';

/** A row ready for the engine, and where it was written. */
export interface EncodedRow {
  readonly values: readonly bigint[];
  readonly where: Where;
}

/** DMA engines move whole, aligned 32-bit words; the card's own rule, said before the run. */
const WORD = 4n;
const DMA = new Set(['dma_write', 'dma_read']);
const WHOLE_WORDS: Readonly<Record<string, string>> = {
  bytes: 'A DMA transfer is a multiple of 4 bytes',
  from: 'A DMA transfer starts at a multiple of 4',
  to: 'A DMA transfer goes to a multiple of 4',
};

const defaults = new WeakMap<object, bigint>();

function defaultOf(field: TableSpec['fields'][number]): bigint {
  let value = defaults.get(field);
  if (value === undefined) {
    value = BigInt(field.default);
    defaults.set(field, value);
  }
  return value;
}

interface RowContext {
  readonly type: PartType;
  readonly table: TableSpec;
  readonly variables: Assignment;
  readonly report: Report;
}

function encodeField(
  context: RowContext,
  row: TableRow,
  field: TableSpec['fields'][number],
): bigint {
  const raw = Object.hasOwn(row.fields, field.name) ? row.fields[field.name] : undefined;
  if (raw === undefined) return defaultOf(field);
  const found = substitute(raw, context.variables);
  const value =
    typeof found === 'string' ? found : toInteger(found.value, field.type, context.type.enums);
  if (typeof value === 'bigint') return value;
  const sentence = typeof found === 'string' ? found : throughVariable(raw, value);
  context.report(row.where.at(field.name).problem(sentence));
  return 0n;
}

/** Names the variable that brought the value. */
const throughVariable = (raw: Value, sentence: string): string =>
  variableOf(raw) === null ? sentence : `${raw}: ${sentence}`;

function checkDma(context: RowContext, row: TableRow, values: readonly bigint[]): void {
  if (!DMA.has(String(row.fields.do))) return;
  context.table.fields.forEach((field, i) => {
    const rule = WHOLE_WORDS[field.name];
    const value = values[i] ?? 0n;
    if (!rule || value % WORD === 0n) return;
    const raw = row.fields[field.name] ?? 0;
    const text = field.type === 'address' ? `0x${value.toString(16)}` : value.toString();
    const message = `${rule}; ${text} is not. The card moves whole, aligned 32-bit words.`;
    context.report(row.where.at(field.name).problem(throughVariable(raw, message)));
  });
}

function encodeRow(context: RowContext, row: TableRow): EncodedRow {
  const { fields } = context.table;
  const known = fields.map((field) => field.name);
  for (const name of Object.keys(row.fields)) {
    if (known.includes(name)) continue;
    context.report(
      row.where
        .at(name)
        .problem(
          `A row of ${quote(context.table.name)} has no ${quote(name)}${hint(name, known)}`,
          true,
        ),
    );
  }
  if (known.includes('do') && !Object.hasOwn(row.fields, 'do'))
    context.report(row.where.problem('This row does not say what to "do".'));
  const values = fields.map((field) => encodeField(context, row, field));
  checkDma(context, row, values);
  return { values, where: row.where };
}

export function encodeRows(
  type: PartType,
  table: TableSpec,
  rows: readonly TableRow[],
  variables: Assignment,
  report: Report,
): EncodedRow[] {
  const context: RowContext = { type, table, variables, report };
  return rows.map((row) => encodeRow(context, row));
}

const operation = (rows: readonly TableRow[], index: number) => rows.at(index)?.fields.do;

/**
 * The programs of all threads as one table: a `thread` row stands before each but the first, and each
 * ends with `end`. Files need not say either.
 */
export function joinThreads(threads: readonly (readonly TableRow[])[]): TableRow[] {
  return threads.flatMap((rows, i) => {
    const [first] = rows;
    const last = rows.at(-1);
    if (!first || !last) return [];
    const joined = [...rows];
    if (i > 0 && operation(rows, 0) !== 'thread')
      joined.unshift({ fields: { do: 'thread' }, where: first.where });
    if (operation(rows, -1) !== 'end') joined.push({ fields: { do: 'end' }, where: last.where });
    return joined;
  });
}
