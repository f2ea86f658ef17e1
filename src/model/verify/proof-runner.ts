/**
 * Explorations requested by the user: one runs, the others wait. Keeps the results so far, and the number of states
 * by distance from the initial state.
 */
import { createStore, type Store } from '../../base/store';
import { EngineError } from '../../engine/api';
import { FAULT } from '../../engine/engine-errors';
import type { Explore, Explored } from '../../engine/explore';
import { depthText } from './counterexample-text';
import type { Setup } from './proof-scenario';
import type { DefectTrial, ProofRunnerState } from './proof-types';
import { prove } from './prove';

/** An exploration task with a unique name. */
export interface Task extends Setup {
  readonly name: string;
}

const WAITING: DefectTrial = { status: 'waiting', found: null, growth: [], problem: null };
/** Memory in MiB for visited states. A long configuration takes as much as it can get. */
const [USUAL, LONG] = [[512], [3072, 1536, 768]];

export class ProofRunner {
  readonly state: Store<ProofRunnerState> = createStore<ProofRunnerState>({
    trials: {},
    current: null,
    running: false,
  });
  #queue: Task[] = [];
  #end: AbortController | null = null;

  constructor(private readonly explore: Explore) {}

  #set(name: string, change: Partial<DefectTrial>): void {
    this.state.setState(({ trials }) => ({
      trials: { ...trials, [name]: { ...(trials[name] ?? WAITING), ...change } },
    }));
  }

  /** Queues tasks after those already queued. */
  run(tasks: readonly Task[]): void {
    const known = new Set(this.#queue.map(({ name }) => name));
    const { current, running } = this.state.getState();
    const added = tasks.filter(({ name }) => !known.has(name) && !(running && name === current));
    for (const { name } of added) this.#set(name, WAITING);
    this.#queue.push(...added);
    if (!running) void this.#work();
  }

  /** Cancels the running task and drops the queue; results so far stay. */
  stop(): void {
    for (const { name } of this.#queue) this.#set(name, { status: 'stopped' });
    this.#queue = [];
    this.#end?.abort();
  }

  async #work(): Promise<void> {
    this.state.setState({ running: true });
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) await this.#one(task);
    this.state.setState({ running: false });
  }

  /** Explores with the most memory that can be allocated. */
  async #inMemory(task: Task, onProgress: (now: Explored) => void, signal: AbortSignal) {
    let refusal: unknown;
    for (const mebibytes of isLong(task) ? LONG : USUAL) {
      try {
        return await prove(task, this.explore, { mebibytes, onProgress, signal });
      } catch (error) {
        if (!(error instanceof EngineError) || error.code !== FAULT.noMemory) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  async #one(task: Task): Promise<void> {
    const { name } = task;
    this.#end = new AbortController();
    this.state.setState({ current: name });
    this.#set(name, { status: 'running' });
    const take = (found: Explored) => {
      const { states, waiting } = found;
      const distance = depthText(found);
      const growth = this.state.getState().trials[name]?.growth ?? [];
      const before = growth.filter((at) => at.distance < distance);
      this.#set(name, { found, growth: [...before, { distance, states, waiting }] });
    };
    try {
      const found = await this.#inMemory(task, take, this.#end.signal);
      take(found);
      this.#set(name, { status: found.end === 'cancelled' ? 'stopped' : 'done' });
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#set(name, { status: 'failed', problem });
    }
  }
}

const isLong = (task: Task & { readonly pinned?: unknown }): boolean => task.pinned === null;
