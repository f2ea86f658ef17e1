/** Where the rows of programs stand in the text of a scenario. */
import { type JsonText, type Path, readJson } from '../scenario/json-text';
import { workloadKey } from '../scenario/paths';
import { type ItemFile, type ItemPath, isLoop } from '../scenario/program-loops';

/** A row as one thread executes it, and its line. */
export interface RowLine {
  readonly part: string;
  readonly thread: number;
  readonly item: ItemPath;
  /** From 1. */
  readonly line: number;
}

interface Written {
  readonly workload?: Readonly<Record<string, unknown>>;
  readonly programs?: Readonly<Record<string, unknown>>;
}

/** Longer programs are not marked: every mark costs time in each frame. */
const MAX_ITEMS = 2000;

const isItem = (value: unknown): value is ItemFile =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isItems = (value: unknown): value is ItemFile[] =>
  Array.isArray(value) && value.length > 0 && value.every(isItem);

/** The place of each thread's program in the file. */
function threadsIn({ workload = {} }: Written, part: string): Path[] {
  const key = workloadKey(workload, part);
  const work = key === undefined ? undefined : workload[key];
  if (key === undefined || work === undefined) return [];
  if (typeof work === 'string') return [['programs', work]];
  if (isItems(work)) return [['workload', key]];
  if (!Array.isArray(work)) return [];
  return work.map((thread: unknown, index) =>
    typeof thread === 'string' ? ['programs', thread] : ['workload', key, index],
  );
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((now: unknown, key) => (now as Record<string, unknown> | undefined)?.[key], value);

function linesIn(json: JsonText, parts: readonly string[]): RowLine[] {
  const lines: RowLine[] = [];
  const add = (part: string, thread: number, items: unknown, where: Path, path: ItemPath) => {
    if (!isItems(items) || lines.length > MAX_ITEMS) return;
    items.forEach((item, index) => {
      const [own, at] = [
        [...path, index],
        [...where, index],
      ];
      if (isLoop(item)) add(part, thread, item.rows, [...at, 'rows'], own);
      else
        lines.push({ part, thread, item: own, line: json.problem([...at, 'do'], '', true).line });
    });
  };
  const written = json.value as Written;
  for (const part of parts)
    threadsIn(written, part).forEach((where, thread) => {
      add(part, thread, valueAt(written, where), where, []);
    });
  return lines;
}

/** The rows of the programs of some parts; none if the text cannot be read. */
export function rowLines(text: string, parts: readonly string[]): readonly RowLine[] {
  const json = readJson(text, '');
  return json.ok ? linesIn(json.value, parts) : [];
}
