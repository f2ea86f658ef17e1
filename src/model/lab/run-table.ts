/**
 * The runs of the open scenario's experiment as a table: every point, what it is worth in each metric,
 * and what was published for it. It follows the session: an edit runs all of them again, and values of
 * the edit before stay until the new ones come.
 */

import { createStore, type Store } from '../../base/store';
import { nextTask } from '../../base/tasks';
import type { SessionSpec, Sweeps } from '../../engine/api';
import type { Figure } from '../published/published';
import { publishedFor } from '../report/measures';
import { overriddenAxes, settingsOnAxes } from '../scenario/axis-overrides';
import { compile } from '../scenario/compile';
import { agrees, metricValue, type Point, pointsOf } from '../scenario/experiment';
import type { Assignment, Axis, Metric, Scenario, Value } from '../scenario/scenario-types';
import { engineCommands } from '../session/commands';
import { type SessionState, session } from '../session/session';

export interface RunRow {
  readonly point: Point;
  /** One text for each axis. */
  readonly titles: readonly string[];
  /** One for each metric; null where a run has no such value, undefined where none has ended yet. */
  readonly values: readonly (number | null | undefined)[];
  /** What they were before the changes of the session; empty while there are none. */
  readonly original: readonly (number | null | undefined)[];
  /** Of the run as it is now, estimated from the first part of it, or of an edit before. */
  readonly state: 'final' | 'estimate' | 'old';
  readonly published: readonly (Figure | null)[];
  /** Of its parts at the end of the last run; null where none has ended. */
  readonly counters: readonly ArrayLike<number>[] | null;
  /** The changes that its run is made with, as text. */
  readonly changes: string;
}

export interface RunTable {
  readonly scenario: Scenario | null;
  readonly axes: readonly Axis[];
  readonly metrics: readonly Metric[];
  readonly rows: readonly RunRow[];
  /** Runs that have ended with the session as it is. */
  readonly done: number;
  /** A sentence when the runs could not be made. */
  readonly problem: string | null;
  /** The remaining runs were stopped. */
  readonly paused: boolean;
}

const EMPTY: RunTable = {
  scenario: null,
  axes: [],
  metrics: [],
  rows: [],
  done: 0,
  problem: null,
  paused: false,
};

function axisTitle(axis: Axis, value: Value | undefined): string {
  const index = axis.values.indexOf(value as Value);
  return axis.titles[index] ?? String(value);
}

/** The table before any run has ended. */
export function startTable(scenario: Scenario | null): RunTable {
  const { experiment } = scenario ?? {};
  if (!scenario || !experiment) return EMPTY;
  const metrics = experiment.metrics.flatMap((name) => scenario.metrics.get(name) ?? []);
  const { axes } = experiment;
  const rows = pointsOf(scenario).map((point) => ({
    point,
    titles: axes.map((axis) => axisTitle(axis, point.at[axis.name])),
    values: metrics.map(() => undefined),
    original: [],
    state: 'old' as const,
    published: metrics.map((metric) => publishedFor(scenario, point.variables, metric)),
    counters: null,
    changes: '',
  }));
  return { scenario, axes, metrics, rows, done: 0, problem: null, paused: false };
}

/** An estimate looks at so much of a run: one part in so many. */
const PART = 10;
/** Runs compiled before the page may draw and answer. */
const SLICE = 6;

/**
 * Whether a metric of a run in steady state can be told from its first part: a ratio of counters, or one
 * counter over a time that is given as a number.
 */
function canEstimate({ product, over }: Metric): boolean {
  const counters = (factors: Metric['product']) =>
    factors.filter(({ kind }) => kind === 'counter' || kind === 'sum').length;
  const extra = counters(product) - counters(over);
  return (
    extra === 0 ||
    (extra === 1 && over.some(({ kind }) => kind === 'number' || kind === 'variable'))
  );
}

