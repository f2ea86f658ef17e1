/** Engines of the page: workers that were started ahead are taken first, and one that did not start is nobody's. */
import { afterEach, expect, test, vi } from 'vitest';
import { createWorkerEngine, startWorkersAhead } from './page';

class FakeWorker {
  static readonly started: FakeWorker[] = [];
  onerror: ((event: unknown) => void) | null = null;
  onmessage: ((event: unknown) => void) | null = null;
  ended = false;

  constructor() {
    FakeWorker.started.push(this);
  }

  postMessage(): void {}

  terminate(): void {
    this.ended = true;
  }
}

vi.mock('./code-page', () => ({ fetchCode: () => new Promise(() => undefined) }));
vi.stubGlobal('Worker', FakeWorker);
afterEach(() => FakeWorker.started.splice(0));

/** Which of the workers, in the order of their start, an engine that is asked for something takes. */
function taken(): number {
  const engine = createWorkerEngine();
  engine.overview().catch(() => undefined);
  engine.dispose();
  return FakeWorker.started.findIndex(({ ended }) => ended);
}

test('engines take the workers that were started ahead, then start their own', () => {
  startWorkersAhead(2);
  startWorkersAhead(2);
  expect(FakeWorker.started).toHaveLength(2);
  expect(taken()).toBe(0);
  FakeWorker.started.shift();
  expect(taken()).toBe(0);
  FakeWorker.started.shift();
  expect(FakeWorker.started).toHaveLength(0);
  expect(taken()).toBe(0);
});

test('a worker that did not start is not taken', () => {
  startWorkersAhead(1);
  FakeWorker.started[0]?.onerror?.({});
  expect(taken()).toBe(1);
});

test('where no worker can be started ahead, nothing is said until one is needed', async () => {
  vi.stubGlobal('Worker', undefined);
  startWorkersAhead(1);
  await expect(createWorkerEngine().overview()).rejects.toThrow();
});
