/**
 * The runs of the open scenario's experiment as a table: every point, what it is worth in each metric,
 * and what was published for it. It follows the session: an edit runs all of them again, and values of
 * the edit before stay until the new ones come.
 */
import { createStore, type Store, watch } from '../base/store';
import type { Sweeps } from '../engine/api';
import { compile } from './compile';
import { agrees, metricValue, type Point, pointsOf } from './experiment';
import { type Figure, figure } from './published';
import type { Axis, Metric, Scenario, Value } from './scenarioTypes';
import { session } from './session';

export interface RunRow {
  readonly point: Point;
  /** One text for each axis. */
  readonly titles: readonly string[];
  /** One for each metric; null where a run has no such value, undefined where none has ended yet. */
  readonly values: readonly (number | null | undefined)[];
  readonly published: readonly (Figure | null)[];
}

export interface RunTable {
  readonly scenario: Scenario | null;
  readonly axes: readonly Axis[];
  readonly metrics: readonly Metric[];
  readonly rows: readonly RunRow[];
  readonly done: number;
  /** A sentence when the runs could not be made. */
  readonly problem: string | null;
}

const EMPTY: RunTable = { scenario: null, axes: [], metrics: [], rows: [], done: 0, problem: null };

function axisTitle(axis: Axis, value: Value | undefined): string {
  const index = axis.values.indexOf(value as Value);
  return axis.titles[index] ?? String(value);
}

function publishedFor(scenario: Scenario, point: Point, metric: Metric): Figure | null {
  for (const { figure: id, quantity } of scenario.expect) {
    if (quantity.kind !== 'value' || quantity.metric !== metric.name || id === null) continue;
    if (agrees(point.variables, quantity.at)) return figure(id) ?? null;
  }
  return null;
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
    published: metrics.map((metric) => publishedFor(scenario, point, metric)),
  }));
  return { scenario, axes, metrics, rows, done: 0, problem: null };
}

export class RunTables {
  readonly state: Store<RunTable> = createStore(EMPTY);
  #sweeps: Sweeps | null = null;
  #users = 0;
  #stop: (() => void) | null = null;

  constructor(private readonly createSweeps: () => Sweeps) {}

  /** Keeps the table up to date while somebody looks at it; returns the function that ends the look. */
  readonly show = (): (() => void) => {
    if (this.#users++ === 0) {
      const renew = () => void this.#renew();
      const stops = [
        watch(session, ({ data }) => data, renew),
        watch(session, ({ edits }) => edits, renew),
      ];
      this.#stop = () => {
        for (const stop of stops) stop();
      };
      renew();
    }
    return () => {
      if (--this.#users > 0) return;
      this.#stop?.();
      this.#sweeps?.dispose();
      this.#sweeps = null;
    };
  };

  async #renew(): Promise<void> {
    const { data, edits } = session.getState();
    const before = this.state.getState();
    const table =
      before.scenario === data ? { ...before, done: 0, problem: null } : startTable(data);
    this.state.setState(table, true);
    if (!data || table.rows.length === 0) return;
    const sessions: { config: Uint8Array; commands: [] }[] = [];
    let untilPs = 0;
    for (const { point } of table.rows) {
      const machine = compile(data, { variables: point.variables, edits, traceLog2: 0 });
      if (!machine.ok) {
        this.state.setState({ problem: machine.problems[0]?.message ?? '' });
        return;
      }
      untilPs = Math.max(untilPs, machine.value.untilPs);
      sessions.push({ config: machine.value.config, commands: [] });
    }
    this.#sweeps ??= this.createSweeps();
    const sweeps = this.#sweeps;
    try {
      await sweeps.sweep({ sessions, limit: { untilPs } }, ({ index, counters }) => {
        const now = this.state.getState();
        const row = now.rows[index];
        if (now.scenario !== data || !row) return;
        const values = now.metrics.map((metric) =>
          metricValue(metric, row.point.variables, counters),
        );
        const rows = now.rows.with(index, { ...row, values });
        this.state.setState({ rows, done: now.done + 1 });
      });
    } catch (error) {
      if (this.#sweeps !== sweeps) return; /* nobody looks any more */
      this.state.setState({ problem: error instanceof Error ? error.message : String(error) });
    }
  }
}
