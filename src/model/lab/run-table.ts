/**
 * The runs of the open scenario's experiment as a table: every point with its metrics and published values. It
 * follows the session: an edit reruns all of them, and old values stay until the new ones arrive.
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
  /** One title per axis. */
  readonly titles: readonly string[];
  /** One value per metric; null if the run has none, undefined if no run has finished. */
  readonly values: readonly (number | null | undefined)[];
  /** Values without the changes of the session; empty if there are none. */
  readonly original: readonly (number | null | undefined)[];
  /** Source of the values: the present run, an estimate from its first part, or a run before the last edit. */
  readonly state: 'final' | 'estimate' | 'old';
  readonly published: readonly (Figure | null)[];
  /** Final counters by part; null if no run has finished. */
  readonly counters: readonly ArrayLike<number>[] | null;
  /** The changes that its run includes, as text. */
  readonly changes: string;
}

export interface RunTable {
  readonly scenario: Scenario | null;
  readonly axes: readonly Axis[];
  readonly metrics: readonly Metric[];
  readonly rows: readonly RunRow[];
  /** Runs that have finished in the present state of the session. */
  readonly done: number;
  /** Error message, if the runs could not be made. */
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

/** The table before any run has finished. */
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

/** An estimate runs one tenth of a run. */
const PART = 10;
/** Runs compiled per slice, after which the page may draw. */
const SLICE = 6;

/**
 * Whether a metric of a run in steady state can be estimated from its first part: a ratio of counters, or one
 * counter over a constant time.
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

/** Rows that differ from the open run in the fewest axes come first, because they are visible. */
function byDistance(rows: readonly RunRow[], variables: Assignment): number[] {
  const distance = ({ point: { at } }: RunRow) =>
    Object.entries(at).filter(([name, value]) => variables[name] !== value).length;
  return rows
    .map((_, index) => index)
    .sort((a, b) => distance(rows[a] as RunRow) - distance(rows[b] as RunRow));
}

/** Whether the open run is the one at a point; never if an edit overrides its axes. */
export const isOpenAt = (
  { data, machine, edits }: Pick<SessionState, 'data' | 'machine' | 'edits'>,
  { at }: Point,
): boolean =>
  data !== null &&
  machine !== null &&
  agrees(at, machine.variables) &&
  overriddenAxes(data, machine, edits).length === 0;

/**
 * The session's changes for the table's runs. Timed changes apply only to the open run, because they count its
 * events.
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

/** Runs with the same end time. */
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
  /** Number of the latest renewal. */
  #turn = 0;
  /** Estimates are running: newer edits wait for them, so that a drag shows intermediate results. */
  #estimating = false;
  #again = false;

  constructor(private readonly createSweeps: () => Sweeps) {}

  /**
   * Keeps the table up to date while it is shown.
   * @returns a function that ends this
   */
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

  /** Stops the remaining runs; finished ones stay. */
  stopRecording(): void {
    this.#turn++;
    this.#estimating = false;
    this.#sweeps?.cancel();
    this.state.setState({ paused: true });
  }

  /** Continues the stopped runs. */
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

  /** Marks values as old; before the first change they are kept as the originals. */
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

  /** Rows without a present result, nearest to the open run first. */
  #missing(): number[] {
    const { rows } = this.state.getState();
    const variables = session.getState().machine?.variables ?? {};
    return byDistance(rows, variables).filter((index) => rows[index]?.state !== 'final');
  }

  /** Compiles runs a few at a time; null if they are no longer needed. The first rows are in the first batch. */
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

  /** In a lab, where runs are in steady state: estimates the rows nearest to the open run from their first part. */
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
