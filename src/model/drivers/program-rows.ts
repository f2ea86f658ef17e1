/** The programs of a compiled machine: each row of the engine with its place in the file. */
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import type { EncodedRow } from '../scenario/encode';
import type { ItemPath } from '../scenario/program-loops';

interface ProgramRow {
  readonly thread: number;
  readonly operation: string;
  /** Null for a row that the file does not have, such as the end of a thread. */
  readonly item: ItemPath | null;
}

export interface ProgramPart {
  readonly part: number;
  readonly name: string;
  /** The view of its threads, and columns of that. */
  readonly view: number;
  readonly status: number;
  readonly row: number;
  readonly rows: readonly ProgramRow[];
  /** Indexes of the rows that an item became, by thread and path. */
  readonly byItem: ReadonlyMap<string, readonly number[]>;
}

const itemKey = (thread: number, item: ItemPath): string => `${thread} ${item.join()}`;

/** Length of the path of a program or thread within the file. */
function rootLength({ where: { path, json } }: EncodedRow): number {
  const [section, key = ''] = path;
  if (section !== 'workload') return 2;
  const workload = (json.value as { workload?: Record<string, unknown> }).workload?.[key];
  const isOneThread =
    Array.isArray(workload) &&
    workload.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  return isOneThread ? 2 : 3;
}

function itemOf(row: EncodedRow, operation: string): ItemPath | null {
  const written = row.where.written() as { do?: unknown } | undefined;
  if (written?.do !== operation) return null;
  return row.where.path.slice(rootLength(row)).filter((key) => typeof key === 'number');
}

function programOf({ index, name, type, tables }: CompiledPart): ProgramPart | null {
  const table = type.tables.findIndex(({ loops }) => loops !== undefined);
  const view = type.views.findIndex((one) => one.name === 'threads');
  const { fields = [] } = type.tables[table] ?? {};
  const does = fields.findIndex((field) => field.name === 'do');
  if (table < 0 || view < 0 || does < 0) return null;
  const operations = type.enums[fields[does]?.type ?? ''] ?? [];
  let thread = 0;
  const rows = (tables[table] ?? []).map((row, at): ProgramRow => {
    const operation = operations[Number(row.values[does] ?? 0n)]?.name ?? '';
    if (at > 0 && operation === 'thread') thread++;
    return { thread, operation, item: itemOf(row, operation) };
  });
  const byItem = new Map<string, number[]>();
  rows.forEach(({ thread: own, item }, at) => {
    if (!item) return;
    const key = itemKey(own, item);
    const same = byItem.get(key);
    if (same) same.push(at);
    else byItem.set(key, [at]);
  });
  const column = (title: string) =>
    type.views[view]?.fields.findIndex((field) => field.name === title) ?? -1;
  return { part: index, name, view, status: column('status'), row: column('row'), rows, byItem };
}

const known = new WeakMap<CompiledMachine, readonly ProgramPart[]>();

/** The parts that run programs. */
export function programParts(machine: CompiledMachine): readonly ProgramPart[] {
  const found = known.get(machine) ?? machine.parts.flatMap((part) => programOf(part) ?? []);
  known.set(machine, found);
  return found;
}

/** The rows of the engine that an item of a thread became: several in a loop. */
export const rowsOfItem = (
  { byItem }: ProgramPart,
  thread: number,
  item: ItemPath,
): readonly number[] => byItem.get(itemKey(thread, item)) ?? [];

/** The query that finds the beginnings of rows; it counts them from 1. */
export const beginsQuery = ({ name }: ProgramPart, rows: readonly number[]): string => {
  const counted = rows.map((row) => row + 1);
  const [first = 0, last = first] = [counted[0], counted.at(-1)];
  const isRange = counted.length > 1 && last - first === counted.length - 1;
  const each = isRange ? [`${first}-${last}`] : counted.map(String);
  return each.map((row) => `(part=${name} begins:${row})`).join(' OR ');
};
