/**
 * The engine at the playhead. Seeks are serialized and the latest wins; each delivers the frame that the page
 * draws.
 */
import type { Engine, Frame, FrameRequest, Position } from '../../engine/api';
import type { PlayedMachine, PlayedSession } from './player-types';
import type { EventStepper, Step } from './stepping';

type Views = FrameRequest['views'];
/** `kept` is the position if the session was updated without moving the machine. */
type Go = (kept: Position | null, stopped: () => boolean) => Promise<Position>;

/** Listeners to the playhead. */
interface Listener {
  /** A seek takes long, or no longer does. */
  travelling(is: boolean): void;
  /** The target was reached. */
  arrived(): void;
  /** A new frame is available. */
  framed(): void;
  failed(error: unknown): void;
  /** Latest time that the playhead may reach; null for the end of the run. */
  limitPs(): number | null;
}

/** Removes duplicates from the views of several panels. */
const distinct = (views: Views): Views => [
  ...new Map(views.map((one) => [`${one.part} ${one.view} ${one.packed ?? false}`, one])).values(),
];

/** A seek that takes longer is reported and can be cancelled. */
const PATIENCE_MS = 1000;

export class PlayheadSeeker<M extends PlayedMachine> {
  /** Present time in picoseconds. */
  timePs = 0;
  session: PlayedSession<M> | null = null;
  /** The session that the machine has loaded; outdated while an edit is pending. */
  private loaded: PlayedSession<M> | null = null;
  private latest: Frame | null = null;
  private readonly requestedViews = new Map<symbol, Views>();
  private moving: Promise<unknown> = Promise.resolve();
  private turn = 0;
  /** The newest request with an absolute target. */
  private newest = 0;
  /** Position of the machine, which the frame shows. */
  private reached: Position | null = null;
  /** The request whose seek was cancelled. */
  private stoppedTurn = -1;
  /** Requested steps that have not been made, and the request that is making them. */
  private readonly queuedSteps: { readonly by: 1 | -1; readonly unit: Step }[] = [];
  private stepping: number | null = null;

  constructor(
    private readonly machine: Engine,
    private readonly stepper: EventStepper,
    private readonly listener: Listener,
  ) {}

  /** Time, events processed, newest trace record. */
  now(): Position {
    const { events = 0, seq = 0 } = this.latest ?? {};
    return { timePs: this.timePs, events, seq };
  }

  frame(): Frame | null {
    return this.latest;
  }

  /**
   * Requests views with each frame.
   * @returns a function that cancels the request
   */
  want(views: Views): () => void {
    const key = Symbol('views');
    this.requestedViews.set(key, views);
    return () => this.requestedViews.delete(key);
  }

  /** Updates the frame without moving. */
  refresh(): void {
    void this.moving.then(() => this.pull()).catch((error) => this.listener.failed(error));
  }

  /** Resets everything known about the machine, for another session. */
  forget(): void {
    this.latest = null;
    this.reached = null;
    this.timePs = 0;
  }

  /** The engine was lost: the session must be loaded again. */
  unload(): void {
    this.loaded = null;
  }

  /** Cancels a seek; the playhead stays where it is. */
  stop(): void {
    this.stoppedTurn = this.turn;
    this.machine.cancel();
    this.stepper.lookAgain();
  }

  /** Seeks to a time or to the result of `go`; replaces a request that has not started. */
  move(go: Go, timePs: number | null): Promise<void> {
    this.newest = this.turn + 1;
    return this.follow(go, timePs);
  }

  /** Keeps the present position or target after an edit; otherwise moves to `timePs`. */
  stay(timePs: number): Promise<void> {
    return this.follow(async (kept, stopped) => {
      const there = this.reached?.timePs ?? timePs;
      const position = kept ?? (await this.machine.seekTime(there));
      return stopped() ? position : { ...position, timePs: there };
    }, null);
  }

  /**
   * Updates the machine's session before a seek.
   * @returns the position if only commands changed and the machine kept it, else null
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

  /** Queues a request after the previous one. */
  private follow(go: Go, timePs: number | null): Promise<void> {
    const turn = ++this.turn;
    this.queuedSteps.length = 0;
    this.stepper.lookAgain();
    const done = this.moving.then(async () => {
      if (turn < this.newest) return;
      const stopped = () => turn === this.stoppedTurn;
      const isLong = setTimeout(() => this.listener.travelling(true), PATIENCE_MS);
      try {
        const position = await this.limited(await go(await this.load(), stopped));
        // If another seek has moved the machine beyond the target meanwhile, show its actual position.
        const isThere = !stopped() && timePs !== null && position.timePs <= timePs;
        const there = Math.min(timePs ?? 0, this.listener.limitPs() ?? Infinity);
        this.reached = isThere ? { ...position, timePs: there } : position;
        if (turn !== this.turn) return;
        this.timePs = this.reached.timePs;
        await this.pull();
        if (turn === this.turn) this.listener.arrived();
      } catch (error) {
        if (turn === this.turn) this.listener.failed(error);
        if (turn === this.stepping) this.stepping = null;
      } finally {
        clearTimeout(isLong);
        this.listener.travelling(false);
      }
    });
    this.moving = done;
    return done;
  }

  /** The same position, or the limit if it is beyond. */
  private async limited(position: Position): Promise<Position> {
    const limitPs = this.listener.limitPs();
    if (limitPs === null || position.timePs <= limitPs) return position;
    return { ...(await this.machine.seekTime(limitPs)), timePs: limitPs };
  }

  /** Requested views that the machine has; a panel may still request views of the previous machine. */
  private views(): Views {
    const parts = this.loaded?.machine.parts;
    const has = ({ part, view }: Views[number]) =>
      !parts || view < (parts[part]?.type.views.length ?? 0);
    return distinct([...this.requestedViews.values()].flat()).filter(has);
  }

  private async pull(): Promise<void> {
    const frame = await this.machine.frame({ views: this.views() });
    const before = this.latest;
    this.latest = frame;
    this.listener.framed();
    if (before) this.machine.release(before);
  }

  /** One step forwards or backwards. Steps requested in quick succession are queued. */
  step(by: 1 | -1, unit: Step): Promise<unknown> {
    if (this.stepping === null || this.stepping !== this.turn) {
      void this.follow((_, stopped) => this.makeSteps(stopped), null);
      this.stepping = this.turn;
    }
    this.queuedSteps.push({ by, unit });
    return this.moving;
  }

  private async makeSteps(stopped: () => boolean): Promise<Position> {
    const { turn } = this;
    const ended = () => stopped() || turn !== this.turn;
    let at = this.reached ?? this.now();
    while (turn === this.turn) {
      const next = stopped() ? null : this.queuedSteps.shift();
      if (!next) {
        this.stepping = null;
        break;
      }
      at = await this.stepper.from(at, next.by, next.unit, ended);
    }
    return at;
  }

  /** Position after all pending requests, or at once if the playhead is `moved` by playback. */
  async resting(moved: () => boolean): Promise<Position> {
    for (let { turn } = this; !moved(); { turn } = this) {
      await this.moving;
      if (turn === this.turn) break;
    }
    return this.now();
  }

  /** Resolves after all pending requests. */
  async settled(): Promise<void> {
    await this.moving;
  }

  /** State hash at the playhead (16 digits), after all pending requests. */
  async hash(): Promise<string> {
    for (;;) {
      const { turn } = this;
      await this.moving;
      const digest = await this.machine.hash();
      if (turn === this.turn) return digest;
    }
  }
}
