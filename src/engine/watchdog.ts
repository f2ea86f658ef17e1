/**
 * Detects a hung worker. Runs are sliced, so a live worker answers a ping within milliseconds; any message
 * counts as an answer. After several unanswered pings the worker is reported as unresponsive. If it stays
 * silent it is stuck inside a single event and is terminated.
 */

const PING_MS = 400;
/** Counted in pings, not in time, because a suspended computer misses at most one. Reported within two seconds. */
const MISSED_TO_REPORT = 4;
/** Six seconds: on a busy computer a worker may not be scheduled for more than two. */
const MISSED_TO_END = 14;

export interface WatchdogParts {
  ping(): void;
  /** The worker became unresponsive, or answers again. */
  report(silent: boolean): void;
  giveUp(): void;
}

export class Watchdog {
  readonly #parts: WatchdogParts;
  #timer: ReturnType<typeof setInterval> | undefined;
  #missed = 0;
  #reported = false;

  constructor(parts: WatchdogParts) {
    this.#parts = parts;
  }

  /** A message arrived from the worker. */
  messageReceived(): void {
    this.#missed = 0;
    this.#report(false);
  }

  /** Active while requests are pending. */
  watch(hasPending: boolean): void {
    if (hasPending && this.#timer === undefined) {
      this.#missed = 0;
      this.#timer = setInterval(() => this.#tick(), PING_MS);
    } else if (!hasPending) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#report(false);
    }
  }

  #report(silent: boolean): void {
    if (this.#reported === silent) return;
    this.#reported = silent;
    this.#parts.report(silent);
  }

  #tick(): void {
    if (this.#missed === MISSED_TO_END) {
      this.watch(false);
      this.#parts.giveUp();
      return;
    }
    if (this.#missed === MISSED_TO_REPORT) this.#report(true);
    this.#missed++;
    this.#parts.ping();
  }
}
