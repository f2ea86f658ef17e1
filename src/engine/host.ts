/**
 * The Engine interface over cores in this thread: used directly in Node and in tests, and inside a worker on
 * the page. Long work runs in slices. A generation number tells each slice whether its request is still the
 * newest of its kind.
 */
import {
  type Command,
  type Engine,
  EngineError,
  type Frame,
  type FrameRequest,
  type OverviewSample,
  type Position,
  type RunLimit,
  type RunResult,
  type SessionSpec,
  type StopReason,
  type SweepJob,
  type SweepResult,
} from './api';
import { Core } from './core';
import type { EngineCode } from './engine-code';
import { FAULT } from './engine-errors';
import { BufferPool, bufferOf, makeFrame } from './frame';
import { Slices, STEP_EVENTS } from './run-slices';
import { EXPLORE, SessionRunner } from './session';
import { Sweeper } from './sweep';

/** Loads the engine module that includes the verification parts. */
export type LoadChecks = () => Promise<WebAssembly.Module>;

export class Host implements Engine {
  #code: EngineCode;
  readonly #loadChecks: LoadChecks;
  readonly #buffers = new BufferPool();
  #runner: SessionRunner | null = null;
  /** A core without a session, for the next `open`: the open session stays until the new one has loaded. */
  #spare: Core | null = null;
  #checks = false;
  readonly #sweeper: Sweeper;
  /** Number of the newest request that moves the machine. */
  #move = 0;
  /** Number of the newest `open` request. */
  #newestOpen = 0;
  /** Target of the seek in progress. */
  #target: RunLimit | null = null;
  #arrived: Promise<unknown> = Promise.resolve();

  constructor(code: EngineCode, loadChecks: LoadChecks) {
    this.#code = code;
    this.#loadChecks = loadChecks;
    this.#sweeper = new Sweeper(code);
  }

  #session(): SessionRunner {
    if (this.#runner) return this.#runner;
    throw new EngineError('No session is open.', FAULT.noSession, -1);
  }

  /** A machine with verification parts needs the larger module, which is loaded on demand. */
  async open(session: SessionSpec): Promise<Position> {
    const request = ++this.#newestOpen;
    this.#begin();
    try {
      return this.#open(session);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== FAULT.badType || this.#checks)
        throw error;
      const module = await this.#loadChecks();
      this.#code = { ...this.#code, module };
      this.#checks = true;
      this.#spare = null;
      if (this.#newestOpen !== request) throw error;
      return this.#open(session);
    }
  }

  #open(session: SessionSpec): Position {
    const core = this.#spare ?? new Core(this.#code);
    this.#spare = core;
    try {
      const runner = new SessionRunner(core, session, EXPLORE);
      const before = this.#runner?.core;
      this.#spare = before && !before.dead ? before : null;
      this.#runner = runner;
      return runner.position;
    } catch (error) {
      if (core.dead) this.#spare = null;
      throw error;
    }
  }

  /** Starts a request that moves the machine and cancels earlier ones. */
  #begin(): number {
    this.#target = null;
    return ++this.#move;
  }

  /** Continues in slices until done or until a newer request moves the machine. */
  async #advance(runner: SessionRunner, limit: RunLimit, move: number): Promise<RunResult> {
    const slices = new Slices();
    let reason: StopReason | null = null;
    while (reason === null) {
      reason = runner.advance(limit, STEP_EVENTS);
      if (reason !== null || !slices.isOver) continue;
      const { position } = runner;
      await slices.pause();
      if (this.#move !== move) return { ...position, reason: 'cancelled' };
    }
    return { ...runner.position, reason };
  }

  async run(limit: RunLimit): Promise<RunResult> {
    const runner = this.#session();
    return this.#advance(runner, limit, this.#begin());
  }

  async #navigateInSession(runner: SessionRunner, goal: RunLimit): Promise<Position> {
    const move = this.#begin();
    this.#target = goal;
    const going = this.#advance(runner, goal, move);
    this.#arrived = going.catch(() => null);
    try {
      const { timePs, events, seq } = await going;
      return { timePs, events, seq };
    } finally {
      if (this.#move === move) this.#target = null;
    }
  }

  async #seek(goal: RunLimit): Promise<Position> {
    const runner = this.#session();
    runner.rewind(goal);
    return this.#navigateInSession(runner, goal);
  }

  seekEvents(events: number): Promise<Position> {
    return this.#seek({ untilEvents: events });
  }

  seekTime(timePs: number): Promise<Position> {
    return this.#seek({ untilPs: timePs });
  }

  /** If a command is refused, the commands and the machine stay as they were. */
  async setCommands(commands: readonly Command[]): Promise<Position> {
    const runner = this.#session();
    const before = runner.commands;
    const goal = this.#target ?? { untilEvents: runner.position.events };
    runner.setCommands(commands);
    try {
      return await this.#navigateInSession(runner, goal);
    } catch (error) {
      if (runner.core.dead) throw error;
      runner.setCommands(before);
      await this.#navigateInSession(runner, goal);
      throw error;
    }
  }

  /**
   * Waits until no seek is in progress.
   * @returns the session that is open then
   */
  async #afterSeek(): Promise<SessionRunner> {
    while (this.#target) await this.#arrived;
    return this.#session();
  }

  async frame(request: FrameRequest): Promise<Frame> {
    return makeFrame(await this.#afterSeek(), request, this.#buffers);
  }

  release(frame: Frame): void {
    const buffer = bufferOf(frame);
    if (buffer) this.recycle(buffer);
  }

  /** Takes back a frame's buffer. */
  recycle(buffer: ArrayBuffer): void {
    this.#buffers.give(buffer);
  }

  async overview(): Promise<readonly OverviewSample[]> {
    return (await this.#afterSeek()).overview();
  }

  async hash(): Promise<string> {
    return (await this.#afterSeek()).core.hash();
  }

  async choices(): Promise<Uint32Array> {
    return (await this.#afterSeek()).core.choices();
  }

  sweep(job: SweepJob, onResult: (result: SweepResult) => void): Promise<'done' | 'cancelled'> {
    return this.sweepInBatches(job, (results) => results.forEach(onResult));
  }

  /** Like `sweep`, but passes on all results of a slice at once. */
  sweepInBatches(job: SweepJob, onResults: (results: readonly SweepResult[]) => void) {
    return this.#sweeper.run(job, onResults);
  }

  cancel(): void {
    this.#begin();
    this.#sweeper.cancel();
  }

  dispose(): void {
    this.cancel();
    this.#runner = this.#spare = null;
  }
}
