/** Programs of a machine that is being built: threads of rows, and which fields a row has. */
import type { PartType } from '../../engine/manifest';
import { programTable } from '../scenario/catalogue';
import type { Value } from '../scenario/scenario-types';
import type { RowFile } from '../scenario/schema';
import type { BuildFile } from './file';

type Threads = readonly (readonly RowFile[])[];

const isRow = (item: unknown): item is RowFile => typeof item === 'object' && !Array.isArray(item);

/** The threads of a part, however its work is written. */
export function threadsOf(file: BuildFile, part: string): Threads {
  const named = (name: string) => file.programs?.[name] ?? [];
  const work = file.workload?.[part];
  if (work === undefined) return [];
  if (typeof work === 'string') return [named(work)];
  if (work.length > 0 && work.every(isRow)) return [work];
  return work.map((thread) => (typeof thread === 'string' ? named(thread) : (thread as RowFile[])));
}

export function withThread(
  file: BuildFile,
  part: string,
  thread: number,
  rows: readonly RowFile[],
): BuildFile {
  const threads = threadsOf(file, part).map((one, i) => [...(i === thread ? rows : one)]);
  return { ...file, workload: { ...file.workload, [part]: threads } };
}

/** The operations of a part's programs. */
function operationsOf(type: PartType) {
  const field = programTable(type)?.fields.find(({ name }) => name === 'do');
  return type.enums[field?.type ?? ''] ?? [];
}

/** The fields that an operation is about: its sentence names them. */
export function fieldsOf(type: PartType, operation: string): string[] {
  const doc = operationsOf(type).find(({ name }) => name === operation)?.doc ?? '';
  const said = [...doc.matchAll(/`(\w+)`/g)].map(([, word]) => word);
  const fields = programTable(type)?.fields ?? [];
  return fields.flatMap(({ name }) => (name !== 'do' && said.includes(name) ? [name] : []));
}

/** What a field holds in a new row: the least that is no nonsense. */
const FIRST: Readonly<Record<string, Value>> = { bytes: '4 B', time: '1 us', count: 1 };

export const newRow = (type: PartType, operation: string): RowFile => ({
  do: operation,
  ...Object.fromEntries(
    fieldsOf(type, operation).flatMap((field) =>
      FIRST[field] === undefined ? [] : [[field, FIRST[field]]],
    ),
  ),
});
