/** Calls to a worker that is not an engine: jobs with a number, each answered once, with progress on the way. */
import type { WorkerPort } from './client';
import { type Failure, fromFailure, type Port, toFailure } from './worker-protocol';

/** A job, or the end of one that is no longer wanted. */
type Call<Job> =
  | { readonly id: number; readonly job: Job }
  | { readonly id: number; readonly stop: true };

type Message<Answer, Progress> =
  | { readonly id: number; readonly progress: Progress }
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly failure: Failure };

/** Worker side. */
export function serveCalls<Job, Answer, Progress = never>(
  port: Port,
  run: (
    job: Job,
    onProgress: (progress: Progress) => void,
    signal: AbortSignal,
  ) => Answer | Promise<Answer>,
): void {
  const stoppers = new Map<number, AbortController>();
  port.onmessage = async ({ data }) => {
    const call = data as Call<Job>;
    const { id } = call;
    if ('stop' in call) return stoppers.get(id)?.abort();
    const stopping = new AbortController();
    stoppers.set(id, stopping);
    const tell = (message: Message<Answer, Progress>) => port.postMessage(message);
    try {
      tell({
        id,
        answer: await run(call.job, (progress) => tell({ id, progress }), stopping.signal),
      });
    } catch (error) {
      tell({ id, failure: toFailure(error) });
    }
    stoppers.delete(id);
  };
}

interface Waiting<Answer, Progress> {
  resolve(answer: Answer | null): void;
  reject(error: Error): void;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Page side. The worker starts with the first call. */
export class WorkerCalls<Job, Answer, Progress = never> {
  private port: WorkerPort | null = null;
  private readonly waiting = new Map<number, Waiting<Answer, Progress>>();
  private calls = 0;

  /** @param name what did not start, in a message to the user */
  constructor(
    private readonly start: () => WorkerPort,
    private readonly name = 'The worker',
  ) {}

  /**
   * @returns the answer; null if it was stopped, or `dispose` came first
   * @throws {Error} with a message for the user
   */
  ask(
    job: Job,
    onProgress?: (progress: Progress) => void,
    signal?: AbortSignal,
  ): Promise<Answer | null> {
    if (signal?.aborted) return Promise.resolve(null);
    this.port ??= this.open();
    const { port } = this;
    const id = ++this.calls;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onProgress });
      port.postMessage({ id, job } satisfies Call<Job>);
      signal?.addEventListener('abort', () => {
        if (!this.waiting.delete(id)) return;
        port.postMessage({ id, stop: true } satisfies Call<Job>);
        resolve(null);
      });
    });
  }

  /** Ends the worker and its work; pending calls resolve with null. A later call starts another. */
  dispose(): void {
    this.end((one) => one.resolve(null));
  }

  private open(): WorkerPort {
    const port = this.start();
    port.onerror = ({ message }) => {
      const error = new Error(message || `${this.name} did not start.`);
      this.end((one) => one.reject(error));
    };
    port.onmessage = ({ data }) => {
      const message = data as Message<Answer, Progress>;
      const one = this.waiting.get(message.id);
      if (!one) return;
      if ('progress' in message) return one.onProgress?.(message.progress);
      this.waiting.delete(message.id);
      if ('answer' in message) one.resolve(message.answer);
      else one.reject(fromFailure(message.failure));
    };
    return port;
  }

  private end(tell: (one: Waiting<Answer, Progress>) => void): void {
    const { port } = this;
    this.port = null;
    if (port) {
      port.onmessage = port.onerror = null;
      port.terminate();
    }
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of all) tell(one);
  }
}
