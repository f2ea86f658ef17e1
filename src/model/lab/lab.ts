/**
 * The crossover lab: keeps the curves of the open scenario’s experiment up to date with its parameters.
 *
 *     an edit ─▸ small sizes ─▸ crossings narrowed ─▸ large sizes ─▸ bends ─▸ what would move it
 *        └──────────── a newer edit cancels everything still running ────────────┘
 *
 * Every value comes from a finished run. After an edit, runs of the previous state are shown
 * until the new ones have finished. This file does not draw.
 */

import { createStore, type Readable, type Store } from '../../base/store';
import { nextTask } from '../../base/tasks';
import type { Engine, Sweeps } from '../../engine/api';
import type { CompiledMachine } from '../scenario/compiled';
import { editsOf } from '../scenario/experiment';
import type { Problem } from '../scenario/problems';
import type { Edits, Scenario, Value } from '../scenario/scenario-types';
import { type CrossingFound, crossingIn, nextRuns, type Yardstick } from './crossing';
import { nextBends } from './curve-bends';
import { solveFor, valueText } from './drag';
import { isContext, type LabCrossing, type LabPlan, type LabPoint, phasesOf, planOf } from './plan';
import { LabRecorder } from './records';
import { EMPTY, keyOf, type LabRun, RunCache, type RunSet } from './runs';
import { sliderEnds } from './slider-ends';
import {
  type Fan,
  type LabState,
  NOTHING,
  pairShown,
  placeKey,
  placesShown,
  type RunPlace,
  viewOf,
} from './state';
import { LabSweeper } from './sweep';
import { tryWhatIf } from './what-if';

/** The open session, as the lab needs it. */
export interface LabSession {
  readonly data: Scenario | null;
  readonly machine: CompiledMachine | null;
  readonly edits: Edits;
  readonly seed: number | null;
  readonly before: Edits | null;
  /** View settings of the panels, from a saved or shared session. */
  readonly view: Readonly<Record<string, Value>>;
}

export interface LabParts {
  createEngine(): Engine;
  /** Runs the points of the curves, in parallel if possible, in at most `workers` workers. */
  createSweeper(workers?: number): Sweeps;
  readonly session: Readable<LabSession>;
  setParam(path: string, text: string, options: { commit: boolean }): Problem | null;
  setEdits(edits: Edits): Problem | null;
  setView(view: Readonly<Record<string, Value>>): void;
  /** Calls back before the next frame, so that runs that finish together are drawn together. */
  soon(flush: () => void): void;
}

/** Each round halves the interval that contains a step of a curve. */
const BEND_ROUNDS = 4;

/** Maximum number of records shown; older ones are dropped. */
const SHOWN = 8;

const recent = <K, V>(map: Map<K, V>): Map<K, V> =>
  map.size <= SHOWN ? map : new Map([...map].slice(-SHOWN));

/** The curves at the ends of a slider must not slow down those that are shown. */
const FAN_WORKERS = 2;

/** Sizes up to this are run first: they determine where the curves cross. */
const FIRST = 4096;

