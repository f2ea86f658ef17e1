/**
 * The player of the open run. Two engines run the same session: one is at the playhead and is shown on the
 * page, the other runs ahead and records the whole run.
 *
 *     recorder   |==== trace, marks to step to, overview =====================|
 *     machine    |-------------------^ playhead
 *
 * Seeking backwards is exact, because the run is deterministic. Frames are passed
 * to listeners and are not in the store, which has only slowly changing state.
 */
import { whileBusy } from '../../base/activity';
import { clamp } from '../../base/geometry';
import { createStore, type Store } from '../../base/store';

import type { Engine, Frame, FrameRequest, Position } from '../../engine/api';
import type { StoryIndex } from '../trace/story-index';

import { type Clock, changedSpeed, maxFollowableSpeed, nearestSpeed, Playing } from './playback';
import type { Pace, PlayedMachine, PlayedSession, PlayerState } from './player-types';
import { PlayheadSeeker } from './playhead';
import { Recorder, type Recording, type RecordKeeper } from './recorder';
import { EventStepper, type Step, type StepUnit, type Stops } from './stepping';
import { type Cut, type StoryFilm, storyFilm } from './story-film';

export interface PlayerParts<M extends PlayedMachine, T extends RecordKeeper> {
  /** Creates an engine; `onSilence` reports when it becomes unresponsive and when it answers again. */
  createEngine(onSilence: (silent: boolean) => void): Engine;
  createTrace(machine: M): T;
  /** Descriptions of blocked threads when no event is pending. */
  stuck(engine: Engine, machine: M): Promise<readonly string[]>;
  /** The message for an error of a machine's engine. */
  tell(error: unknown, machine: M | null): string;
  readonly loop: Clock;
}

const START: PlayerState = {
  status: 'empty',
  failure: null,
  playing: false,
  backwards: false,
  stepping: false,
  speed: 1e6,
  pace: 'clock',
  unit: 'event',
  endPs: 0,
  endEvents: 0,
  complete: false,
  stuck: [],
  stopAt: null,
  limitPs: null,
  long: null,
  paused: false,
  travelling: false,
  silent: false,
  recorded: 0,
  opened: 0,
};

const NOTHING_SEARCHED: Stops = { seqs: [], timesPs: [], toPs: 0 };

/** Number of transactions from which the initial speed is chosen. */
const SAMPLE = 400;
/** Duration of the film of a step in milliseconds: what an eye can follow, and what a hand waits for. */
const SHORTEST_STEP_MS = 350;
const LONGEST_STEP_MS = 900;
/** Seconds in which a long run without a bus is played as a whole. */
const WHOLE_RUN_S = 12;

