/** Calls to a worker that is not an engine: jobs with a number, each answered once, with progress on the way. */
import type { WorkerPort } from './client';
import { type Failure, fromFailure, type Port, toFailure } from './worker-protocol';

interface Call<Job> {
  readonly id: number;
  readonly job: Job;
}

type Message<Answer, Progress> =
  | { readonly id: number; readonly progress: Progress }
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly failure: Failure };

/** Worker side. */
export function serveCalls<Job, Answer, Progress = never>(
  port: Port,
  run: (job: Job, onProgress: (progress: Progress) => void) => Answer | Promise<Answer>,
): void {
  port.onmessage = async ({ data }) => {
    const { id, job } = data as Call<Job>;
    const tell = (message: Message<Answer, Progress>) => port.postMessage(message);
    try {
      tell({ id, answer: await run(job, (progress) => tell({ id, progress })) });
    } catch (error) {
      tell({ id, failure: toFailure(error) });
    }
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

  constructor(private readonly start: () => WorkerPort) {}

  /**
   * @returns the answer; null if `dispose` came first
   * @throws {Error} with a message for the user
   */
  ask(job: Job, onProgress?: (progress: Progress) => void): Promise<Answer | null> {
    this.port ??= this.open();
    const { port } = this;
    const id = ++this.calls;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, onProgress });
      port.postMessage({ id, job } satisfies Call<Job>);
    });
  }

  /** Ends the worker and its work; pending calls resolve with null. A later call starts another. */
  dispose(): void {
    this.end((one) => one.resolve(null));
  }

  private open(): WorkerPort {
    const port = this.start();
    port.onerror = ({ message }) => {
      const error = new Error(message || 'The worker did not start.');
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
