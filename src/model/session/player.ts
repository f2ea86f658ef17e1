/**
 * The player of one opened run. Two engines hold the same session: one stands at the needle and is what
 * the page draws, the other has run ahead and keeps the record of the whole run.
 *
 *     recorder   |==== trace, places to step to, overview ====================|
 *     machine    |-------------------^ needle
 *
 * Going back is going to another point of the same deterministic run, so it is exact. Frames are handed
 * to listeners and never enter the store; the store holds what changes seldom.
 */
import { clamp } from '../../base/geometry';
import type { FrameTime } from '../../base/loop';
import { createStore, type Store } from '../../base/store';
import type { Command, Engine, Frame, FrameRequest, Position } from '../../engine/api';
import type { PartType } from '../../engine/manifest';
import { firstEventWhere } from '../lesson/evidence';
import { changedSpeed, followableSpeed, nearestSpeed } from './pace';
import { Recorder, type Recording, type RecordKeeper } from './recorder';
import { type Step, Stepper, type StepUnit } from './stepping';

export interface PlayerState {
  readonly status: 'empty' | 'opening' | 'ready' | 'failed';
  /** Why the engine stopped, when it did. */
  readonly failure: string | null;
  readonly playing: boolean;
  /** Picoseconds of the run for each second of the viewer. */
  readonly speed: number;
  readonly unit: StepUnit;
  readonly endPs: number;
  readonly endEvents: number;
  /** The whole run is recorded. */
  readonly complete: boolean;
  /** Kind of the events at which playing stops. */
  readonly stopAt: number | null;
  /** How far a run of very many events has been recorded; null while it is not long, and at its end. */
  readonly long: { readonly events: number; readonly timePs: number } | null;
  /** The recording of it was stopped, and can go on. */
  readonly halted: boolean;
  /** The needle has been on its way to a place for a while. */
  readonly travelling: boolean;
  /** An engine has not answered for two seconds. */
  readonly silent: boolean;
  /** Grows when the record is another one or has grown. */
  readonly recorded: number;
  /** Grows with each opening of a session, also of an edited one. */
  readonly opened: number;
}

/** A machine as the player needs it. */
export interface PlayedMachine {
  readonly config: Uint8Array;
  readonly untilPs: number;
  readonly parts: readonly { readonly type: PartType }[];
}

export interface PlayedSession<M extends PlayedMachine> {
  /** The same for all edits of one piece of work; another one starts from the beginning. */
  readonly id: string;
  readonly machine: M;
  readonly commands: readonly Command[];
}

interface Clock {
  every(phase: 'advance', callback: (time: FrameTime) => void): () => void;
}

export interface PlayerParts<M extends PlayedMachine, T extends RecordKeeper> {
  /** The engine tells when it falls silent, and when it is heard again. */
  createEngine(onSilence: (silent: boolean) => void): Engine;
  createTrace(machine: M): T;
  /** What went wrong with a machine's engine, as a sentence. */
  tell(error: unknown, machine: M | null): string;
  readonly loop: Clock;
}

/** A way that is played in a given time, whatever the speed. */
interface Way {
  readonly from: number;
  readonly to: number;
  readonly ms: number;
  passed: number;
  /** Called when it is over: at its end, or wherever somebody stopped. */
  over(): void;
}

type Views = FrameRequest['views'];

const START: PlayerState = {
  status: 'empty',
  failure: null,
  playing: false,
  speed: 1e6,
  unit: 'event',
  endPs: 0,
  endEvents: 0,
  complete: false,
  stopAt: null,
  long: null,
  halted: false,
  travelling: false,
  silent: false,
  recorded: 0,
  opened: 0,
};

/** What several panels ask for comes once. */
const distinct = (views: Views): Views => [
  ...new Map(views.map((one) => [`${one.part} ${one.view} ${one.packed ?? false}`, one])).values(),
];

const placeOn = ({ from, to, ms, passed }: Way): number =>
  passed < ms ? from + ((to - from) * passed) / ms : to;

/** A pause of the page (a hidden tab) does not make the run leap. */
const LONGEST_FRAME_MS = 100;
/** A way that takes the machine longer is told of, and can be stopped. */
const PATIENCE_MS = 1000;
/** Transactions by which the first speed is chosen. */
const SAMPLE = 400;

