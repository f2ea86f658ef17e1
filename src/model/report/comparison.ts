/**
 * Compares two runs on one clock: their identity, records, divergence and differences.
 *
 * A run is named by its value index on each axis of the experiment, and by whether it includes the session's edits:
 * "7.0" is the eighth value of the first axis and the first of the second, "7.0o" the same without edits, as
 * published. Without axes the names are "0" and "0o"; "f:A" is the fork A of the session. No name is empty, so it can be part of an address.
 */
import { count } from '../../base/format';
import { createStore } from '../../base/store';
import type { Engine } from '../../engine/api';
import { programTable } from '../scenario/catalogue';
import { compile } from '../scenario/compile';
import {
  type CompiledMachine,
  type CompiledPart,
  paramAt,
  partNamed,
  shownParam,
  shownValue,
} from '../scenario/compiled';
import { variablesAt } from '../scenario/experiment';
import type { Problem } from '../scenario/problems';
import type { Edits, Scenario, Value } from '../scenario/scenario-types';
import { toText } from '../scenario/values';
import { engineCommands } from '../session/commands';
import type { SessionCommand } from '../session/document';
import { Recorder, type Recording } from '../session/recorder';
import { createTrace, type Trace } from '../trace/trace';

export interface RunName {
  /** Index of the value on each axis. */
  readonly at: readonly number[];
  readonly edited: boolean;
  /** A kept version of the session in place of a run of the experiment. */
  readonly fork?: string;
}

const FORK = 'f:';

export function parseRunName(text: string, scenario: Scenario): RunName {
  if (text.startsWith(FORK)) return { at: [], edited: true, fork: text.slice(FORK.length) };
  const axes = scenario.experiment?.axes ?? [];
  const edited = !text.endsWith('o');
  const indexes = text.replace(/o$/, '').split('.').map(Number);
  const at = axes.map(({ values }, axis) => {
    const index = indexes[axis] ?? 0;
    return Number.isInteger(index) && index >= 0 && index < values.length ? index : 0;
  });
  return { at, edited };
}

export const formatRunName = ({ at, edited, fork }: RunName): string =>
  fork === undefined ? (at.join('.') || '0') + (edited ? '' : 'o') : FORK + fork;

/** A run to compare with: the next value of an axis other than the horizontal one. */
export function another(scenario: Scenario, { at, edited }: RunName): RunName {
  const axes = scenario.experiment?.axes ?? [];
  const other = axes.findLastIndex(
    (axis) => axis !== scenario.experiment?.x && axis.values.length > 1,
  );
  const place = other >= 0 ? other : axes.length - 1;
  if (place < 0) return { at, edited: !edited };
  const next = ((at[place] ?? 0) + 1) % (axes[place]?.values.length ?? 1);
  return { at: at.map((index, axis) => (axis === place ? next : index)), edited };
}

/** The two runs of an address; a missing second run defaults to another one than the first. */
export function runNamesIn(
  { a, b }: Readonly<Record<string, string | undefined>>,
  scenario: Scenario,
): { readonly a: RunName; readonly b: RunName } {
  const first = parseRunName(a ?? '', scenario);
  return { a: first, b: b === undefined ? another(scenario, first) : parseRunName(b, scenario) };
}

/** The run with these variables. */
export function nameOf(scenario: Scenario, variables: Readonly<Record<string, Value>>): RunName {
  const axes = scenario.experiment?.axes ?? [];
  const at = axes.map(({ name, values }) => Math.max(0, values.indexOf(variables[name] as Value)));
  return { at, edited: true };
}

/** The title of a run; without changes it is the published machine. */
export function titleOf(
  scenario: Scenario,
  { at, edited, fork }: RunName,
  hasChanges: boolean,
): string {
  if (fork !== undefined) return `fork ${fork}`;
  const axes = scenario.experiment?.axes ?? [];
  const parts = axes.map(
    ({ titles, values }, axis) => titles[at[axis] ?? 0] ?? String(values[at[axis] ?? 0]),
  );
  if (!edited || (parts.length === 0 && !hasChanges)) parts.push('as published');
  return parts.join(', ') || 'with the changes';
}

