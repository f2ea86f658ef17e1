/**
 * Notices when a worker has gone silent. Runs are sliced, so a live worker answers a ping within
 * milliseconds; one that leaves several in a row unanswered is stuck inside a single event.
 */

const PING_MS = 1000;
/** Counted in pings, not in time: a computer that slept misses one at most. */
const MOST_MISSED = 5;

export class Watchdog {
  readonly #ping: () => void;
  readonly #giveUp: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #missed = 0;

  constructor(ping: () => void, giveUp: () => void) {
    this.#ping = ping;
    this.#giveUp = giveUp;
  }

  /** Something came from the worker. */
  heard(): void {
    this.#missed = 0;
  }

  /** Watches as long as answers are owed. */
  watch(owed: boolean): void {
    if (owed && this.#timer === undefined) {
      this.#missed = 0;
      this.#timer = setInterval(() => this.#tick(), PING_MS);
    } else if (!owed) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #tick(): void {
    if (this.#missed === MOST_MISSED) {
      this.watch(false);
      this.#giveUp();
      return;
    }
    this.#missed++;
    this.#ping();
  }
}
