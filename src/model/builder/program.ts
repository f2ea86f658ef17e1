/** Programs of a machine that is being built: threads of rows, and which fields a row has. */
import type { PartType } from '../../engine/manifest';
import { programTable } from '../scenario/catalogue';
import { workloadKey } from '../scenario/paths';
import type { Value } from '../scenario/scenario-types';
import type { ItemFile, LoopFile, RowFile } from '../scenario/schema';
import { writtenValue } from '../scenario/values';
import type { BuildFile } from './build-types';

type Threads = readonly (readonly ItemFile[])[];

const isRow = (item: unknown): item is ItemFile => typeof item === 'object' && !Array.isArray(item);

function workOf({ workload = {} }: BuildFile, part: string) {
  const key = workloadKey(workload, part);
  return key === undefined ? undefined : workload[key];
}

/** The threads of a part, however its work is written. Loops stay loops. */
export function threadsOf(file: BuildFile, part: string): Threads {
  const named = (name: string) => file.programs?.[name] ?? [];
  const work = workOf(file, part);
  if (work === undefined) return [];
  if (typeof work === 'string') return [named(work)];
  if (work.length > 0 && work.every(isRow)) return [work];
  return work.map((thread) =>
    typeof thread === 'string' ? named(thread) : (thread as ItemFile[]),
  );
}

/** How often a workload names a program; a pattern stands for several parts. */
function usesOf(file: BuildFile, program: string): number {
  const all = Object.entries(file.workload ?? {}).flatMap(([key, work]): readonly unknown[] => {
    const threads = typeof work === 'string' ? [work] : work;
    return key.includes('*') ? [...threads, ...threads] : threads;
  });
  return all.filter((one) => one === program).length;
}

/** Puts other rows into a thread, in the place where they are written: a program that others run too stays as it is. */
export function withThread(
  file: BuildFile,
  part: string,
  thread: number,
  rows: readonly ItemFile[],
): BuildFile {
  const next = [...rows];
  const work = workOf(file, part);
  const isList = typeof work !== 'string' && !(work?.length && work.every(isRow));
  const named = isList ? work?.[thread] : work;
  if (typeof named === 'string' && file.programs?.[named] && usesOf(file, named) === 1)
    return { ...file, programs: { ...file.programs, [named]: next } };
  const threads = isList ? (work ?? []).map((one, i) => (i === thread ? next : one)) : null;
  const changed = (threads ?? (next.length > 0 ? next : [next])) as NonNullable<typeof work>;
  return { ...file, workload: { ...file.workload, [part]: changed } };
}

/** A loop as the scenario text has it, on one line. */
export const loopText = (loop: LoopFile): string =>
  JSON.stringify(loop, null, 1).replace(/\n\s*/g, ' ');

/** Whether parts of a type run programs. */
export const runsPrograms = (type: PartType): boolean => programTable(type)?.loops !== undefined;

/** What is typed for a field of a row, as a file writes it. */
export function fieldValue(type: PartType, field: string, text: string): Value {
  const found = programTable(type)?.fields.find(({ name }) => name === field);
  return writtenValue(text, found?.type ?? '');
}

/** The operations of a part's programs. */
function operationsOf(type: PartType) {
  const field = programTable(type)?.fields.find(({ name }) => name === 'do');
  return type.enums[field?.type ?? ''] ?? [];
}

/** The fields that a row of an operation may have. */
export const fieldsOf = (type: PartType, operation: string): readonly string[] =>
  operationsOf(type).find(({ name }) => name === operation)?.fields ?? [];

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
