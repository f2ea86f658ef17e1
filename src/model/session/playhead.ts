/**
 * The machine at the playhead. Requests that move it follow one another, and the newest says where it ends up; each
 * brings the frame that the page draws.
 */
import type { Engine, Frame, FrameRequest, Position } from '../../engine/api';
import type { PlayedMachine, PlayedSession } from './player-types';
import type { EventStepper, Step } from './stepping';

type Views = FrameRequest['views'];
/** `kept` is where the machine stands, if its session was brought up to date without moving it. */
type Go = (kept: Position | null, stopped: () => boolean) => Promise<Position>;

/** Listeners to the playhead's progress. */
interface Listener {
  /** It has been on its way for a while, or is so no more. */
  travelling(is: boolean): void;
  /** It came to where it was to go. */
  arrived(): void;
  /** There is another frame. */
  framed(): void;
  failed(error: unknown): void;
}

/** What several panels ask for comes once. */
const distinct = (views: Views): Views => [
  ...new Map(views.map((one) => [`${one.part} ${one.view} ${one.packed ?? false}`, one])).values(),
];

/** A seek that takes longer is reported, and can be stopped. */
const PATIENCE_MS = 1000;

export class PlayheadSeeker<M extends PlayedMachine> {
  /** Where it stands, in picoseconds. */
  timePs = 0;
  session: PlayedSession<M> | null = null;
  /** The session that the machine has; behind while an edit is on its way. */
  private loaded: PlayedSession<M> | null = null;
  private latest: Frame | null = null;
  private readonly wanted = new Map<symbol, Views>();
  private moving: Promise<unknown> = Promise.resolve();
  private turn = 0;
  /** The newest request that says where to go wherever the playhead stands. */
  private newest = 0;
  /** Where the machine is, which the frame follows. */
  private reached: Position | null = null;
  /** The request whose seek was stopped. */
  private stoppedTurn = -1;
  /** Steps that were asked for and not yet made; the turn that makes them, while it goes on. */
  private readonly queuedSteps: { readonly by: 1 | -1; readonly unit: Step }[] = [];
  private stepping: number | null = null;

  constructor(
    private readonly machine: Engine,
    private readonly stepper: EventStepper,
    private readonly told: Listener,
  ) {}

  /** Time on the axis, events processed, newest trace record. */
  now(): Position {
    const { events = 0, seq = 0 } = this.latest ?? {};
    return { timePs: this.timePs, events, seq };
  }

  frame(): Frame | null {
    return this.latest;
  }

  /** Asks for views to come with each frame, until stopped. */
  want(views: Views): () => void {
    const key = Symbol('views');
    this.wanted.set(key, views);
    return () => this.wanted.delete(key);
  }

  /** Brings the frame up to date with what is wanted, without moving. */
  refresh(): void {
    void this.moving.then(() => this.pull()).catch((error) => this.told.failed(error));
  }

  /** Another session is opened: nothing that was known of the machine holds. */
  forget(): void {
    this.latest = null;
    this.reached = null;
    this.timePs = 0;
  }

  /** The machine's engine was lost: it needs its session again. */
  unload(): void {
    this.loaded = null;
  }

  /** Stops it on its way, where it has come to. */
  stop(): void {
    this.stoppedTurn = this.turn;
    this.machine.cancel();
  }

  /** Goes to a time, or where it says; a newer request takes the place of one that has not begun. */
  move(go: Go, timePs: number | null): Promise<void> {
    this.newest = this.turn + 1;
    return this.follow(go, timePs);
  }

  /** An edit leaves it where it is, or where it is on its way to: at `timePs` otherwise. */
  stay(timePs: number): Promise<void> {
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

  /** Makes the machine go on from where the request before leads. */
  private follow(go: Go, timePs: number | null): Promise<void> {
    const turn = ++this.turn;
    this.queuedSteps.length = 0;
    const done = this.moving.then(async () => {
      if (turn < this.newest) return;
      const stopped = () => turn === this.stoppedTurn;
      const isLong = setTimeout(() => this.told.travelling(true), PATIENCE_MS);
      try {
        const position = await go(await this.load(), stopped);
        // A machine that is further on already, because of another seek meanwhile, is shown where it is.
        const isThere = !stopped() && timePs !== null && position.timePs <= timePs;
        this.reached = isThere ? { ...position, timePs } : position;
        if (turn !== this.turn) return;
        this.timePs = this.reached.timePs;
        await this.pull();
        if (turn === this.turn) this.told.arrived();
      } catch (error) {
        if (turn === this.turn) this.told.failed(error);
        if (turn === this.stepping) this.stepping = null;
      } finally {
        clearTimeout(isLong);
        this.told.travelling(false);
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
    this.told.framed();
    if (before) this.machine.release(before);
  }

  /** One step forward or back. No step is lost to a quick hand. */
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
    let at = this.reached ?? this.now();
    while (turn === this.turn) {
      const next = stopped() ? null : this.queuedSteps.shift();
      if (!next) {
        this.stepping = null;
        break;
      }
      at = await this.stepper.from(at, next.by, next.unit, stopped);
    }
    return at;
  }

  /** Where the playhead comes to rest: once all that was asked for is done, or at once if it is `moved` on. */
  async resting(moved: () => boolean): Promise<Position> {
    for (let { turn } = this; !moved(); { turn } = this) {
      await this.moving;
      if (turn === this.turn) break;
    }
    return this.now();
  }

  /** Once all that was asked for is done. */
  async settled(): Promise<void> {
    await this.moving;
  }

  /** 16 digits over all simulated state at the playhead, once it rests. */
  async hash(): Promise<string> {
    for (;;) {
      const { turn } = this;
      await this.moving;
      const digest = await this.machine.hash();
      if (turn === this.turn) return digest;
    }
  }
}