export class Lab {
  readonly state: Store<LabState> = createStore(NOTHING);
  readonly #parts: LabParts;
  readonly #sweeper: LabSweeper;
  readonly #fanSweeper: LabSweeper;
  readonly #cache = new RunCache();
  readonly #recorder: LabRecorder;
  #turn = 0;
  #recording = 0;
  /** Parameter whose slider is under the pointer. */
  #previewed: string | null = null;
  #fanKey = '';
  #following = '';
  #isScheduled = false;
  #solving: Promise<void> | null = null;
  /** Target of a dragged handle, and the parameters found for it. */
  #solved: {
    readonly crossing: number;
    readonly key: string;
    readonly found: CrossingFound;
  } | null = null;

  constructor(parts: LabParts) {
    this.#parts = parts;
    this.#sweeper = new LabSweeper(() => parts.createSweeper());
    this.#fanSweeper = new LabSweeper(() => parts.createSweeper(FAN_WORKERS));
    this.#recorder = new LabRecorder(() => parts.createEngine());
  }

  /** Starts the workers before there is a session. */
  prepare(): void {
    this.#sweeper.prepare();
  }

  /**
   * Follows the session.
   * @returns a function that stops
   */
  follow(): () => void {
    const stop = this.#parts.session.subscribe(() => this.#session());
    this.#session();
    return () => {
      stop();
      this.#turn++;
      this.#recording++;
      this.#sweeper.dispose();
      this.#fanSweeper.dispose();
      this.#previewed = null;
      this.#recorder.dispose();
      this.#following = '';
    };
  }

  #session(): void {
    const { data, edits, before, seed } = this.#parts.session.getState();
    const { plan } = this.state.getState();
    if (data !== (plan?.scenario ?? null) || (plan && plan.seed !== seed)) this.#open(data, seed);
    const key = `${keyOf(edits)} ${before ? keyOf(before) : ''}`;
    if (key === this.#following || !this.state.getState().plan) return;
    const opens = this.#following === '';
    this.#following = key;
    void this.#compute(opens);
    if (this.#previewed !== null) void this.#runFan();
  }

  #open(scenario: Scenario | null, seed: number | null): void {
    this.#turn++;
    this.#sweeper.cancel();
    this.#cache.clear();
    this.#recording++;
    this.#recorder.clear();
    this.#following = '';
    this.#fanSweeper.cancel();
    this.#fanKey = '';
    const plan = scenario ? planOf(scenario, seed) : null;
    const view = plan ? viewOf(plan, this.#parts.session.getState().view) : {};
    this.state.setState({ ...NOTHING, plan, ...view }, true);
  }

  /** Stores the view settings in the session. */
  #remember(): void {
    const { metric, size, crossing, context, linearFit } = this.state.getState();
    this.#parts.setView({ metric, size, crossing, context, linearFit });
  }

  #yardstick(): Yardstick {
    const { plan, metric } = this.state.getState();
    return { metric, unit: plan?.scenario.metrics.get(metric)?.unit ?? '' };
  }

  /** Updates the visible state from the finished runs. */
  #show(): void {
    this.#isScheduled = false;
    const { plan, runs: shown } = this.state.getState();
    if (!plan) return;
    const { edits, before: last } = this.#parts.session.getState();
    const runs = this.#cache.view(keyOf(edits), shown);
    const fan = this.#fan();
    const pinned = [runs.key, ...(fan?.ends ?? []).map((end) => end.runs.key)];
    this.#cache.pin(last ? [...pinned, keyOf(last)] : pinned);
    const before = last && keyOf(last) !== runs.key ? this.#cache.exactly(keyOf(last)) : null;
    const by = this.#yardstick();
    const crossings = plan.crossings.map((crossing) => ({
      ...crossing,
      now: this.#crossing(plan, runs, crossing),
      before: before ? crossingIn(plan, before, crossing, by) : null,
    }));
    const done = plan.points.filter((point) => this.#cache.has(runs.key, point)).length;
    const total = plan.points.length;
    const progress = done < total ? { done, total } : null;
    this.state.setState({ runs, before, fan, crossings, progress });
  }

  /** The ends of the slider under the pointer; the slider itself may be moving. */
  #fan(): Fan | null {
    const { edits, machine } = this.#parts.session.getState();
    const path = this.#previewed;
    const ends = path !== null && machine ? sliderEnds(machine, path, edits) : null;
    if (path === null || !ends) return null;
    const at = ({ text, key }: (typeof ends)[number]) => ({
      text,
      runs: this.#cache.view(key, EMPTY),
    });
    return { path, ends: [at(ends[0]), at(ends[1])] };
  }

  /** Runs what is missing of the curves at the ends of a slider. */
  async #runFan(): Promise<void> {
    const { plan, context } = this.state.getState();
    const { edits, machine } = this.#parts.session.getState();
    const path = this.#previewed;
    const ends = path !== null && machine ? sliderEnds(machine, path, edits) : null;
    const key = ends?.map((end) => end.key).join(' ') ?? '';
    if (key === this.#fanKey) return;
    this.#fanKey = key;
    this.#fanSweeper.cancel();
    this.#show();
    if (!plan || !ends) return;
    const { quick, rest } = phasesOf(plan, context);
    const hidden = (point: LabPoint) => {
      const series = plan.series[point.series];
      return !context && series !== undefined && isContext(series);
    };
    const shown = [...quick, ...rest].filter((point) => !hidden(point));
    try {
      for (const end of ends) {
        const points = shown.filter((point) => !this.#cache.has(end.key, point));
        const onRun = (run: LabRun) => {
          this.#cache.add(run);
          this.#showSoon();
        };
        if (!(await this.#fanSweeper.run({ plan, edits: end.edits, points, onRun }))) return;
      }
    } catch {
      // The machine does not run at this end of the slider: there is no fan.
    }
  }

  /** A crossing from stale runs is not an answer: until there is one, the last one stays. */
  #crossing(plan: LabPlan, runs: RunSet, crossing: LabCrossing): CrossingFound {
    const found = crossingIn(plan, runs, crossing, this.#yardstick());
    const solved = this.#solved;
    if (found.refined && found.own) return found;
    if (solved?.key === runs.key && solved.crossing === crossing.index) return solved.found;
    const last = this.state.getState().crossings[crossing.index]?.now;
    return found.own ? found : (last ?? found);
  }

  #showSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#parts.soon(() => this.#show());
  }

  /** Runs the missing points in order of importance. */
  async #compute(opens = false): Promise<void> {
    const turn = ++this.#turn;
    const { plan, context } = this.state.getState();
    if (!plan) return;
    const { edits } = this.#parts.session.getState();
    const started = performance.now();
    this.state.setState({ stopped: false, problem: null });
    this.#show();
    const missing = this.state.getState().progress !== null;
    const { quick, rest } = phasesOf(plan, context);
    const run = (points: readonly LabPoint[]) => this.#run(turn, plan, edits, points);
    if (opens) {
      // The page is drawn in this task.
      await nextTask();
      if (turn !== this.#turn) return;
    }
    try {
      const first = quick.filter((point) => point.size <= FIRST);
      if (!(await run(first)) || !(await this.#narrow(turn, plan, edits))) return;
      if (!(await run(quick))) return;
      void this.#record();
      if (!(await run(rest))) return;
      this.#show();
      if (!(await this.#narrow(turn, plan, edits))) return;
      const took = { runs: plan.points.length, ms: performance.now() - started };
      if (missing) this.state.setState({ took });
      if (!(await this.#bend(turn, plan, edits))) return;
      await this.#whatIf(turn);
    } catch (error) {
      if (turn === this.#turn) this.#failed(error);
    }
  }

  async #run(
    turn: number,
    plan: LabPlan,
    edits: Edits,
    points: readonly LabPoint[],
  ): Promise<boolean> {
    const key = keyOf(edits);
    const done = await this.#sweeper.run({
      plan,
      edits,
      points: points.filter((point) => !this.#cache.has(key, point)),
      onRun: (finished) => {
        this.#cache.add(finished);
        if (turn === this.#turn) this.#showSoon();
      },
    });
    return done && turn === this.#turn;
  }

  /** Runs sizes between those of the table until the crossings are between adjacent sizes. */
  async #narrow(turn: number, plan: LabPlan, edits: Edits): Promise<boolean> {
    const by = this.#yardstick();
    for (;;) {
      const set = this.#cache.view(keyOf(edits), EMPTY);
      const points = plan.crossings.flatMap((crossing) => nextRuns(plan, set, crossing, by));
      if (points.length === 0) return turn === this.#turn;
      if (!(await this.#run(turn, plan, edits, points))) return false;
    }
  }

  /** Runs sizes between those of the table where the curves bend. */
  async #bend(turn: number, plan: LabPlan, edits: Edits): Promise<boolean> {
    const by = this.#yardstick();
    for (let round = 0; round < BEND_ROUNDS; round++) {
      const points = nextBends(plan, this.#cache.view(keyOf(edits), EMPTY), by);
      if (points.length === 0) break;
      if (!(await this.#run(turn, plan, edits, points))) return false;
    }
    return turn === this.#turn;
  }

  /** The crossing with each of the scenario's "what if" changes. */
  async #whatIf(turn: number): Promise<void> {
    const { plan, crossing: index } = this.state.getState();
    const { edits, machine } = this.#parts.session.getState();
    const crossing = plan?.crossings[index];
    if (!plan || !crossing || !machine) return;
    const changes = plan.scenario.experiment?.whatif ?? [];
    this.state.setState({
      whatif: changes.map(({ title }) => ({ title, found: null, refused: null })),
    });
    for (const [row, change] of changes.entries()) {
      const question = { plan, crossing, edits, machine, change, by: this.#yardstick() };
      const answer = await tryWhatIf(this.#sweeper, question, () => turn === this.#turn);
      if (!answer) return;
      this.state.setState(({ whatif }) => ({ whatif: whatif.with(row, answer) }));
    }
  }

  /** Records the runs that are shown in detail; a newer request cancels an older one. */
  async #record(): Promise<void> {
    const turn = ++this.#recording;
    const state = this.state.getState();
    const { plan } = state;
    const { edits } = this.#parts.session.getState();
    if (!plan) return;
    for (const place of placesShown(state)) {
      const record = await this.#recorder.record(plan, place, edits).catch(() => null);
      if (turn !== this.#recording) return;
      if (!record || this.state.getState().records.get(placeKey(place)) === record) continue;
      this.state.setState(({ records }) => ({
        records: recent(new Map(records).set(placeKey(place), record)),
      }));
    }
  }

  #failed(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    this.state.setState({ problem, stopped: true });
  }

  /** Cancels the runs in progress; finished ones stay. */
  stop(): void {
    this.#turn++;
    this.#sweeper.cancel();
    this.state.setState({ stopped: true });
  }

  resume(): void {
    void this.#compute();
  }

  setMetric(metric: string): void {
    this.state.setState({ metric });
    this.#remember();
    void this.#compute();
  }

  setContext(context: boolean): void {
    this.state.setState({ context });
    this.#remember();
    void this.#record();
  }

  setLinearFit(linearFit: boolean): void {
    this.state.setState({ linearFit });
    this.#remember();
  }

  /** Shows a size while the pointer is on it; null ends this. */
  hover(size: number | null): void {
    if (size === this.state.getState().hover) return;
    this.state.setState({ hover: size });
    void this.#record();
  }

  look(size: number): void {
    this.state.setState({ size, hover: null, pair: null });
    this.#remember();
    void this.#record();
  }

  /** Shows the curves at both ends of a parameter's slider; null ends this. */
  preview(path: string | null): void {
    this.#previewed = path;
    void this.#runFan();
  }

  /** Goes to the next or previous size of the table. */
  walk(steps: number): void {
    const { plan, size } = this.state.getState();
    if (!plan) return;
    const at = plan.sizes.findIndex((candidate) => candidate >= size);
    const next = plan.sizes[Math.min(Math.max(at + steps, 0), plan.sizes.length - 1)];
    if (next !== undefined) this.look(next);
  }

  /** Explains another crossing. */
  explain(crossing: number): void {
    if (crossing === this.state.getState().crossing) return;
    this.state.setState({ crossing, pair: null });
    this.#remember();
    void this.#record();
    if (!this.state.getState().progress) void this.#compute();
  }

  /** Shows a run next to its competitor, or next to the first of the runs shown. */
  open(run: RunPlace, alongside = false): void {
    const state = this.state.getState();
    const own = state.crossings.find(
      ({ more, than }) => more.index === run.series || than.index === run.series,
    );
    const [first] = pairShown(state) ?? [];
    if (alongside && first) {
      this.state.setState({ size: run.size, hover: null, pair: [first, run] });
      void this.#record();
      return;
    }
    if (own) this.explain(own.index);
    const alone = own ? null : ([run, run] as const);
    this.state.setState({ size: run.size, hover: null, pair: alone });
    void this.#record();
  }

  /** Applies a change of the "what would move it" list, as one undo step. */
  tryChange(row: number): void {
    const { machine, edits } = this.#parts.session.getState();
    const change = this.state.getState().plan?.scenario.experiment?.whatif[row];
    const changed = machine && change && editsOf(machine, edits, change);
    if (changed?.ok) this.#parts.setEdits(changed.value);
  }

  /** Moves a crossing to a size by changing its parameter; `drop` commits it as one undo step. */
  drag(crossing: number, size: number): void {
    const reached = this.state.getState().drag?.reached ?? true;
    this.state.setState({ drag: { crossing, size, reached } });
    this.#solving ??= this.#solve()
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#solving = null;
      });
  }

  #keepSolved(plan: LabPlan, { index: crossing }: LabCrossing, size: number): void {
    const grid = plan.sizes.find((one) => one >= size) ?? null;
    const found = { grid, exact: size, refined: false, own: true };
    this.#solved = { crossing, key: keyOf(this.#parts.session.getState().edits), found };
    this.#show();
  }

  async drop(): Promise<void> {
    await this.#solving;
    const { drag, plan } = this.state.getState();
    const { machine } = this.#parts.session.getState();
    const path = drag && plan?.crossings[drag.crossing]?.param;
    const text = path && machine && valueText(machine, path);
    if (path && text) this.#parts.setParam(path, text, { commit: true });
    this.state.setState({ drag: null });
  }

  /** Solves for the latest position of the handle until it no longer moves. */
  async #solve(): Promise<void> {
    for (;;) {
      const { plan, drag } = this.state.getState();
      const { edits, machine } = this.#parts.session.getState();
      const crossing = drag ? plan?.crossings[drag.crossing] : undefined;
      if (!plan || !drag || !crossing || !machine) return;
      this.#turn++;
      const by = this.#yardstick();
      const question = { plan, crossing, edits, machine, size: drag.size, by };
      const answer = await solveFor(this.#sweeper, question);
      const following = this.#following;
      if (answer && crossing.param !== null) {
        const { drag: now } = this.state.getState();
        if (now) this.state.setState({ drag: { ...now, reached: answer.reached } });
        this.#parts.setParam(crossing.param, answer.text, { commit: false });
        if (answer.reached) this.#keepSolved(plan, crossing, answer.size);
      }
      // Solving cancelled the sweep; without a new value nothing else would restart it.
      if (following === this.#following) void this.#compute();
      if (this.state.getState().drag?.size === drag.size) return;
    }
  }
}