/** Those that differ from the open run in the fewest axes come first: they are the ones on the page. */
function byDistance(rows: readonly RunRow[], variables: Assignment): number[] {
  const distance = ({ point: { at } }: RunRow) =>
    Object.entries(at).filter(([name, value]) => variables[name] !== value).length;
  return rows
    .map((_, index) => index)
    .sort((a, b) => distance(rows[a] as RunRow) - distance(rows[b] as RunRow));
}

/** Whether the run that is open is the one at a point: it is none of them where something holds against its axes. */
export const isOpenAt = (
  { data, machine, edits }: Pick<SessionState, 'data' | 'machine' | 'edits'>,
  { at }: Point,
): boolean =>
  data !== null &&
  machine !== null &&
  agrees(at, machine.variables) &&
  overriddenAxes(data, machine, edits).length === 0;

/**
 * What the runs of the table are made with. Changes on the way are made after a number of events, so they are those of
 * the open run alone.
 */
function changesOf(now: SessionState) {
  const { data, seed } = now;
  const edits = data ? settingsOnAxes(data, now.edits) : now.edits;
  return (point: Point) => ({ edits, seed, commands: isOpenAt(now, point) ? now.commands : [] });
}

const isChanged = (now: SessionState, before: SessionState): boolean =>
  now.data !== before.data ||
  now.edits !== before.edits ||
  now.seed !== before.seed ||
  now.commands !== before.commands ||
  (now.commands.length > 0 && now.variables !== before.variables);

const AS_SHIPPED = JSON.stringify({ edits: {}, seed: null, commands: [] });

/** Runs that end at the same time. */
interface Batch {
  readonly indexes: number[];
  readonly sessions: SessionSpec[];
  readonly untilPs: number;
}

export class RunTables {
  readonly state: Store<RunTable> = createStore(EMPTY);
  #sweeps: Sweeps | null = null;
  #users = 0;
  #stop: (() => void) | null = null;
  /** Number of the newest renewal. */
  #turn = 0;
  /** Estimates are under way: a newer edit waits for them, so that a drag shows something. */
  #estimating = false;
  #again = false;

  constructor(private readonly createSweeps: () => Sweeps) {}

