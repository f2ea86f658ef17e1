/**
 * Encodes tables of a part: rows of named fields become integers in manifest order. Programs are such a table: each
 * row is an operation, and a row `thread` separates the programs of two threads.
 */

import { hint, quote } from '../../base/suggest';
import type { EnumMember, TableSpec } from '../../engine/manifest';
import type { EncodedRow } from './encode';
import { evaluate, isExpression } from './expression';
import { checkFields, checkProgram, type RowContext, throughVariable } from './row-rules';
import type { Assignment, TableRow, Value } from './scenario-types';
import { substitute, toInteger } from './values';

const defaults = new WeakMap<object, bigint>();

function defaultOf(field: TableSpec['fields'][number]): bigint {
  let value = defaults.get(field);
  if (value === undefined) {
    value = BigInt(field.default);
    defaults.set(field, value);
  }
  return value;
}

interface Encoding extends RowContext {
  readonly variables: Assignment;
}

/** A field's value, with variables replaced. */
function valueIn(raw: Value, variables: Assignment): { value: Value } | string {
  if (!isExpression(raw)) return substitute(raw, variables);
  const lookup = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
  return evaluate(raw, lookup, Object.keys(variables));
}

function encodeField(context: Encoding, row: TableRow, field: TableSpec['fields'][number]): bigint {
  const raw = Object.hasOwn(row.fields, field.name) ? row.fields[field.name] : undefined;
  if (raw === undefined) return defaultOf(field);
  const found = valueIn(raw, context.variables);
  const value =
    typeof found === 'string' ? found : toInteger(found.value, field.type, context.type.enums);
  if (typeof value === 'bigint') return value;
  const sentence =
    typeof found === 'string' && !isExpression(raw) ? found : throughVariable(raw, value);
  context.report(row.where.at(field.name).problem(sentence));
  return 0n;
}

/** The operation of a row; undefined if a variable names it, because the fields of possible operations differ. */
function operationNamed({ table, type }: RowContext, row: TableRow): EnumMember | undefined {
  const field = table.fields.find(({ name }) => name === 'do');
  const members: readonly EnumMember[] = type.enums[field?.type ?? ''] ?? [];
  return members.find(({ name }) => name === row.fields.do);
}

/** Reports fields that the table or the operation does not have. */
function checkNames(context: RowContext, row: TableRow, known: readonly string[]): void {
  const operation = operationNamed(context, row);
  const own = operation?.fields ?? known.filter((name) => name !== 'do');
  const owner = operation ? quote(operation.name) : `A row of ${quote(context.table.name)}`;
  for (const name of Object.keys(row.fields)) {
    if (name === 'do' ? known.includes(name) : own.includes(name)) continue;
    const instead = own.length > 0 ? hint(name, own) : ': it has no fields.';
    const sentence = `${owner} has no field ${quote(name)}${instead}`;
    context.report(row.where.at(name).problem(sentence, true));
  }
}

function encodeRow(context: Encoding, row: TableRow): EncodedRow {
  const { fields } = context.table;
  const known = fields.map((field) => field.name);
  checkNames(context, row, known);
  if (known.includes('do') && !Object.hasOwn(row.fields, 'do'))
    context.report(row.where.problem('This row has no "do".'));
  const values = fields.map((field) => encodeField(context, row, field));
  return { values, where: row.where };
}

/** Encodes rows. The rules are not checked if a field has no valid value. */
export function encodeRows(context: Encoding, rows: readonly TableRow[]): EncodedRow[] {
  let problems = 0;
  const reported = new Map<string, string>();
  const rowContext = (row: TableRow): Encoding => ({
    ...context,
    report: (found) => {
      problems++;
      // An error in a loop is reported once, not per iteration.
      const { iteration } = row.where;
      const known = iteration === '' ? iteration : (reported.get(found.pointer) ?? iteration);
      if (known !== iteration) return;
      reported.set(found.pointer, iteration);
      context.report(found);
    },
  });
  const encoded = rows.map((row) => encodeRow(rowContext(row), row));
  if (problems > 0) return encoded;
  rows.forEach((row, i) => {
    checkFields(rowContext(row), row, encoded[i]?.values ?? []);
  });
  checkProgram(context, rows);
  return encoded;
}

const operation = (rows: readonly TableRow[], index: number) => rows.at(index)?.fields.do;

/**
 * The programs of all threads as one table: a `thread` row separates threads, and each ends with `end`. Both are
 * optional in files.
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
