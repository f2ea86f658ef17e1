/**
 * Cooperative slices: the thread handles its messages between two slices, so that a newer request or a
 * cancellation takes effect at once.
 */

/** Length of a slice in milliseconds: two fit into a frame of a 60 Hz display. */
const SLICE_MS = 8;

/** Events between two checks of the clock: a fraction of a millisecond. */
export const STEP_EVENTS = 4096;

/** Lets all pending tasks of this thread run first. */
function nextTurn(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** The time budget of a slice; `pause` starts the next slice when it is used up. */
export class Slices {
  readonly #ms: number;
  #endsAt: number;

  /** @param ms length of a slice; a thread without a page can work longer */
  constructor(ms = SLICE_MS) {
    this.#ms = ms;
    this.#endsAt = performance.now() + ms;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  async pause(): Promise<void> {
    await nextTurn();
    this.#endsAt = performance.now() + this.#ms;
  }
}