export class Player<M extends PlayedMachine, T extends RecordKeeper> {
  readonly state: Store<PlayerState> = createStore(START);
  private readonly machine: Engine;
  private readonly ahead: Engine;
  private readonly recorder: Recorder<T>;
  private readonly stepper: EventStepper;
  private readonly playhead: PlayheadSeeker<M>;
  private readonly playing: Playing;
  private readonly silent = new Set<string>();
  private record: Recording<T> | null = null;
  private stops: Stops | null = null;
  /** The record is that of the session before an edit. */
  private outdated = false;
  private readonly listeners = new Set<() => void>();
  private loadingTrace = false;
  /** Number of requested steps with a film, and the films. */
  private steps = 0;
  private playedSteps: Promise<unknown> | null = null;
  /** Number of pauses: each cancels the films that were requested before. */
  private pauses = 0;
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
    this.stepper = new EventStepper(this.machine, () => {
      const { status, endPs, complete, paused } = this.state.getState();
      const growing = (status === 'ready' || status === 'opening') && !complete && !paused;
      const marks = this.record?.marks ?? null;
      // Marks of the run before an edit are not steps of the run after it.
      const { stops } = this;
      return { endPs: this.outdated ? 0 : endPs, stops, growing, marks, trace: this.trace() };
    });
    this.playhead = new PlayheadSeeker<M>(this.machine, this.stepper, {
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
      limitPs: () => this.state.getState().limitPs,
    });
    this.playing = new Playing(this.state, parts.loop, {
      now: () => this.now(),
      run: (untilPs) => this.playhead.move(() => this.machine.run({ untilPs }), untilPs),
      go: (timePs) => this.toTime(timePs),
      settled: () => this.playhead.settled(),
      stopPs: (by) => {
        const { limitPs } = this.state.getState();
        const stopPs = this.stepper.stopPs(this.now(), by);
        if (by < 0) return stopPs;
        return limitPs === null ? stopPs : Math.min(limitPs, stopPs ?? limitPs);
      },
      searchedPs: () => this.stops?.toPs ?? Number.POSITIVE_INFINITY,
      film: () => this.film(),
    });
  }

  /** Position of the playhead: time, events processed, newest trace record. */
  now(): Position {
    return this.playhead.now();
  }

  frame(): Frame | null {
    return this.playhead.frame();
  }

  recording(): Recording<T> | null {
    return this.record;
  }

  /** The recording as a film for story pace. */
  film(): StoryFilm | null {
    const { record } = this;
    if (!record) return null;
    const { story, cut } = record;
    const endPs = cut ? story.lastPs : record.endPs;
    if (this.filmed?.of !== story || this.filmed.endPs !== endPs)
      this.filmed = { of: story, endPs, film: storyFilm(story, endPs) };
    return this.filmed.film;
  }

  /** Times that story pace leaves out within a window; none at clock pace. */
  cutsIn(fromPs: number, toPs: number): readonly Cut[] {
    const film = this.state.getState().pace === 'story' ? this.film() : null;
    return film?.cutsIn(fromPs, toPs) ?? [];
  }

  trace(): T | null {
    return this.record?.trace ?? null;
  }

  /**
   * Calls back after each new frame. Draw from the frame, but do not keep it.
   * @returns a function that unsubscribes
   */
  onFrame(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Requests views with each frame.
   * @returns a function that cancels the request
   */
  want(views: FrameRequest['views']): () => void {
    const stop = this.playhead.want(views);
    this.refresh();
    return stop;
  }

  /** Requests a new frame at the playhead with the present views; not needed during playback. */
  refresh(): void {
    if (this.playhead.session && !this.state.getState().playing) this.playhead.refresh();
  }

  /** Opens a session, or applies an edited one; the playhead then keeps its time. */
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
      paused: false,
    }));
    void this.keepRecord(session, !same);
    if (events !== undefined) return this.toEvents(events);
    if (!same || at.timePs !== undefined)
      return this.playhead.move(async (kept) => kept ?? this.machine.seekTime(timePs), timePs);
    return this.playhead.stay(timePs);
  }

  /** Restarts after an engine failure, at the same time of the same session. */
  reopen(): Promise<void> {
    const { session, timePs } = this.playhead;
    this.playhead.unload();
    return this.open(session, { timePs });
  }

  /** Stops long work: the recording stays as it is, and the playhead stays where it is. */
  stopRecording(): void {
    const { travelling, long, silent } = this.state.getState();
    if (silent) for (const engine of [this.machine, this.ahead]) engine.dispose();
    if (long) this.recorder.stopRecording();
    if (!travelling) return;
    this.pause();
    this.playhead.stop();
  }

  /** Continues a stopped recording. */
  resume(): void {
    this.state.setState({ paused: false });
    this.recorder.resume();
  }

  private close(): void {
    this.pause();
    this.recorder.stop();
    this.forget();
    this.state.setState({ ...START, silent: this.silent.size > 0 }, true);
    this.stepper.lookAgain();
  }

  private forget(): void {
    this.pause();
    this.record = null;
    this.playhead.forget();
    this.setStop(null);
    this.state.setState({ limitPs: null, endPs: 0, endEvents: 0 });
  }

  private async keepRecord(session: PlayedSession<M>, fresh: boolean): Promise<void> {
    const shown = this.now().timePs;
    const { machine } = session;
    let paced = !fresh;
    this.outdated = true;
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
          if (!paced) this.choosePace(recording, machine);
          paced = true;
          if (recording.endPs < shown && !recording.complete) return;
          this.record = recording;
          this.outdated = false;
          this.state.setState((state) => ({
            endPs: recording.endPs,
            endEvents: recording.endEvents,
            complete: recording.complete,
            long: recording.complete ? null : state.long,
            paused: recording.paused,
            recorded: state.recorded + 1,
          }));
          this.notify();
          this.clampToEnd();
          this.stepper.lookAgain();
        },
      });
    } catch (error) {
      if (this.playhead.session === session) this.fail(error);
    }
  }

  /** Moves the playhead to the end of the run if it is beyond it. */
  private clampToEnd(): void {
    const { complete, endPs } = this.state.getState();
    if (complete && this.now().timePs > endPs) void this.toTime(endPs);
  }

  /** A long run without a bus is about shares and totals: it is played as a whole, not step by step. */
  private choosePace({ marks, complete }: Recording<T>, { parts, untilPs }: M): void {
    const hasBus = parts.some(({ type }) => type.actor === 'bus');
    if (hasBus || complete)
      this.state.setState({ speed: maxFollowableSpeed(marks.transactions.timesOf(SAMPLE)) });
    else this.setSpeed(untilPs / WHOLE_RUN_S);
  }

  /** Loads the trace of a very long run around the playhead. */
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
    this.stepper.lookAgain();
  }

  play(): void {
    this.playing.play();
  }

  /** Plays towards the start; pauses if it does already. */
  playBackwards(): void {
    if (this.state.getState().backwards) this.pause();
    else this.playing.playBackwards();
  }

  /** Plays to a time in about `ms` milliseconds. Resolves at the end, or when playback is stopped. */
  async playTo(timePs: number, ms: number): Promise<void> {
    await this.playing.playTo(timePs, ms);
  }

  pause(): void {
    this.pauses++;
    this.playing.pause();
  }

  toggle(): void {
    if (this.state.getState().playing) this.pause();
    else this.play();
  }

  /** Playback stops at events that a query finds; null removes the stop. The search then gives them to `setStops`. */
  setStop(query: string | null): void {
    this.state.setState({ stopAt: query });
    this.setStops(query === null ? null : NOTHING_SEARCHED);
  }

  /** The stops found so far; playback waits where the search has not been. */
  setStops(stops: Stops | null): void {
    this.stops = stops;
    this.stepper.lookAgain();
  }

  /** Keeps the playhead at or before a time; null lets it go to the end of the run. */
  setLimit(limitPs: number | null): void {
    if (this.state.getState().limitPs === limitPs) return;
    this.state.setState({ limitPs });
    if (limitPs !== null && this.now().timePs > limitPs) void this.toTime(limitPs);
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
    const to = clamp(timePs, 0, this.reachablePs());
    return this.playhead.move(() => this.machine.seekTime(to), to);
  }

  /** Where the playhead can go: as far as the run may last, until its end is known. */
  private reachablePs(): number {
    const { endPs, complete, paused } = this.state.getState();
    return complete || paused ? endPs : (this.playhead.session?.machine.untilPs ?? 0);
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

  /**
   * One step forwards or backwards, by the chosen or the given unit. Steps requested in quick succession are
   * queued.
   */
  step(by: 1 | -1, unit: Step = this.state.getState().unit): Promise<unknown> {
    this.pause();
    return this.playhead.step(by, unit);
  }

  /**
   * One step forwards as a short film: each packet on the way can be followed. The next step ends the film; anything
   * else that moves the playhead cancels it.
   */
  playStep(unit: Step = this.state.getState().unit): Promise<unknown> {
    const [step, { pauses }] = [++this.steps, this];
    this.playing.finishStep();
    const isHere = () => pauses === this.pauses;
    const play = async () => {
      if (this.state.getState().playing) this.playing.pause();
      const now = this.now();
      const to = step === this.steps && isHere() ? this.stepper.aheadPs(now, unit) : null;
      const isLong = to !== null && to - 1 > now.timePs;
      if (isLong && !(await this.playing.playTo(to - 1, this.stepMs(now.timePs, to), true))) return;
      if (isHere()) await this.playhead.step(1, unit);
    };
    const played = whileBusy((this.playedSteps ?? Promise.resolve()).then(play)).finally(() => {
      if (this.playedSteps === played) this.playedSteps = null;
    });
    this.playedSteps = played;
    return played;
  }

  /** Duration of the film of a step, from the film of the run. */
  private stepMs(fromPs: number, toPs: number): number {
    const film = this.film();
    const ms = film ? film.msAt(toPs) - film.msAt(fromPs) : 0;
    return clamp(ms, SHORTEST_STEP_MS, LONGEST_STEP_MS);
  }

  /**
   * The first event of the recorded run after which a condition holds, provided that it then stays true. The playhead
   * does not move.
   */
  firstWhere(holds: (counters: ArrayLike<number>) => boolean): Promise<Position | null> {
    const { record } = this;
    return record?.complete ? this.recorder.firstWhere(record, holds) : Promise.resolve(null);
  }

  /** Counters of all parts at a time of the recorded run; null while it is not recorded. The playhead does not move. */
  countersAt(timePs: number): Promise<readonly number[] | null> {
    const { record } = this;
    return record?.complete ? this.recorder.countersAt(record, timePs) : Promise.resolve(null);
  }

  /** Position of the playhead after all pending requests; during playback the present position. */
  async resting(): Promise<Position> {
    if (this.playedSteps) await this.playedSteps;
    return this.playhead.resting(() => this.state.getState().playing);
  }

  /** State hash at the playhead (16 digits), after all pending requests. */
  async hash(): Promise<string> {
    await this.playedSteps;
    return this.playhead.hash();
  }
}