export class Player<M extends PlayedMachine, T extends RecordKeeper> {
  readonly state: Store<PlayerState> = createStore(START);
  private readonly machine: Engine;
  private readonly ahead: Engine;
  private readonly recorder: Recorder<T>;
  private readonly stepper: Stepper;
  private readonly silent = new Set<string>();
  private session: PlayedSession<M> | null = null;
  /** The session that the machine has; behind while an edit is on its way. */
  private loaded: PlayedSession<M> | null = null;
  private record: Recording<T> | null = null;
  private latest: Frame | null = null;
  private timePs = 0;
  private readonly wanted = new Map<symbol, Views>();
  private readonly listeners = new Set<() => void>();
  private stopClock: (() => void) | null = null;
  /** Requests that move the machine follow one another; the newest says where it ends up. */
  private moving: Promise<unknown> = Promise.resolve();
  private turn = 0;
  /** The newest request that says where to go wherever the needle stands. */
  private newest = 0;
  /** Where the machine is, which the frame follows. */
  private reached: Position | null = null;
  /** The turn whose way somebody stopped. */
  private stoppedTurn = -1;
  /** The machine is on its way to the last frame asked for; time passes meanwhile. */
  private busy = false;
  private owedMs = 0;
  private way: Way | null = null;
  private covering = false;
  /** Steps that were asked for and not yet made; the turn that makes them, while it goes on. */
  private readonly owed: { readonly by: 1 | -1; readonly unit: Step }[] = [];
  private stepping: number | null = null;

  constructor(private readonly parts: PlayerParts<M, T>) {
    const watched = (name: string) =>
      parts.createEngine((silent) => {
        if (silent) this.silent.add(name);
        else this.silent.delete(name);
        this.state.setState({ silent: this.silent.size > 0 });
      });
    this.machine = watched('machine');
    this.ahead = watched('ahead');
    this.recorder = new Recorder(this.ahead);
    this.stepper = new Stepper(this.machine, () => ({
      endPs: this.state.getState().endPs,
      stopAt: this.state.getState().stopAt,
      marks: this.record?.marks ?? null,
      trace: this.trace(),
    }));
  }

  /** Where the needle stands: time on the axis, events processed, newest trace record. */
  now(): Position {
    const { events = 0, seq = 0 } = this.latest ?? {};
    return { timePs: this.timePs, events, seq };
  }

  frame(): Frame | null {
    return this.latest;
  }

  recording(): Recording<T> | null {
    return this.record;
  }

  trace(): T | null {
    return this.record?.trace ?? null;
  }