export interface Side {
  readonly name: RunName;
  readonly title: string;
  readonly machine: CompiledMachine;
  /** Timed changes of the run. */
  readonly commands: readonly SessionCommand[];
  readonly recording: Recording<Trace> | null;
}

/** The first difference: its record in each run. */
export interface Divergence {
  readonly timePs: number;
  readonly a: number | null;
  readonly b: number | null;
}

export interface Comparison {
  readonly status: 'empty' | 'running' | 'done' | 'failed';
  readonly failure: string | null;
  readonly a: Side | null;
  readonly b: Side | null;
  /** Null while it is being computed, and if the runs are identical. */
  readonly divergence: Divergence | null;
  /** If the stored records do not differ: their end time; otherwise null. */
  readonly keptPs: number | null;
}

const EMPTY: Comparison = {
  status: 'empty',
  failure: null,
  a: null,
  b: null,
  divergence: null,
  keptPs: null,
};

/** The session's changes to both runs. */
export interface SessionChanges {
  readonly edits: Edits;
  readonly commands: readonly SessionCommand[];
  readonly seed: number | null;
  /** The open run of the experiment. */
  readonly variables: Readonly<Record<string, Value>>;
}

/** Timed changes apply after a number of events, so they belong to the open run only. */
export const commandsOf = (
  scenario: Scenario,
  { at, edited }: RunName,
  { commands, variables }: SessionChanges,
): readonly SessionCommand[] =>
  edited && at.join() === nameOf(scenario, variables).at.join() ? commands : [];

export function machineOf(
  scenario: Scenario,
  { at, edited }: RunName,
  { edits, seed }: Pick<SessionChanges, 'edits' | 'seed'>,
): CompiledMachine | readonly Problem[] {
  const axes = scenario.experiment?.axes ?? [];
  const place = axes.map(({ name, values }, axis) => [name, values[at[axis] ?? 0] as Value]);
  const variables = variablesAt(scenario, Object.fromEntries(place));
  if (!variables.ok) return variables.problems;
  const changes = edited ? { edits, seed: seed ?? undefined } : {};
  const machine = compile(scenario, { variables: variables.value, ...changes });
  return machine.ok ? machine.value : machine.problems;
}

/** Records per slice, after which the page may draw. */
const SLICE = 4096;

/** The part of a trace needed for a comparison. */
export type Records = Pick<Trace, 'first' | 'last' | 'record'>;

/** The stored records of a run. */
export interface Kept {
  readonly trace: Records;
  /** The run continues after its records end. */
  readonly cut: boolean;
}

/** The records of `other`, with part indices mapped by name to those of `one`. */
export function renumbered(one: CompiledMachine, other: CompiledMachine, kept: Kept): Kept {
  const numbers = other.parts.map(({ name }) => partNamed(one, name)?.index ?? -1);
  if (numbers.every((number, index) => number === index)) return kept;
  const { cut, trace } = kept;
  const record = (seq: number) => {
    const found = trace.record(seq);
    return found && { ...found, part: numbers[found.part] ?? -1 };
  };
  return { cut, trace: { first: trace.first, last: trace.last, record } };
}

/** Two runs are identical in the stored records; null: to their ends. */
export interface Same {
  readonly untilPs: number | null;
}

const isSameRun = (parting: Divergence | Same): parting is Same => 'untilPs' in parting;

const isSame = (a: Records, b: Records, i: number): boolean => {
  const [x, y] = [a.record(a.first + i), b.record(b.first + i)];
  return (
    x !== null &&
    y !== null &&
    x.timePs === y.timePs &&
    x.part === y.part &&
    x.kind === y.kind &&
    x.a === y.a &&
    x.b === y.b &&
    x.c === y.c
  );
};

