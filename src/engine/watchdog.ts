/**
 * Notices when a worker has gone silent. Runs are sliced, so a live worker answers a ping within milliseconds, and any
 * message from it counts as an answer. One that leaves several pings in a row unanswered is told about; one that stays
 * silent is stuck inside a single event and is given up.
 */

const PING_MS = 400;
/** Counted in pings, not in time: a computer that slept misses one at most. Told within two seconds. */
const MISSED_TO_TELL = 4;
/** Six seconds: a busy computer may keep a worker from its turn for longer than two. */
const MISSED_TO_END = 14;

export interface WatchdogParts {
  ping(): void;
  /** It has fallen silent, or is heard again. */
  tell(silent: boolean): void;
  giveUp(): void;
}

export class Watchdog {
  readonly #parts: WatchdogParts;
  #timer: ReturnType<typeof setInterval> | undefined;
  #missed = 0;
  #told = false;

  constructor(parts: WatchdogParts) {
    this.#parts = parts;
  }

  /** Something came from the worker. */
  heard(): void {
    this.#missed = 0;
    this.#tell(false);
  }

  /** Watches as long as answers are pending. */
  watch(hasPending: boolean): void {
    if (hasPending && this.#timer === undefined) {
      this.#missed = 0;
      this.#timer = setInterval(() => this.#tick(), PING_MS);
    } else if (!hasPending) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#tell(false);
    }
  }

  #tell(silent: boolean): void {
    if (this.#told === silent) return;
    this.#told = silent;
    this.#parts.tell(silent);
  }

  #tick(): void {
    if (this.#missed === MISSED_TO_END) {
      this.watch(false);
      this.#parts.giveUp();
      return;
    }
    if (this.#missed === MISSED_TO_TELL) this.#tell(true);
    this.#missed++;
    this.#parts.ping();
  }
}
