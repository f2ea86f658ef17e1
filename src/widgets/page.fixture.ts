/** Browser features that the DOM of these tests lacks: immediate animation frames, and boxes with a size. */
import { vi } from 'vitest';
import { loop } from '../base/loop';
import { shell } from '../base/shell-state';
import type { Engine, Sweeps } from '../engine/api';
import { createLocalEngine } from '../engine/inprocess';
import { timeIfFree } from '../model/session/free-run';
import { type PathWorkers, pathFollower } from '../model/session/path-work';

const [WIDTH, FRAME] = [700, 4];

/** Every box is 700 pixels wide and `height` high. */
export function standInForPage(height: number): void {
  // Node cannot stream the responses of this DOM.
  vi.spyOn(WebAssembly, 'compileStreaming').mockImplementation(async (response) =>
    WebAssembly.compile(await (await response).arrayBuffer()),
  );
  loop.attach({
    request: (run) => setTimeout(() => run(performance.now()), FRAME) as unknown as number,
    cancel: clearTimeout,
  });
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly notify: (entries: unknown[]) => void) {}
      observe() {
        this.notify([{ contentRect: { width: WIDTH, height } }]);
      }
      unobserve() {}
      disconnect() {}
    },
  );
  shell.setState({ reducedMotion: true });
}

/** An engine in this process that starts with its first request, like one in a worker. */
function localEngine(): Engine {
  let engine: Promise<Engine> | undefined;
  const one = () => (engine ??= createLocalEngine());
  const call =
    (name: keyof Engine) =>
    async (...args: unknown[]) => {
      const to = await one();
      return (to[name] as (...all: unknown[]) => unknown).apply(to, args);
    };
  const own: Partial<Engine> = { release() {} };
  return new Proxy(own as Engine, {
    get: (target, name: keyof Engine) => target[name] ?? call(name),
  });
}

/** Replaces `engine/page`: engines without workers. */
export const enginesOfPage = () => ({
  createWorkerEngine: localEngine,
  createSweepWorkers(): Partial<Sweeps> {
    const engine = createLocalEngine();
    return {
      sweep: async (...job: Parameters<Sweeps['sweep']>) => (await engine).sweep(...job),
      cancel() {},
      dispose() {},
    };
  },
  exploreInWorker: () => Promise.reject(new Error('These tests explore no states.')),
});

/** Replaces `session/path-page`: the work of its workers in this thread. */
export const pathsOfPage = (): { pathWorkers: PathWorkers } => {
  const follow = pathFollower();
  return {
    pathWorkers: {
      follow: async (job) => follow(structuredClone(job)),
      runFree: async (job, onProgress) => timeIfFree(await createLocalEngine(), job, onProgress),
    },
  };
};
