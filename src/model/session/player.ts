/**
 * The player of one opened run. Two engines hold the same session: one stands at the playhead and is what
 * the page draws, the other has run ahead and keeps the record of the whole run.
 *
 *     recorder   |==== trace, places to step to, overview ====================|
 *     machine    |-------------------^ playhead
 *
 * Going back is going to another point of the same deterministic run, so it is exact. Frames are handed
 * to listeners and never enter the store; the store holds what changes seldom.
 */
import { clamp } from '../../base/geometry';
import { createStore, type Store } from '../../base/store';

import type { Engine, Frame, FrameRequest, Position } from '../../engine/api';
import type { StoryIndex } from '../trace/story-index';

import { firstEventWhere } from './bisect';
import { type Clock, changedSpeed, maxFollowableSpeed, nearestSpeed, Playing } from './playback';
import type { Pace, PlayedMachine, PlayedSession, PlayerState } from './player-types';
import { PlayheadSeeker } from './playhead';
import { Recorder, type Recording, type RecordKeeper } from './recorder';
import { EventStepper, type Step, type StepUnit } from './stepping';
import { type Cut, type StoryFilm, storyFilm } from './story-film';

export interface PlayerParts<M extends PlayedMachine, T extends RecordKeeper> {
  /** The engine tells when it falls silent, and when it is heard again. */
  createEngine(onSilence: (silent: boolean) => void): Engine;
  createTrace(machine: M): T;
  /** Who waits where the engine has nothing left to do. */
  stuck(engine: Engine, machine: M): Promise<readonly string[]>;
  /** What went wrong with a machine's engine, as a sentence. */
  tell(error: unknown, machine: M | null): string;
  readonly loop: Clock;
}

const START: PlayerState = {
  status: 'empty',
  failure: null,
  playing: false,
  speed: 1e6,
  pace: 'clock',
  unit: 'event',
  endPs: 0,
  endEvents: 0,
  complete: false,
  stuck: [],
  stopAt: null,
  long: null,
  halted: false,
  travelling: false,
  silent: false,
  recorded: 0,
  opened: 0,
};

/** Transactions by which the first speed is chosen. */
const SAMPLE = 400;

