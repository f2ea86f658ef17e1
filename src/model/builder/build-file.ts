/**
 * The machine in the builder: a scenario file that extends no other, so that every part and wire can be removed.
 * Figures, experiment and lesson of the original scenario are dropped, because they belong to its machine.
 */
import type { PartType } from '../../engine/manifest';
import { programTable } from '../scenario/catalogue';
import { readJson } from '../scenario/json-text';
import { matchesPattern, workloadKey } from '../scenario/paths';
import { type Result, success } from '../scenario/problems';
import type { ItemFile, RowFile } from '../scenario/program-loops';
import {
  type Assignment,
  type Edits,
  type Factor,
  type Metric,
  type ParamSetting,
  type Scenario,
  type ScenarioPart,
  type TableRow,
  type Term,
  type ThreadWork,
  type Value,
  Where,
  type WireEnd,
} from '../scenario/scenario-types';
import { type ParamFile, scenarioFile } from '../scenario/schema';
import { readShape } from '../scenario/shape-errors';
import { substitute, writtenValue } from '../scenario/values';
import type { BuildFile, BuildPart } from './build-types';
import { addressesFor } from './free-addresses';

/** One place of a part's port, by name. */
export interface Socket {
  readonly part: string;
  readonly port: string;
  readonly index: number;
}

type Port = Pick<PartType['ports'][number], 'name' | 'count'>;

/** "bus.slot2": the index is added if the port has several places. */
export const endText = (part: string, { name, count }: Port, index: number): string =>
  `${part}.${name}${count > 1 ? index : ''}`;

const rowsOf = (rows: readonly TableRow[]): RowFile[] => rows.map(({ fields }) => ({ ...fields }));

function paramFile({ value, basis, source }: ParamSetting, spec: ParamSpecOf | undefined) {
  const isUsual = basis === spec?.basis && source === spec.source;
  return isUsual ? value : { value, basis, source };
}

type ParamSpecOf = PartType['params'][number];

function partFile(part: ScenarioPart, edits: Edits): BuildPart {
  const { name, type, title, at } = part;
  const params: Record<string, ParamFile> = {};
  for (const [own, setting] of part.params)
    params[own] = paramFile(
      setting,
      type.params.find((spec) => spec.name === own),
    );
  for (const spec of type.params) {
    const edit = edits[`${name}.${spec.name}`];
    if (edit !== undefined) params[spec.name] = edit;
  }
  const tables = [...part.tables].map(([table, rows]) => [table, rowsOf(rows)] as const);
  return {
    type: type.name,
    title,
    ...(at ? { at: [...at] } : {}),
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(tables.length > 0 ? { tables: Object.fromEntries(tables) } : {}),
  };
}

/** The program of a thread as it is written, with its loops. */
function threadFile(work: ThreadWork, scenario: Scenario, variables: Assignment): ItemFile[] {
  if ('rows' in work) return work.where.written() as ItemFile[];
  const found = substitute(work.program, variables);
  const name = typeof found === 'string' ? '' : String(found.value);
  const rows = scenario.programs.get(name);
  if (!rows) return [];
  // Rows of a session replace the scenario's; they are in a separate text, under the same program name.
  const { json } = (rows[0] ?? scenario.until).where;
  return new Where(json, ['programs', name]).written() as ItemFile[];
}

function metricFile({ title, unit, product, over }: Metric, parts: readonly ScenarioPart[]) {
  const term = (one: Term): number | string => {
    if (one.kind === 'number') return one.value;
    if (one.kind === 'variable') return `$${one.name}`;
    const part = parts[one.part];
    return `${part?.name}.${part?.type.counters[one.counter]?.name}`;
  };
  const factor = (one: Factor) =>
    one.kind === 'sum' ? { sum: one.terms.map((terms) => terms.map(term)) } : term(one);
  return {
    title,
    ...(unit ? { unit } : {}),
    product: product.map(factor),
    ...(over.length > 0 ? { over: over.map(factor) } : {}),
  };
}

const fromMap = <A, B>(map: ReadonlyMap<string, A>, to: (value: A) => B): Record<string, B> =>
  Object.fromEntries([...map].map(([name, value]) => [name, to(value)]));

/** The open scenario as a self-contained file, with the open run's variables and edits. */
export function fileOf(scenario: Scenario, chosen: Assignment, edits: Edits): BuildFile {
  const variables = { ...fromMap(scenario.variables, ({ value }) => value), ...chosen };
  const { parts, wires } = scenario.machine;
  const end = ({ part, port, index }: WireEnd) => {
    const { name = '', type } = parts[part] ?? {};
    const spec = type?.ports.find((one) => one.name === port);
    return endText(name, spec ?? { name: port, count: 1 }, index);
  };
  const workload = [...scenario.workload].map(([part, threads]) => [
    parts[part]?.name ?? '',
    threads.map((work) => threadFile(work, scenario, variables)),
  ]);
  return {
    busyard: 1,
    title: scenario.title,
    summary: scenario.summary,
    system: scenario.system,
    machine: {
      parts: Object.fromEntries(parts.map((part) => [part.name, partFile(part, edits)])),
      wires: wires.map(({ ends }) => [end(ends[0]), end(ends[1])]),
    },
    variables: fromMap(scenario.variables, ({ name, value, title, unit }) => ({
      value: variables[name] ?? value,
      title,
      ...(unit ? { unit } : {}),
    })),
    workload: Object.fromEntries(workload),
    until: scenario.until.value,
    seed: scenario.seed.value as number | string,
    metrics: fromMap(scenario.metrics, (metric) => metricFile(metric, parts)),
    view: { kind: 'machine' },
  };
}