/** The first difference between the records of two runs, or how far they are identical. */
export async function firstDifference(
  one: Kept,
  other: Kept,
  breathe: () => Promise<unknown>,
): Promise<Divergence | Same> {
  const [a, b] = [one.trace, other.trace];
  const lengths = [a.last - a.first + 1, b.last - b.first + 1] as const;
  const shorter = Math.min(...lengths);
  let i = 0;
  for (; i < shorter && isSame(a, b, i); i++) if (i % SLICE === SLICE - 1) await breathe();
  const ends = [one, other].filter((_, side) => i === lengths[side]);
  if (ends.some(({ cut }) => cut)) return { untilPs: a.record(a.first + i - 1)?.timePs ?? 0 };
  if (ends.length === 2) return { untilPs: null };
  const at = (trace: Records, length: number | undefined) =>
    length !== undefined && i < length ? trace.first + i : null;
  const [seqA, seqB] = [at(a, lengths[0]), at(b, lengths[1])];
  const times = [a.record(seqA ?? 0)?.timePs, b.record(seqB ?? 0)?.timePs];
  const timePs = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
  return { timePs, a: seqA, b: seqB };
}

/** Runs two machines to their ends and finds their first difference. */
export class Comparing {
  readonly state = createStore(EMPTY);
  private readonly recorders: readonly [Recorder<Trace>, Recorder<Trace>];
  private turn = 0;

  constructor(private readonly engines: readonly [Engine, Engine]) {
    this.recorders = [new Recorder(engines[0]), new Recorder(engines[1])];
  }

  async run(a: Side, b: Side, breathe: () => Promise<unknown>): Promise<void> {
    const turn = ++this.turn;
    this.state.setState({ ...EMPTY, status: 'running', a, b }, true);
    try {
      const [one, two] = await Promise.all([this.record(0, a, turn), this.record(1, b, turn)]);
      if (turn !== this.turn || !one || !two) return;
      const other = renumbered(a.machine, b.machine, two);
      const parting = await firstDifference(one, other, breathe);
      if (turn !== this.turn) return;
      const found = isSameRun(parting) ? { keptPs: parting.untilPs } : { divergence: parting };
      this.state.setState({ ...found, status: 'done' });
    } catch (error) {
      if (turn !== this.turn) return;
      const failure = error instanceof Error ? error.message : String(error);
      this.state.setState({ status: 'failed', failure });
    }
  }

  private record(index: 0 | 1, { machine, commands }: Side, turn: number) {
    return this.recorders[index].record({
      session: { config: machine.config, commands: engineCommands(machine, commands) },
      untilPs: machine.untilPs,
      types: machine.parts.map((part) => part.type),
      makeTrace: () => createTrace(machine),
      onProgress: (recording) => {
        if (turn !== this.turn) return;
        const key = index === 0 ? 'a' : 'b';
        const side = this.state.getState()[key];
        if (side) this.state.setState({ [key]: { ...side, recording } });
      },
    });
  }

  dispose(): void {
    this.turn++;
    for (const engine of this.engines) engine.dispose();
  }
}

export interface Difference {
  readonly title: string;
  readonly a: string;
  readonly b: string;
}

/** Timed changes that differ between the runs. */
function commandDifferences(a: Side, b: Side): Difference[] {
  const keyOf = ({ at, param, value }: SessionCommand) => JSON.stringify([at, param, value]);
  const onlyIn = (side: Side, other: Side) => {
    const others = new Set(other.commands.map(keyOf));
    return side.commands.filter((command) => !others.has(keyOf(command)));
  };
  const row = ({ machine }: Side, { at, param, value }: SessionCommand) => {
    const part = machine.parts.find(({ params }) => params.some(({ path }) => path === param));
    const title = `${part?.title ?? ''}: ${paramAt(machine, param)?.spec.title ?? param}`;
    return {
      title: `${title}, after ${count(at, 'event')}`,
      value: shownValue(machine, param, value),
    };
  };
  return [
    ...onlyIn(a, b).map((command) => {
      const { title, value } = row(a, command);
      return { title, a: value, b: 'no change' };
    }),
    ...onlyIn(b, a).map((command) => {
      const { title, value } = row(b, command);
      return { title, a: 'no change', b: value };
    }),
  ];
}

/** The operation of a program's row, and how many rows are written; the compiler adds the last, which ends it. */
function rowOf({ type, tables }: CompiledPart, table: number, row: number): string {
  const fields = type.tables[table]?.fields ?? [];
  const index = fields.findIndex(({ name }) => name === 'do');
  const enumeration = fields[index]?.type ?? '';
  const operations = (tables[table] ?? []).map(({ values }) =>
    toText(values[index] ?? 0n, enumeration, type.enums),
  );
  const written = operations.filter((operation) => operation !== 'end').length;
  return `${operations[row] ?? 'end'}, ${count(written, 'row')}`;
}