  /** Calls back after each new frame, until stopped. Draw from it; do not keep frames. */
  onFrame(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Asks for views to come with each frame, until stopped. */
  want(views: Views): () => void {
    const key = Symbol('views');
    this.wanted.set(key, views);
    this.refresh();
    return () => this.wanted.delete(key);
  }

  /** Opens a session, or takes over an edited one: the needle then stays where it was in time. */
  async open(
    session: PlayedSession<M> | null,
    at: { timePs?: number; events?: number } = {},
  ): Promise<void> {
    const before = this.session;
    this.session = session;
    if (!session) return this.close();
    const same = before?.id === session.id;
    const { events } = at;
    const timePs = at.timePs ?? (same ? this.timePs : 0);
    if (!same) this.forget();
    this.state.setState((state) => ({
      status: state.status === 'ready' && same ? 'ready' : 'opening',
      failure: null,
      opened: state.opened + 1,
      complete: false,
      long: null,
      halted: false,
    }));
    void this.keepRecord(session, !same);
    if (events !== undefined) return this.toEvents(events);
    if (!same || at.timePs !== undefined)
      return this.move(async (kept) => kept ?? this.machine.seekTime(timePs), timePs);
    // An edit leaves the needle where it is, or where it is on its way to.
    return this.follow(async (kept, stopped) => {
      const there = this.reached?.timePs ?? timePs;
      const position = kept ?? (await this.machine.seekTime(there));
      return stopped() ? position : { ...position, timePs: there };
    }, null);
  }

  /**
   * Brings the machine's session up to date before it is moved. Where only commands changed, the machine
   * stays at its event, and the answer says where; else it is null.
   */
  private async load(): Promise<Position | null> {
    const { session, loaded } = this;
    if (!session || session === loaded) return null;
    this.loaded = null;
    const { commands } = session;
    const { config } = session.machine;
    const kept =
      loaded?.machine.config === config ? await this.machine.setCommands(commands) : null;
    if (!kept) await this.machine.open({ config, commands });
    this.loaded = session;
    return kept;
  }

  /** Starts again after the engine failed, at the same time of the same session. */
  reopen(): Promise<void> {
    const { session, timePs } = this;
    this.loaded = null;
    return this.open(session, { timePs });
  }

  /** Stops what takes long: the recording where it stands, the needle where it has come to. */
  halt(): void {
    const { travelling, long, silent } = this.state.getState();
    if (silent) for (const engine of [this.machine, this.ahead]) engine.dispose();
    if (long) this.recorder.halt();
    if (!travelling) return;
    this.pause();
    this.stoppedTurn = this.turn;
    this.machine.cancel();
  }

  /** Goes on with the recording that was stopped. */
  resume(): void {
    this.state.setState({ halted: false });
    this.recorder.resume();
  }

  private close(): void {
    this.pause();
    this.recorder.stop();
    this.forget();
    this.state.setState({ ...START, silent: this.silent.size > 0 }, true);
  }

  private forget(): void {
    this.pause();
    this.record = null;
    this.latest = null;
    this.reached = null;
    this.timePs = 0;
    this.state.setState({ stopAt: null, endPs: 0, endEvents: 0 });
  }

  private async keepRecord(session: PlayedSession<M>, fresh: boolean): Promise<void> {
    const shown = this.timePs;
    const { machine } = session;
    let paced = !fresh;
    try {
      await this.recorder.record({
        session: { config: machine.config, commands: session.commands },
        untilPs: machine.untilPs,
        types: machine.parts.map((part) => part.type),
        makeTrace: () => this.parts.createTrace(machine),
        onLong: (long) => this.state.setState({ long }),
        onProgress: (recording) => {
          if (!paced) this.choosePace(recording);
          paced = true;
          if (recording.endPs < shown && !recording.complete) return;
          this.record = recording;
          this.state.setState((state) => ({
            endPs: recording.endPs,
            endEvents: recording.endEvents,
            complete: recording.complete,
            long: recording.complete ? null : state.long,
            halted: recording.halted,
            recorded: state.recorded + 1,
          }));
          this.notify();
        },
      });
    } catch (error) {
      if (this.session === session) this.fail(error);
    }
  }

  private choosePace({ marks }: Recording<T>): void {
    this.state.setState({ speed: followableSpeed(marks.transactions.timesOf(SAMPLE)) });
  }

  /** Makes the machine go somewhere; a newer request takes the place of one that has not begun. */
  private move(
    go: (kept: Position | null) => Promise<Position>,
    timePs: number | null,
  ): Promise<void> {
    this.newest = this.turn + 1;
    return this.follow(go, timePs);
  }

  /** Makes the machine go on from where the request before leads. */
  private follow(
    go: (kept: Position | null, stopped: () => boolean) => Promise<Position>,
    timePs: number | null,
  ): Promise<void> {
    const turn = ++this.turn;
    this.owed.length = 0;
    const done = this.moving.then(async () => {
      if (turn < this.newest) return;
      const stopped = () => turn === this.stoppedTurn;
      const isLong = setTimeout(() => this.state.setState({ travelling: true }), PATIENCE_MS);
      try {
        const position = await go(await this.load(), stopped);
        this.reached = stopped() || timePs === null ? position : { ...position, timePs };
        if (turn !== this.turn) return;
        this.timePs = this.reached.timePs;
        await this.pull();
        if (turn === this.turn && this.state.getState().status === 'opening')
          this.state.setState({ status: 'ready' });
      } catch (error) {
        if (turn === this.turn) this.fail(error);
        if (turn === this.stepping) this.stepping = null;
      } finally {
        clearTimeout(isLong);
        if (this.state.getState().travelling) this.state.setState({ travelling: false });
      }
    });
    this.moving = done;
    return done;
  }

  /** What is wanted and the machine has: a panel may still want what a machine before had. */
  private views(): Views {
    const parts = this.loaded?.machine.parts;
    const has = ({ part, view }: Views[number]) =>
      !parts || view < (parts[part]?.type.views.length ?? 0);
    return distinct([...this.wanted.values()].flat()).filter(has);
  }

  private async pull(): Promise<void> {
    const frame = await this.machine.frame({ views: this.views() });
    const before = this.latest;
    this.latest = frame;
    this.notify();
    if (before) this.machine.release(before);
    void this.cover();
  }

  /** Keeps the trace of a very long run around the needle. */
  private async cover(): Promise<void> {
    if (!this.record?.cut || this.covering) return;
    this.covering = true;
    try {
      if (await this.recorder.cover(this.record, this.timePs)) {
        this.state.setState(({ recorded }) => ({ recorded: recorded + 1 }));
        this.notify();
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.covering = false;
    }
  }

  /** Brings the frame up to date with what is wanted, without moving. */
  private refresh(): void {
    if (this.session && !this.state.getState().playing)
      void this.moving.then(() => this.pull()).catch((error) => this.fail(error));
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  private fail(error: unknown): void {
    this.pause();
    const failure = this.parts.tell(error, this.session?.machine ?? null);
    this.state.setState({ status: 'failed', failure });
  }

  play(): void {
    const { status, playing, endPs } = this.state.getState();
    if (status !== 'ready' || playing) return;
    if (this.timePs >= endPs) void this.toTime(0);
    this.state.setState({ playing: true });
    this.owedMs = 0;
    this.stopClock = this.parts.loop.every('advance', (time) => this.advance(time.elapsed));
  }

  /** Plays to a time in about so many milliseconds; resolves there, or where somebody stopped on the way. */
  async playTo(timePs: number, ms: number): Promise<void> {
    this.pause();
    const { status, endPs } = this.state.getState();
    const to = clamp(timePs, 0, endPs);
    if (status !== 'ready') return;
    if (to <= this.timePs || ms <= 0) return this.toTime(to);
    const arrived = new Promise<void>((over) => {
      this.way = { from: this.timePs, to, ms, passed: 0, over };
    });
    this.play();
    await arrived;
    await this.moving;
  }

  pause(): void {
    this.stopClock?.();
    this.stopClock = null;
    this.way?.over();
    this.way = null;
    if (this.state.getState().playing) this.state.setState({ playing: false });
  }

  toggle(): void {
    if (this.state.getState().playing) this.pause();
    else this.play();
  }

  /** One animation frame of playing: the needle moves on, the machine follows when it is free. */
  private advance(elapsedMs: number): void {
    this.owedMs = Math.min(this.owedMs + elapsedMs, LONGEST_FRAME_MS);
    if (this.way) this.way.passed += elapsedMs;
    if (this.busy) return;
    const timePs = this.way ? placeOn(this.way) : this.nextPs();
    this.owedMs = 0;
    if (timePs === this.way?.to) this.pause();
    this.busy = true;
    void this.move(() => this.machine.run({ untilPs: timePs }), timePs).finally(() => {
      this.busy = false;
    });
  }

  /** Where the needle comes to with the time that is owed; playing ends at what stops it, and at the end. */
  private nextPs(): number {
    const { speed, endPs, complete, halted } = this.state.getState();
    const stopPs = this.stepper.stopPs(this.now(), 1) ?? Infinity;
    const timePs = Math.min(this.timePs + (this.owedMs / 1000) * speed, endPs, stopPs);
    if (timePs === stopPs || ((complete || halted) && timePs >= endPs)) this.pause();
    return timePs;
  }

  /** Playing stops at events of this kind; null lets it go on. */
  setStop(kind: number | null): void {
    this.state.setState({ stopAt: kind });
  }

  setSpeed(speed: number): void {
    this.state.setState({ speed: nearestSpeed(speed) });
  }

  changeSpeed(by: 1 | -1): void {
    this.state.setState(({ speed }) => ({ speed: changedSpeed(speed, by) }));
  }

  setUnit(unit: StepUnit): void {
    this.state.setState({ unit });
  }

  toTime(timePs: number): Promise<void> {
    const to = clamp(timePs, 0, Math.max(this.state.getState().endPs, 0));
    return this.move(() => this.machine.seekTime(to), to);
  }

  toEvents(events: number): Promise<void> {
    return this.move(() => this.machine.seekEvents(Math.max(0, events)), null);
  }

  first(): Promise<void> {
    this.pause();
    return this.toEvents(0);
  }

  last(): Promise<void> {
    this.pause();
    return this.toTime(this.state.getState().endPs);
  }

  /** One step forward or back, by the chosen unit or the one given. No step is lost to a quick hand. */
  step(by: 1 | -1, unit: Step = this.state.getState().unit): Promise<unknown> {
    this.pause();
    if (this.stepping === null || this.stepping !== this.turn) {
      void this.follow((_, stopped) => this.makeSteps(stopped), null);
      this.stepping = this.turn;
    }
    this.owed.push({ by, unit });
    return this.moving;
  }

  private async makeSteps(stopped: () => boolean): Promise<Position> {
    const { turn } = this;
    let at = this.reached ?? this.now();
    while (turn === this.turn) {
      const next = stopped() ? null : this.owed.shift();
      if (!next) {
        this.stepping = null;
        break;
      }
      at = await this.stepper.from(at, next.by, next.unit, stopped);
    }
    return at;
  }

  /** The first event of the recorded run after which something holds, which holds from then on. The needle stays. */
  async firstWhere(holds: (counters: ArrayLike<number>) => boolean): Promise<Position | null> {
    const { overview = [] } = this.record ?? {};
    const here = this.timePs;
    let found: Position | null = null;
    await this.move(async () => {
      found = await firstEventWhere(this.machine, overview, holds);
      return this.machine.seekTime(here);
    }, here);
    return found;
  }

  /** Where the needle comes to rest: once all that was asked for is done, or at once while it plays. */
  async resting(): Promise<Position> {
    for (let { turn } = this; !this.state.getState().playing; { turn } = this) {
      await this.moving;
      if (turn === this.turn) break;
    }
    return this.now();
  }

  /** 16 digits over all simulated state at the needle, once it rests. */
  async hash(): Promise<string> {
    for (;;) {
      const { turn } = this;
      await this.moving;
      const digest = await this.machine.hash();
      if (turn === this.turn) return digest;
    }
  }
}