/** A machine without parts. */
export const emptyFile = (): BuildFile => ({
  busyard: 1,
  title: 'My machine',
  summary: 'A machine wired by hand.',
  system: 'own',
  machine: { parts: {}, wires: [] },
  workload: {},
  until: '1 ms',
  view: { kind: 'machine' },
});

const MAX_ON_A_LINE = 96;

/** Formats a file: values that fit are on one line. */
export function fileText(value: unknown, indent = ''): string {
  const short = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, ' ') ?? 'null';
  const isPlain = typeof value !== 'object' || value === null;
  if (isPlain || (indent !== '' && indent.length + short.length <= MAX_ON_A_LINE)) return short;
  const more = `${indent}  `;
  const rows = Array.isArray(value)
    ? value.map((item) => more + fileText(item, more))
    : Object.entries(value).map(
        ([name, item]) => `${more}${JSON.stringify(name)}: ${fileText(item, more)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return rows.length === 0 ? short : `${open}\n${rows.join(',\n')}\n${indent}${close}`;
}

const withMachine = (file: BuildFile, machine: Partial<BuildFile['machine']>): BuildFile => ({
  ...file,
  machine: { ...file.machine, ...machine },
});

const withPart = (file: BuildFile, name: string, part: BuildPart): BuildFile =>
  withMachine(file, { parts: { ...file.machine.parts, [name]: part } });

const without = <T>(all: Readonly<Record<string, T>>, name: string): Record<string, T> => {
  const { [name]: _, ...others } = all;
  return others;
};

/** An unused name: "pci", then "pci2". */
function free(taken: readonly (string | undefined)[], base: string, gap = ''): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}${gap}${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** Adds a part at free addresses; one that runs programs gets an empty program. */
export function addPart(file: BuildFile, type: PartType): { file: BuildFile; name: string } {
  const { parts } = file.machine;
  const name = free(Object.keys(parts), type.name);
  const titles = Object.values(parts).map((part) => part.title);
  const title = free(titles, type.title, ' ');
  const runs = type.tables.some(({ loops }) => loops !== undefined);
  const params = addressesFor(file, type);
  const placed = Object.keys(params).length > 0 ? { params } : {};
  const added = withPart(file, name, { type: type.name, title, ...placed });
  const workload = runs ? { ...file.workload, [name]: [[{ do: 'end' }]] } : file.workload;
  return { file: { ...added, ...(workload ? { workload } : {}) }, name };
}

/** The workload of the other parts; a pattern that matched only the removed part is removed. */
function workWithout({ machine, workload = {} }: BuildFile, name: string) {
  const others = Object.keys(machine.parts).filter((part) => part !== name);
  const kept = Object.entries(without(workload, name)).filter(
    ([key]) => !key.includes('*') || others.some((part) => matchesPattern(part, key)),
  );
  return Object.fromEntries(kept);
}

const partOfEnd = (end: string): string => end.slice(0, end.indexOf('.'));

/** Whether a counter in a metric belongs only to this part; a pattern does if it matches no other part. */
function isCounterOf(counter: string, name: string, parts: readonly string[]): boolean {
  const pattern = partOfEnd(counter);
  const matching = parts.filter((part) => matchesPattern(part, pattern));
  if (!counter.includes('*')) return pattern === name;
  return matching.length === 1 && matching[0] === name;
}

/** Removes a part with its wires, its programs, and the metrics that use its counters. */
export function removePart(file: BuildFile, name: string): BuildFile {
  const { parts, wires } = file.machine;
  const metrics = Object.entries(file.metrics ?? {}).filter(
    ([, { product, over }]) =>
      ![...product, ...(over ?? [])]
        .flatMap((one) => (typeof one === 'object' ? one.sum.flat() : [one]))
        .some((one) => isCounterOf(String(one), name, Object.keys(parts))),
  );
  return {
    ...withMachine(file, {
      parts: without(parts, name),
      wires: wires.filter((ends) => !ends.some((end) => partOfEnd(end) === name)),
    }),
    ...(file.workload ? { workload: workWithout(file, name) } : {}),
    ...(file.metrics ? { metrics: Object.fromEntries(metrics) } : {}),
  };
}

export const addWire = (file: BuildFile, from: string, to: string): BuildFile =>
  withMachine(file, { wires: [...file.machine.wires, [from, to]] });

export const removeWire = (file: BuildFile, end: string): BuildFile =>
  withMachine(file, { wires: file.machine.wires.filter((ends) => !ends.includes(end)) });

/** Sets a parameter; null restores the default. */
export function setPartParam(
  file: BuildFile,
  name: string,
  param: string,
  value: Value | null,
): BuildFile {
  const part = file.machine.parts[name];
  if (!part) return file;
  const others = without(part.params ?? {}, param);
  const params = value === null ? others : { ...others, [param]: value };
  return withPart(file, name, { ...part, params });
}

/** Writes edits and variables into the file. */
export function withEdits(file: BuildFile, chosen: Assignment, edits: Edits): BuildFile {
  const variables = Object.fromEntries(
    Object.entries(file.variables ?? {}).map(([name, written]) => {
      const value = chosen[name];
      if (value === undefined) return [name, written];
      return [name, typeof written === 'object' ? { ...written, value } : value];
    }),
  );
  return Object.entries(edits).reduce(
    (now, [path, value]) => {
      const [part = '', param = ''] = path.split('.');
      return setPartParam(now, part, param, value);
    },
    file.variables ? { ...file, variables } : file,
  );
}

export function setPartTitle(file: BuildFile, name: string, title: string): BuildFile {
  const part = file.machine.parts[name];
  return part && title ? withPart(file, name, { ...part, title }) : file;
}

/** Sets the positions of parts in the drawing; other parts keep theirs. */
export function placeParts(
  file: BuildFile,
  places: Readonly<Record<string, readonly [number, number, number, number]>>,
): BuildFile {
  const parts = Object.entries(file.machine.parts).map(([name, part]) => {
    const at = places[name];
    return [name, at ? { ...part, at: [...at] as [number, number, number, number] } : part];
  });
  return withMachine(file, { parts: Object.fromEntries(parts) });
}

/** Removes all positions: the page then lays out the parts. */
export function tidy(file: BuildFile): BuildFile {
  const parts = Object.entries(file.machine.parts).map(([name, { at: _, ...part }]) => [
    name,
    part,
  ]);
  return withMachine(file, { parts: Object.fromEntries(parts) });
}

/** Null for a text that extends another machine, because it does not contain all parts. */
export function readBuilt(text: string, name: string): Result<BuildFile | null> {
  const json = readJson(text, name);
  if (!json.ok) return json;
  const file = readShape(json.value, scenarioFile);
  if (!file.ok) return file;
  const { extends: base, parts = {}, wires = [] } = file.value.machine;
  const own = Object.entries(parts).filter(
    (entry): entry is [string, BuildPart] => entry[1]?.type !== undefined,
  );
  if (base !== undefined || own.length < Object.keys(parts).length) return success(null);
  return success({ ...file.value, machine: { parts: Object.fromEntries(own), wires } });
}

type Threads = readonly (readonly ItemFile[])[];

const isRow = (item: unknown): item is ItemFile => typeof item === 'object' && !Array.isArray(item);

function workOf({ workload = {} }: BuildFile, part: string) {
  const key = workloadKey(workload, part);
  return key === undefined ? undefined : workload[key];
}

/** The threads of a part, in any of the formats of a workload. Loops are kept. */
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

/** Number of uses of a program in the workload; a pattern counts as several. */
function usesOf(file: BuildFile, program: string): number {
  const all = Object.entries(file.workload ?? {}).flatMap(([key, work]): readonly unknown[] => {
    const threads = typeof work === 'string' ? [work] : work;
    return key.includes('*') ? [...threads, ...threads] : threads;
  });
  return all.filter((one) => one === program).length;
}

/** Replaces the rows of a thread where they are written; a program used by other threads is copied first. */
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

/** Whether parts of a type run programs. */
export const runsPrograms = (type: PartType): boolean => programTable(type)?.loops !== undefined;

/** Parses the typed value of a row's field. */
export function fieldValue(type: PartType, field: string, text: string): Value {
  const found = programTable(type)?.fields.find(({ name }) => name === field);
  return writtenValue(text, found?.type ?? '');
}

/** The operations of a part's programs. */
function operationsOf(type: PartType) {
  const field = programTable(type)?.fields.find(({ name }) => name === 'do');
  return type.enums[field?.type ?? ''] ?? [];
}

/** The fields of an operation. */
export const fieldsOf = (type: PartType, operation: string): readonly string[] =>
  operationsOf(type).find(({ name }) => name === operation)?.fields ?? [];

/** Values of fields in a new row: small valid ones. */
const FIRST: Readonly<Record<string, Value>> = { bytes: '4 B', time: '1 us', count: 1 };

export const newRow = (type: PartType, operation: string): RowFile => ({
  do: operation,
  ...Object.fromEntries(
    fieldsOf(type, operation).flatMap((field) =>
      FIRST[field] === undefined ? [] : [[field, FIRST[field]]],
    ),
  ),
});