/** Programs that differ, at their first row that does. */
function programDifferences(a: Side, b: Side): Difference[] {
  return a.machine.parts.flatMap((part) => {
    const other = partNamed(b.machine, part.name);
    const program = programTable(part.type);
    const table = program ? part.type.tables.indexOf(program) : -1;
    const [one, two] = [part.tables[table], other?.tables[table]];
    if (!other || !one || !two) return [];
    const keyOf = (row: number) => (rows: typeof one) => rows[row]?.values.join();
    const rows = Array.from({ length: Math.max(one.length, two.length) }, (_, row) => row);
    const row = rows.find((at) => keyOf(at)(one) !== keyOf(at)(two));
    if (row === undefined) return [];
    const title = `${part.title}: program from row ${row + 1} on`;
    return [{ title, a: rowOf(part, table, row), b: rowOf(other, table, row) }];
  });
}

/** Variables, parameters, programs and timed changes in which two runs differ. */
export function differencesOf(scenario: Scenario, a: Side, b: Side): Difference[] {
  const axes = scenario.experiment?.axes ?? [];
  const named = (side: Side, axis: number) => {
    const { titles, values } = axes[axis] ?? { titles: [], values: [] };
    const index = side.name.at[axis] ?? 0;
    return titles[index] ?? String(values[index]);
  };
  const variables = axes
    .map(({ title }, axis) => ({ title, a: named(a, axis), b: named(b, axis) }))
    .filter((row) => row.a !== row.b);
  const params = a.machine.parts.flatMap((part) => {
    const otherPart = partNamed(b.machine, part.name);
    if (!otherPart) return [{ title: part.title, a: 'present', b: 'absent' }];
    return part.params.flatMap((param) => {
      const other = otherPart.params.find(({ spec }) => spec.name === param.spec.name);
      if (!other || other.value === param.value || param.variable) return [];
      const title = `${part.title}: ${param.spec.title}`;
      return [{ title, a: shownParam(part, param), b: shownParam(otherPart, other) }];
    });
  });
  const added = b.machine.parts
    .filter(({ name }) => !partNamed(a.machine, name))
    .map(({ title }) => ({ title, a: 'absent', b: 'present' }));
  return [
    ...variables,
    ...params,
    ...added,
    ...programDifferences(a, b),
    ...commandDifferences(a, b),
  ];
}

export interface CounterPair {
  readonly part: number;
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly a: number;
  readonly b: number;
}

/** The counters of a machine at one time: all parts, in part and manifest order. */
export interface CountersOf {
  readonly machine: CompiledMachine;
  readonly values: ArrayLike<number>;
}

/** Counters whose values differ. */
export function counterPairs(a: CountersOf, b: CountersOf): CounterPair[] {
  const [own, others] = [countersByName(a), countersByName(b)];
  return a.machine.parts.flatMap((part) =>
    part.type.counters.flatMap(({ name, title, unit }) => {
      const y = others.get(`${part.name}.${name}`);
      const x = own.get(`${part.name}.${name}`);
      if (x === undefined || y === undefined || x === y) return [];
      return [{ part: part.index, name, title: `${part.title}: ${title}`, unit, a: x, b: y }];
    }),
  );
}

/** By "part.counter". */
function countersByName({ machine, values }: CountersOf): ReadonlyMap<string, number> {
  const names = machine.parts.flatMap((part) =>
    part.type.counters.map(({ name }) => `${part.name}.${name}`),
  );
  return new Map(names.map((name, index) => [name, values[index] ?? 0]));
}

/** The counters at the end of a run; null before there are any. */
export function endCounters({ machine, recording }: Side): CountersOf | null {
  const values = recording?.overview.at(-1)?.counters;
  return values ? { machine, values } : null;
}

/** Weight of a difference: counters that only one run has come first, then the largest ratio. */
export const weightOf = ({ a, b }: CounterPair): number =>
  a === 0 || b === 0 ? Number.POSITIVE_INFINITY : Math.abs(Math.log(b / a));
