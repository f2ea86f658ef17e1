/** Long work that stops at places where others may have their turn; what it comes to is the same however it is run. */

/** Ends the task of the page: before what follows, the page may answer to its reader. */
export const nextTask = (): Promise<void> => new Promise((done) => setTimeout(done));

export type Steps<T> = Generator<void, T, void>;

/** All of it, now. */
export function runToCompletion<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Milliseconds that a page may work before it answers, half of a frame. */
const SLICE_MS = 8;

/** In tasks of a few milliseconds each, between which the page answers. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  let until = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    await nextTask();
    until = performance.now() + SLICE_MS;
  }
}
