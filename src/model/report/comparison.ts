/**
 * Two runs side by side on one clock: which they are, their records, where they part, what differs.
 *
 * A run is named by a place on each axis of the experiment and by whether the edits of the session are in
 * it: "7.0" is the eighth value of the first axis and the first of the second, "7.0o" the same without
 * edits, as published.
 */
import { createStore } from '../../base/store';
import type { Engine } from '../../engine/api';
import { createTrace, type Trace } from '../run/trace';
import { type CompiledMachine, compile, type Edits, shownParam } from '../scenario/compile';
import { variablesAt } from '../scenario/experiment';
import type { Problem } from '../scenario/problems';
import type { Scenario, Value } from '../scenario/scenario-types';
import { Recorder, type Recording } from '../session/recorder';

export interface RunName {
  /** Index of the value on each axis. */
  readonly at: readonly number[];
  readonly edited: boolean;
}

export function parseRunName(text: string, scenario: Scenario): RunName {
  const axes = scenario.experiment?.axes ?? [];
  const edited = !text.endsWith('o');
  const indexes = text.replace(/o$/, '').split('.').map(Number);
  const at = axes.map(({ values }, axis) => {
    const index = indexes[axis] ?? 0;
    return Number.isInteger(index) && index >= 0 && index < values.length ? index : 0;
  });
  return { at, edited };
}

export const formatRunName = ({ at, edited }: RunName): string =>
  at.join('.') + (edited ? '' : 'o');

/** The run that some variables stand for. */
export function nameOf(scenario: Scenario, variables: Readonly<Record<string, Value>>): RunName {
  const axes = scenario.experiment?.axes ?? [];
  const at = axes.map(({ name, values }) => Math.max(0, values.indexOf(variables[name] as Value)));
  return { at, edited: true };
}

export function titleOf(scenario: Scenario, { at, edited }: RunName): string {
  const axes = scenario.experiment?.axes ?? [];
  const parts = axes.map(
    ({ titles, values }, axis) => titles[at[axis] ?? 0] ?? String(values[at[axis] ?? 0]),
  );
  return [...parts, ...(edited ? [] : ['as published'])].join(', ') || 'as published';
}

export interface Side {
  readonly name: RunName;
  readonly title: string;
  readonly machine: CompiledMachine;
  readonly recording: Recording<Trace> | null;
}

/** The first thing that one run does and the other does not: its record on either side. */
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
  /** Null while it is looked for, and where the two runs are the same. */
  readonly divergence: Divergence | null;
  /** Where they do not part as far as their records are kept: until when that is; else null. */
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

export function machineOf(
  scenario: Scenario,
  { at, edited }: RunName,
  edits: Edits,
): CompiledMachine | readonly Problem[] {
  const axes = scenario.experiment?.axes ?? [];
  const place = axes.map(({ name, values }, axis) => [name, values[at[axis] ?? 0] as Value]);
  const variables = variablesAt(scenario, Object.fromEntries(place));
  if (!variables.ok) return variables.problems;
  const machine = compile(scenario, { variables: variables.value, edits: edited ? edits : {} });
  return machine.ok ? machine.value : machine.problems;
}

/** Records looked at before the page may breathe. */
const SLICE = 4096;

/** A trace, as far as two of them are compared. */
export type Records = Pick<Trace, 'first' | 'last' | 'record'>;

/** What is kept of a run. */
export interface Kept {
  readonly trace: Records;
  /** The run goes on where its records end. */
  readonly cut: boolean;
}

/** Two runs do the same as far as both are kept; null: to their ends. */
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

/** Where two records of runs of the same kind of machine first differ, or how far they are the same. */
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

/** Runs two machines to their ends and finds where they part. */
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
      const parting = await firstDifference(one, two, breathe);
      if (turn !== this.turn) return;
      const found = isSameRun(parting) ? { keptPs: parting.untilPs } : { divergence: parting };
      this.state.setState({ ...found, status: 'done' });
    } catch (error) {
      if (turn !== this.turn) return;
      const failure = error instanceof Error ? error.message : String(error);
      this.state.setState({ status: 'failed', failure });
    }
  }

  private record(index: 0 | 1, { machine }: Side, turn: number) {
    return this.recorders[index].record({
      session: { config: machine.config, commands: [] },
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

/** Variables and parameters in which two machines differ. */
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
  const params = a.machine.parts.flatMap((part, index) =>
    part.params.flatMap((param, place) => {
      const other = b.machine.parts[index]?.params[place];
      const otherPart = b.machine.parts[index];
      if (!other || !otherPart || other.value === param.value || param.variable) return [];
      const title = `${part.title}: ${param.spec.title}`;
      return [{ title, a: shownParam(part, param), b: shownParam(otherPart, other) }];
    }),
  );
  return [...variables, ...params];
}

export interface CounterPair {
  readonly part: number;
  readonly title: string;
  readonly unit: string;
  readonly a: number;
  readonly b: number;
}

/** Counters at the ends of both runs that are not the same in both. */
export function counterPairs(a: Side, b: Side): CounterPair[] {
  const [ends, others] = [a, b].map((side) => side.recording?.overview.at(-1)?.counters);
  if (!ends || !others) return [];
  let place = 0;
  return a.machine.parts.flatMap((part, index) =>
    part.type.counters.flatMap(({ title, unit }) => {
      const [x, y] = [ends[place] ?? 0, others[place] ?? 0];
      place++;
      return x === y ? [] : [{ part: index, title: `${part.title}: ${title}`, unit, a: x, b: y }];
    }),
  );
}

/** How much of the relative change matters most: only in one of them, then the largest ratio. */
export const weightOf = ({ a, b }: CounterPair): number =>
  a === 0 || b === 0 ? Number.POSITIVE_INFINITY : Math.abs(Math.log(b / a));
