/**
 * Long work in slices: between two of them the thread looks at its messages, so that a newer request
 * or a stop is seen at once.
 */

/** Length of a slice in milliseconds: two fit into a frame of a 60 Hz display. */
const SLICE_MS = 8;

/** Events between two looks at the clock: a fraction of a millisecond. */
export const STEP_EVENTS = 4096;

/** Lets everything that waits for this thread go first. */
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

/** The time a slice has; `pause` waits for the next one once it is used up. */
export class Slices {
  #endsAt = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  async pause(): Promise<void> {
    await nextTurn();
    this.#endsAt = performance.now() + SLICE_MS;
  }
}
