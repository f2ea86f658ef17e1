/** Results of a sweep as a table (CSV) or JSON, and several of them, such as the parts of a sweep, made one. */
import { quote } from '../../base/suggest';
import { csvLine } from '../report/export';
import type { Value } from '../scenario/scenario-types';
import { scalarOf } from '../scenario/settings';
import type { PointResult } from './run-points';
import { type SweepPlan, sweepDigest } from './sweep-plan';

type Cell = Value | null;

/** What a file of results holds, whichever its format. */
export interface SweepTable {
  readonly sweep: string;
  readonly scenario: string;
  /** Number of points of the whole sweep. */
  readonly of: number;
  readonly axes: readonly string[];
  /** Names of measures with their units: "time (us)". */
  readonly metrics: readonly string[];
  readonly rows: readonly SweepRow[];
}

interface SweepRow {
  readonly point: number;
  readonly at: readonly Cell[];
  readonly values: readonly (number | null)[];
  readonly hash: string | null;
  readonly problem: string;
}

export function sweepTable(
  plan: SweepPlan,
  of: number,
  results: readonly PointResult[],
): SweepTable {
  const rows = results
    .map(({ point, values, hash, problem }) => ({
      point: point.index,
      at: plan.axes.map(({ name }) => point.at[name] ?? null),
      values,
      hash,
      problem,
    }))
    .sort((a, b) => a.point - b.point);
  return {
    sweep: sweepDigest(plan),
    scenario: plan.scenario.id,
    of,
    axes: plan.axes.map(({ name }) => name),
    metrics: plan.measures.map(({ name, unit }) => (unit ? `${name} (${unit})` : name)),
    rows,
  };
}

const FIRST = ['sweep', 'scenario', 'point', 'of'] as const;
const LAST = ['hash', 'problem'] as const;

export const tableCsv = ({ sweep, scenario, of, axes, metrics, rows }: SweepTable): string =>
  csvLine([...FIRST, ...axes.map((name) => `at ${name}`), ...metrics, ...LAST]) +
  rows
    .map(({ point, at, values, hash, problem }) =>
      csvLine([sweep, scenario, point, of, ...at, ...values, hash, problem]),
    )
    .join('');

export const tableJson = (table: SweepTable) => ({
  ...table,
  rows: table.rows.map(({ point, at, values, hash, problem }) => ({
    point,
    at: Object.fromEntries(table.axes.map((name, i) => [name, at[i] ?? null])),
    values: Object.fromEntries(table.metrics.map((name, i) => [name, values[i] ?? null])),
    hash,
    problem,
  })),
});

/** The cells of each line of a CSV file; a quoted cell may hold commas, quotes and line ends. */
function* csvRows(text: string): Generator<{ line: number; cells: string[] }> {
  let cells: string[] = [];
  let [line, began] = [1, 1];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (!found) throw new RangeError(`Line ${line}: this is no line of a CSV file.`);
    const [, raw = '', end] = found;
    cells.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    line += raw.split('\n').length - 1;
    if (end === ',') continue;
    if (end !== '') line++;
    if (cells.length > 1 || cells[0] !== '') yield { line: began, cells };
    [cells, began] = [[], line];
  }
}

const AXIS = /^at (.+)$/;

function numberIn(text: string, line: number, what: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new RangeError(`Line ${line}: ${what} should be a number; this is ${quote(text)}.`);
}