export class Player<M extends PlayedMachine, T extends RecordKeeper> {
  readonly state: Store<PlayerState> = createStore(START);
  private readonly machine: Engine;
  private readonly ahead: Engine;
  private readonly recorder: Recorder<T>;
  private readonly playhead: PlayheadSeeker<M>;
  private readonly playing: Playing;
  private readonly silent = new Set<string>();
  private record: Recording<T> | null = null;
  private readonly listeners = new Set<() => void>();
  private loadingTrace = false;
  private filmed: { of: StoryIndex; endPs: number; film: StoryFilm | null } | null = null;

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
    const stepper = new EventStepper(this.machine, () => ({
      endPs: this.state.getState().endPs,
      stopAt: this.state.getState().stopAt,
      marks: this.record?.marks ?? null,
      trace: this.trace(),
    }));
    this.playhead = new PlayheadSeeker<M>(this.machine, stepper, {
      travelling: (travelling) => {
        if (this.state.getState().travelling !== travelling) this.state.setState({ travelling });
      },
      arrived: () => {
        if (this.state.getState().status === 'opening') this.state.setState({ status: 'ready' });
        this.clampToEnd();
      },
      framed: () => {
        this.notify();
        void this.loadTraceAround();
      },
      failed: (error) => this.fail(error),
    });
    this.playing = new Playing(this.state, parts.loop, {
      now: () => this.now(),
      run: (untilPs) => this.playhead.move(() => this.machine.run({ untilPs }), untilPs),
      go: (timePs) => this.toTime(timePs),
      settled: () => this.playhead.settled(),
      stopPs: () => stepper.stopPs(this.now(), 1),
      film: () => this.film(),
    });
  }

  /** Where the playhead stands: time on the axis, events processed, newest trace record. */
  now(): Position {
    return this.playhead.now();
  }

  frame(): Frame | null {
    return this.playhead.frame();
  }

  recording(): Recording<T> | null {
    return this.record;
  }

  /** What has been recorded, as a film at story pace. */
  film(): StoryFilm | null {
    const { record } = this;
    if (!record) return null;
    const { story, cut } = record;
    const endPs = cut ? story.lastPs : record.endPs;
    if (this.filmed?.of !== story || this.filmed.endPs !== endPs)
      this.filmed = { of: story, endPs, film: storyFilm(story, endPs) };
    return this.filmed.film;
  }

  /** What story pace leaves out within a window of time; nothing at clock pace. */
  cutsIn(fromPs: number, toPs: number): readonly Cut[] {
    const film = this.state.getState().pace === 'story' ? this.film() : null;
    return film?.cutsIn(fromPs, toPs) ?? [];
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
  want(views: FrameRequest['views']): () => void {
    const stop = this.playhead.want(views);
    this.refresh();
    return stop;
  }

  /** Has a frame come at the playhead, of what is wanted and known now; while playing they come by themselves. */
  refresh(): void {
    if (this.playhead.session && !this.state.getState().playing) this.playhead.refresh();
  }

  /** Opens a session, or takes over an edited one: the playhead then stays where it was in time. */
  async open(
    session: PlayedSession<M> | null,
    at: { timePs?: number; events?: number } = {},
  ): Promise<void> {
    const before = this.playhead.session;
    this.playhead.session = session;
    if (!session) return this.close();
    const same = before?.id === session.id;
    const { events } = at;
    const wantedPs = at.timePs ?? (same ? this.now().timePs : 0);
    const timePs = Math.min(wantedPs, session.machine.untilPs);
    if (!same) this.forget();
    this.state.setState((state) => ({
      status: state.status === 'ready' && same ? 'ready' : 'opening',
      failure: null,
      opened: state.opened + 1,
      complete: false,
      stuck: [],
      long: null,
      halted: false,
    }));
    void this.keepRecord(session, !same);
    if (events !== undefined) return this.toEvents(events);
    if (!same || at.timePs !== undefined)
      return this.playhead.move(async (kept) => kept ?? this.machine.seekTime(timePs), timePs);
    return this.playhead.stay(timePs);
  }

  /** Starts again after the engine failed, at the same time of the same session. */
  reopen(): Promise<void> {
    const { session, timePs } = this.playhead;
    this.playhead.unload();
    return this.open(session, { timePs });
  }

  /** Stops what takes long: the recording where it stands, the playhead where it has come to. */
  stopRecording(): void {
    const { travelling, long, silent } = this.state.getState();
    if (silent) for (const engine of [this.machine, this.ahead]) engine.dispose();
    if (long) this.recorder.stopRecording();
    if (!travelling) return;
    this.pause();
    this.playhead.stop();
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
    this.playhead.forget();
    this.state.setState({ stopAt: null, endPs: 0, endEvents: 0 });
  }

  private async keepRecord(session: PlayedSession<M>, fresh: boolean): Promise<void> {
    const shown = this.now().timePs;
    const { machine } = session;
    let paced = !fresh;
    try {
      await this.recorder.record({
        session: { config: machine.config, commands: session.commands },
        untilPs: machine.untilPs,
        types: machine.parts.map((part) => part.type),
        makeTrace: () => this.parts.createTrace(machine),
        onLong: (long) => this.state.setState({ long }),
        onIdle: async () => {
          const stuck = await this.parts.stuck(this.ahead, machine);
          if (this.playhead.session === session) this.state.setState({ stuck });
        },
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
          this.clampToEnd();
        },
      });
    } catch (error) {
      if (this.playhead.session === session) this.fail(error);
    }
  }

  /** A run may end before the time that the playhead was left at, or sent to: then it stands at the end. */
  private clampToEnd(): void {
    const { complete, endPs } = this.state.getState();
    if (complete && this.now().timePs > endPs) void this.toTime(endPs);
  }

  private choosePace({ marks }: Recording<T>): void {
    this.state.setState({ speed: maxFollowableSpeed(marks.transactions.timesOf(SAMPLE)) });
  }

  /** Keeps the trace of a very long run around the playhead. */
  private async loadTraceAround(): Promise<void> {
    if (!this.record?.cut || this.loadingTrace) return;
    this.loadingTrace = true;
    try {
      if (await this.recorder.loadTraceAround(this.record, this.now().timePs)) {
        this.state.setState(({ recorded }) => ({ recorded: recorded + 1 }));
        this.notify();
      }
    } catch (error) {
      this.fail(error);
    } finally {
      this.loadingTrace = false;
    }
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  private fail(error: unknown): void {
    this.pause();
    const failure = this.parts.tell(error, this.playhead.session?.machine ?? null);
    this.state.setState({ status: 'failed', failure });
  }

  play(): void {
    this.playing.play();
  }

  /** Plays to a time in about so many milliseconds; resolves there, or where it was stopped. */
  playTo(timePs: number, ms: number): Promise<void> {
    return this.playing.playTo(timePs, ms);
  }

  pause(): void {
    this.playing.pause();
  }

  toggle(): void {
    if (this.state.getState().playing) this.pause();
    else this.play();
  }

  /** Playing stops at events of this kind; null lets it go on. */
  setStop(kind: number | null): void {
    this.state.setState({ stopAt: kind });
  }

  setSpeed(speed: number): void {
    this.state.setState({ speed: nearestSpeed(speed), pace: 'clock' });
  }

  changeSpeed(by: 1 | -1): void {
    this.state.setState(({ speed }) => ({ speed: changedSpeed(speed, by), pace: 'clock' }));
  }

  setPace(pace: Pace): void {
    this.state.setState({ pace });
  }

  setUnit(unit: StepUnit): void {
    this.state.setState({ unit });
  }

  toTime(timePs: number): Promise<void> {
    const to = clamp(timePs, 0, Math.max(this.state.getState().endPs, 0));
    return this.playhead.move(() => this.machine.seekTime(to), to);
  }

  toEvents(events: number): Promise<void> {
    return this.playhead.move(() => this.machine.seekEvents(Math.max(0, events)), null);
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
    return this.playhead.step(by, unit);
  }

  /** The first event of the recorded run after which something holds, which holds from then on. The playhead stays. */
  async firstWhere(holds: (counters: ArrayLike<number>) => boolean): Promise<Position | null> {
    const { overview = [] } = this.record ?? {};
    const here = this.now().timePs;
    let found: Position | null = null;
    await this.playhead.move(async () => {
      found = await firstEventWhere(this.machine, overview, holds);
      return this.machine.seekTime(here);
    }, here);
    return found;
  }

  /** Where the playhead comes to rest: once all that was asked for is done, or at once while it plays. */
  resting(): Promise<Position> {
    return this.playhead.resting(() => this.state.getState().playing);
  }

  /** 16 digits over all simulated state at the playhead, once it rests. */
  hash(): Promise<string> {
    return this.playhead.hash();
  }
}
