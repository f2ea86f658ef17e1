/**
 * The Engine interface over a worker, which starts with the first request. A worker that hangs or fails is
 * terminated: pending requests are rejected with an error, and the next `open` starts a new worker. The page
 * keeps the session.
 */
import { whileBusy } from '../base/activity';
import {
  type Command,
  type Engine,
  EngineError,
  type Frame,
  type FrameRequest,
  type RunLimit,
  type SessionSpec,
  type SweepJob,
  type SweepResult,
} from './api';
import type { EngineCode } from './engine-code';
import { FAULT } from './engine-errors';
import { bufferOf } from './frame';
import { Watchdog } from './watchdog';
import { type Calls, fromFailure, type Port, type Reply, type Request } from './worker-protocol';

/**
 * Called with true when the worker has not answered for two seconds, and with false when it answers again or is
 * terminated.
 */
export type OnUnresponsive = (silent: boolean) => void;

/** The part of Worker that a client uses. */
export interface WorkerPort extends Port {
  onerror: ((event: ErrorEvent) => void) | null;
  terminate(): void;
}

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: EngineError) => void;
  readonly onResult?: ((result: SweepResult) => void) | undefined;
}

/** One worker and its pending requests. */
class Connection {
  readonly #port: WorkerPort;
  readonly #ready: Promise<void>;
  readonly #pending = new Map<number, Pending>();
  readonly #watchdog: Watchdog | null;
  readonly #onEnd: () => void;
  #last = 0;

  constructor(
    port: WorkerPort,
    code: Promise<EngineCode>,
    onSilence: OnUnresponsive | null,
    onEnd: () => void,
  ) {
    this.#port = port;
    this.#onEnd = onEnd;
    this.#watchdog =
      onSilence &&
      new Watchdog({
        ping: () => this.#post({ kind: 'ping' }),
        report: onSilence,
        giveUp: () => this.end('The engine stopped responding and was terminated.', FAULT.silent),
      });
    port.onmessage = (event) => this.#receive(event.data as Reply);
    port.onerror = (event) =>
      this.end(`The engine failed: ${event.message || 'its worker did not start'}.`);
    this.#ready = code.then((given) => this.#post({ kind: 'code', code: given }));
    this.#ready.catch((error: Error) => this.end(error.message));
  }

  #post(request: Request, transfer: Transferable[] = []): void {
    this.#port.postMessage(request, { transfer });
  }

  #receive(reply: Reply): void {
    this.#watchdog?.messageReceived();
    if (reply.kind === 'pong') return;
    const pending = this.#pending.get(reply.id);
    if (reply.kind === 'results') {
      for (const result of reply.results) pending?.onResult?.(result);
      return;
    }
    this.#pending.delete(reply.id);
    this.#watchdog?.watch(this.#pending.size > 0);
    if (reply.kind === 'done') pending?.resolve(reply.value as never);
    else pending?.reject(fromFailure(reply.failure));
  }

  /** Posts requests in order, once the engine's code is loaded. */
  send(request: Request, transfer: Transferable[] = []): void {
    this.#ready.then(
      () => this.#post(request, transfer),
      () => undefined,
    );
  }

  /** Sends a request and resolves with the reply. */
  ask<T>(make: (id: number) => Request, onResult?: Pending['onResult']): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onResult });
      const send = () => {
        this.#watchdog?.watch(this.#pending.size > 0);
        this.#post(make(id));
      };
      this.#ready.then(send).catch((error: EngineError) => {
        this.#pending.delete(id);
        reject(error);
      });
    });
  }

  /** Terminates the worker and rejects its pending requests with the message. */
  end(sentence: string, code: number = FAULT.unavailable): void {
    this.#watchdog?.watch(false);
    this.#port.onmessage = this.#port.onerror = null;
    this.#port.terminate();
    for (const { reject } of this.#pending.values()) reject(new EngineError(sentence, code, -1));
    this.#pending.clear();
    this.#onEnd();
  }
}

export class Client implements Engine {
  readonly #start: () => WorkerPort;
  readonly #code: () => Promise<EngineCode>;
  readonly #onSilence: OnUnresponsive | null;
  #connection: Connection | null = null;

  /** @param onSilence - null: the worker is not watched, and may stay silent for as long as it needs */
  constructor(
    start: () => WorkerPort,
    code: () => Promise<EngineCode>,
    onSilence: OnUnresponsive | null = () => undefined,
  ) {
    this.#start = start;
    this.#code = code;
    this.#onSilence = onSilence;
  }

  /** Sends a request; rejects if the worker cannot be started. */
  async #ask<T>(make: (id: number) => Request, onResult?: Pending['onResult']): Promise<T> {
    return whileBusy(this.#connect().ask<T>(make, onResult));
  }

  #connect(): Connection {
    this.#connection ??= new Connection(this.#start(), this.#code(), this.#onSilence, () => {
      this.#connection = null;
    });
    return this.#connection;
  }

  #call<M extends keyof Calls>(method: M, ...args: Parameters<Calls[M]>): ReturnType<Calls[M]> {
    const answer = this.#ask((id) => ({ kind: 'call', id, method, args }));
    return answer as ReturnType<Calls[M]>;
  }

  open(session: SessionSpec) {
    return this.#call('open', session);
  }

  run(limit: RunLimit) {
    return this.#call('run', limit);
  }

  seekEvents(events: number) {
    return this.#call('seekEvents', events);
  }

  seekTime(timePs: number) {
    return this.#call('seekTime', timePs);
  }

  setCommands(commands: readonly Command[]) {
    return this.#call('setCommands', commands);
  }

  frame(request: FrameRequest) {
    return this.#call('frame', request);
  }

  release(frame: Frame): void {
    const buffer = bufferOf(frame);
    if (buffer?.byteLength) this.#connection?.send({ kind: 'release', buffer }, [buffer]);
  }

  overview() {
    return this.#call('overview');
  }

  hash() {
    return this.#call('hash');
  }

  choices() {
    return this.#call('choices');
  }

  prepare(): void {
    this.#connect();
  }

  sweep(job: SweepJob, onResult: (result: SweepResult) => void): Promise<'done' | 'cancelled'> {
    return this.#ask((id) => ({ kind: 'sweep', id, job }), onResult);
  }

  cancel(): void {
    this.#connection?.send({ kind: 'cancel' });
  }

  dispose(): void {
    this.#connection?.end('The engine was closed.');
  }
}