/** A table from CSV, also from several files one after another: each repeats the head. Null if that is all. */
function readCsv(text: string): SweepTable | null {
  let [head, table]: [string[] | null, SweepTable | null] = [null, null];
  const rows: SweepRow[] = [];
  for (const { line, cells } of csvRows(text)) {
    if (cells[0] === FIRST[0]) {
      if (head && head.join('\0') !== cells.join('\0'))
        throw new RangeError(`Line ${line}: the columns differ from those before.`);
      head = cells;
      continue;
    }
    if (!head) throw new RangeError(`Line ${line}: these are no results of a sweep.`);
    if (cells.length !== head.length)
      throw new RangeError(`Line ${line}: ${cells.length} cells, but ${head.length} columns.`);
    const axes = head.flatMap((name) => AXIS.exec(name)?.[1] ?? []);
    const [sweep = '', scenario = '', point = '', of = ''] = cells;
    const valuesFrom = FIRST.length + axes.length;
    const [hash = '', problem = ''] = cells.slice(-LAST.length);
    const own: SweepTable = {
      sweep,
      scenario,
      of: numberIn(of, line, '"of"'),
      axes,
      metrics: head.slice(valuesFrom, -LAST.length),
      rows: [],
    };
    if (table && !isSame(table, own))
      throw new RangeError(`Line ${line}: the results are of another sweep.`);
    table ??= own;
    rows.push({
      point: numberIn(point, line, '"point"'),
      at: cells.slice(FIRST.length, valuesFrom).map(scalarOf),
      values: cells
        .slice(valuesFrom, -LAST.length)
        .map((cell) => (cell === '' ? null : numberIn(cell, line, 'a value'))),
      hash: hash || null,
      problem,
    });
  }
  if (!head) throw new RangeError('It has no results of a sweep.');
  return table && { ...table, rows };
}

function readJson(text: string): SweepTable {
  const none = new RangeError('It is no JSON that a sweep has written.');
  let file: ReturnType<typeof tableJson>;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new RangeError(`It is no JSON: ${(error as Error).message}.`);
  }
  const { sweep, axes, metrics, rows } = file;
  if (typeof sweep !== 'string' || ![axes, metrics, rows].every(Array.isArray)) throw none;
  return {
    ...file,
    rows: rows.map((row) => {
      if (typeof row?.point !== 'number' || !row.at || !row.values) throw none;
      const at = axes.map((name) => row.at[name] ?? null);
      return { ...row, at, values: metrics.map((name) => row.values[name] ?? null) };
    }),
  };
}

/**
 * Reads results from CSV or JSON.
 * @returns null if there are none, as in a part of a sweep that has more parts than points
 * @throws {RangeError} with a sentence
 */
export const readTable = (text: string): SweepTable | null =>
  text.trimStart().startsWith('{') ? readJson(text) : readCsv(text.replace(/^\ufeff/, ''));

const isSame = (one: SweepTable, other: SweepTable): boolean =>
  one.sweep === other.sweep &&
  one.of === other.of &&
  one.axes.join('\0') === other.axes.join('\0') &&
  one.metrics.join('\0') === other.metrics.join('\0');

const resultOf = ({ values, hash, problem }: SweepRow): string =>
  JSON.stringify([values, hash, problem]);

/**
 * Makes one table of several, each with its name. A point may be in more than one if its results are equal.
 * @throws {RangeError} with a sentence
 */
export function mergeTables(tables: readonly (readonly [string, SweepTable])[]): SweepTable {
  const [first] = tables;
  if (!first) throw new RangeError('There is nothing to merge.');
  const rows = new Map<number, SweepRow>();
  for (const [name, table] of tables) {
    if (!isSame(first[1], table))
      throw new RangeError(`${name} holds another sweep than ${first[0]}.`);
    for (const row of table.rows) {
      const known = rows.get(row.point);
      if (known && resultOf(known) !== resultOf(row))
        throw new RangeError(
          `${name}: point ${row.point} has other results than before; the programs that ran it may differ.`,
        );
      if (!known) rows.set(row.point, row);
    }
  }
  return { ...first[1], rows: [...rows.values()].sort((a, b) => a.point - b.point) };
}

/** Points of the sweep without a result. */
export function missingPoints({ of, rows }: SweepTable): number[] {
  const known = new Set(rows.map(({ point }) => point));
  return Array.from({ length: of }, (_, i) => i).filter((point) => !known.has(point));
}
