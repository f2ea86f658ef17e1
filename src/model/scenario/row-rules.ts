/**
 * Constraints of a manifest on rows of a table: fields of some operations, and loops and threads of a program. They
 * are checked before the run and reported at the row.
 */

import { quote } from '../../base/suggest';
import type { PartType, RowRule, TableSpec } from '../../engine/manifest';
import { isExpression } from './expression';
import { brokenRule, relatedTo } from './param-rules';
import type { Problem } from './problems';
import type { TableRow, Value } from './scenario-types';
import { outOfRange, variableOf } from './values';

export interface RowContext {
  readonly type: PartType;
  readonly table: TableSpec;
  readonly report: (problem: Problem) => void;
}

/** Adds the variable or expression that gave the value to a message. */
export const throughVariable = (raw: Value, sentence: string): string =>
  variableOf(raw) === null && !isExpression(raw) ? sentence : `${raw}: ${sentence}`;

const operationOf = (row: TableRow): string => String(row.fields.do ?? '');

const appliesTo = (rule: RowRule, operation: string) =>
  rule.ops.length === 0 || rule.ops.includes(operation);

/** A rule of a field, in the form of a parameter rule. */
interface FieldRule {
  readonly spec: Parameters<typeof brokenRule>[2];
  readonly params: Parameters<typeof brokenRule>[1]['params'];
}

/** Cache: a program has thousands of rows, a table few rules. */
const fieldRules = new WeakMap<RowRule, FieldRule | null>();

function fieldRuleOf({ fields }: TableSpec, rule: RowRule): FieldRule | null {
  const known = fieldRules.get(rule);
  if (known !== undefined) return known;
  const field = fields.find((one) => one.name === rule.field);
  const { min, max } = rule;
  const made = field && {
    spec: { ...field, title: field.name, min, max, ...(rule.rule && { rule: rule.rule }) },
    params: fields.map(({ name, type }) => ({ name, title: name, type })),
  };
  fieldRules.set(rule, made ?? null);
  return made ?? null;
}

/** Why a field's value violates a rule; null if it does not. */
function brokenField(
  { type: { enums }, table }: RowContext,
  rule: RowRule,
  operation: string,
  values: readonly bigint[],
): string | null {
  const found = fieldRuleOf(table, rule);
  if (!found) return null;
  const { spec, params } = found;
  const read = (name: string) => values[table.fields.findIndex((one) => one.name === name)] ?? 0n;
  const why =
    outOfRange(read(spec.name), spec, enums) ??
    brokenRule(operation, { params, enums }, spec, read);
  return why && rule.doc ? `${why} ${rule.doc}` : why;
}

function missing({ table }: RowContext, { field }: RowRule, operation: string): string {
  const doc = table.fields.find(({ name }) => name === field)?.doc ?? '';
  return `${quote(operation)} needs ${quote(field)}. ${doc}`.trim();
}

/** Checks the fields of a row; errors that follow from another refused field are not reported. */
export function checkFields(context: RowContext, row: TableRow, values: readonly bigint[]): void {
  const operation = operationOf(row);
  const broken = new Set<string>();
  for (const rule of context.table.rules) {
    const { field } = rule;
    if (broken.has(field) || !appliesTo(rule, operation)) continue;
    if (rule.given && !Object.hasOwn(row.fields, field)) {
      broken.add(field);
      context.report(row.where.problem(missing(context, rule, operation)));
      continue;
    }
    if (rule.rule && relatedTo(rule.rule).some((name) => broken.has(name))) continue;
    const why = brokenField(context, rule, operation, values);
    if (why === null) continue;
    broken.add(field);
    const raw = row.fields[field] ?? 0;
    context.report(row.where.at(field).problem(throughVariable(raw, why)));
  }
}

/** Checks that loops are closed, and the limits of a program. */
export function checkProgram(context: RowContext, rows: readonly TableRow[]): void {
  const { loops, threads } = context.table;
  if (loops === undefined || threads === undefined) return;
  const refuse = (row: TableRow, sentence: string) => context.report(row.where.problem(sentence));
  const open: TableRow[] = [];
  let count = 1;
  rows.forEach((row, i) => {
    const operation = operationOf(row);
    if (operation === 'repeat') {
      open.push(row);
      if (open.length === loops + 1) refuse(row, `Loops can be nested at most ${loops} deep.`);
    }
    if (operation === 'again' && !open.pop()) refuse(row, 'This "again" closes no "repeat".');
    if (operation === 'thread' && i > 0 && ++count === threads + 1)
      refuse(row, `A processor has at most ${threads} threads; this is one more.`);
    if (operation !== 'thread' && operation !== 'end') return;
    for (const loop of open.splice(0)) refuse(loop, 'This "repeat" has no "again" in its thread.');
  });
  for (const loop of open) refuse(loop, 'This "repeat" has no "again".');
  const last = rows.at(-1);
  if (last && operationOf(last) !== 'end') refuse(last, 'The last row of a program is "end".');
}