  /** Keeps the table up to date while it is shown; returns the function that ends this. */
  readonly show = (): (() => void) => {
    if (this.#users++ === 0) {
      const renew = () => void this.#renew();
      this.#stop = session.subscribe((now, before) => {
        if (isChanged(now, before)) renew();
      });
      renew();
    }
    return () => {
      if (--this.#users > 0) return;
      this.#turn++;
      this.#estimating = false;
      this.#stop?.();
      this.#sweeps?.dispose();
      this.#sweeps = null;
    };
  };

  /** Makes no more runs; those that are made stay. */
  stopRecording(): void {
    this.#turn++;
    this.#estimating = false;
    this.#sweeps?.cancel();
    this.state.setState({ paused: true });
  }

  /** Makes the runs after all. */
  resume(): void {
    void this.#renew();
  }

  async #renew(): Promise<void> {
    const { data } = session.getState();
    if (this.#estimating && this.state.getState().scenario === data) {
      this.#again = true;
      return;
    }
    const turn = ++this.#turn;
    try {
      do {
        this.#again = false;
        this.#start();
        await this.#estimate(turn);
      } while (this.#again && turn === this.#turn);
      if (turn === this.#turn) await this.#runAll(turn);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#estimating = false;
      this.state.setState({ problem: error instanceof Error ? error.message : String(error) });
    }
  }

  /** What is made with other changes becomes old; before the first of them it is kept as the original. */
  #start(): void {
    const now = session.getState();
    const { data } = now;
    const before = this.state.getState();
    const isNew = before.scenario !== data;
    const table = isNew ? startTable(data) : before;
    const changesAt = changesOf(now);
    const rows = table.rows.map((row): RunRow => {
      const changes = JSON.stringify(changesAt(row.point));
      if (row.state === 'final' && row.changes === changes) return row;
      const kept = row.original.length > 0 || row.state !== 'final' ? row.original : row.values;
      const original = changes === AS_SHIPPED ? [] : kept;
      return { ...row, state: 'old', changes, original };
    });
    const done = rows.filter(({ state }) => state === 'final').length;
    this.state.setState({ ...table, rows, done, problem: null, paused: false }, true);
  }

  /** Those that have not ended as the session is now, the nearest to the open one first. */
  #missing(): number[] {
    const { rows } = this.state.getState();
    const variables = session.getState().machine?.variables ?? {};
    return byDistance(rows, variables).filter((index) => rows[index]?.state !== 'final');
  }

  /** Compiles runs a few at a time; null when they are no longer wanted. The first in order are in the first batch. */
  async #compiled(indexes: readonly number[], turn: number): Promise<Batch[] | null> {
    const now = session.getState();
    const changesAt = changesOf(now);
    const { rows } = this.state.getState();
    const byEnd = new Map<number, Batch>();
    for (const [i, index] of indexes.entries()) {
      const point = rows[index]?.point;
      if (!now.data || !point || turn !== this.#turn) return null;
      const { edits, seed, commands } = changesAt(point);
      const { variables } = point;
      const options = { variables, edits, seed: seed ?? undefined, traceLog2: 0 };
      const machine = compile(now.data, options);
      if (!machine.ok) throw new Error(machine.problems[0]?.message);
      const { untilPs, config } = machine.value;
      const batch = byEnd.get(untilPs) ?? { indexes: [], sessions: [], untilPs };
      batch.indexes.push(index);
      batch.sessions.push({ config, commands: engineCommands(machine.value, commands) });
      byEnd.set(untilPs, batch);
      if (i % SLICE === SLICE - 1) await nextTask();
    }
    return turn === this.#turn ? [...byEnd.values()] : null;
  }

  /** In a lab, where runs are in steady state: the runs nearest to the open one, from their first part. */
  async #estimate(turn: number): Promise<void> {
    const { scenario, rows, metrics } = this.state.getState();
    const { machine } = session.getState();
    if (scenario?.view.kind !== 'lab' || !machine || !metrics.some(canEstimate)) return;
    this.#estimating = true;
    const near = this.#missing().filter((index) => {
      const at = rows[index]?.point.at ?? {};
      return (
        Object.entries(at).filter(([name, value]) => machine.variables[name] !== value).length < 2
      );
    });
    await this.#sweepAll(await this.#compiled(near, turn), turn, PART);
    if (turn === this.#turn) this.#estimating = false;
  }

  async #runAll(turn: number): Promise<void> {
    await this.#sweepAll(await this.#compiled(this.#missing(), turn), turn, 1);
  }

  async #sweepAll(batches: readonly Batch[] | null, turn: number, part: number): Promise<void> {
    for (const batch of batches ?? [])
      if (turn === this.#turn) await this.#sweep(batch, turn, part);
  }

  async #sweep({ indexes, sessions, untilPs }: Batch, turn: number, part: number): Promise<void> {
    this.#sweeps ??= this.createSweeps();
    const limit = { untilPs: Math.round(untilPs / part) };
    await this.#sweeps.sweep({ sessions, limit }, ({ index, counters }) => {
      if (turn !== this.#turn) return;
      const { rows, metrics, done } = this.state.getState();
      const place = indexes[index] ?? -1;
      const row = rows[place];
      if (!row) return;
      const scaled = counters.map((column) => column.map((value) => value * part));
      const values = metrics.map((metric, i) =>
        part > 1 && !canEstimate(metric)
          ? row.values[i]
          : metricValue(metric, row.point.variables, scaled),
      );
      const state = part > 1 ? 'estimate' : 'final';
      this.state.setState({
        rows: rows.with(place, { ...row, values, state, counters: scaled }),
        done: part > 1 ? done : done + 1,
      });
    });
  }
}
