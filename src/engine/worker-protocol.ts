/**
 * Messages between a client and a worker. Calls carry a number and are answered once; a sweep also sends
 * intermediate results. All other messages are one-way.
 */
import { type Engine, EngineError, type SweepJob, type SweepResult } from './api';
import type { EngineCode } from './engine-code';

/** The methods of Engine that take plain data and answer once. */
export type Calls = Omit<Engine, 'prepare' | 'sweep' | 'release' | 'cancel' | 'dispose'>;

export type Request =
  | { readonly kind: 'code'; readonly code: EngineCode }
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly method: keyof Calls;
      readonly args: readonly unknown[];
    }
  | { readonly kind: 'sweep'; readonly id: number; readonly job: SweepJob }
  | { readonly kind: 'release'; readonly buffer: ArrayBuffer }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'ping' };

/** A serialized error: messages do not preserve classes. */
export interface Failure {
  readonly message: string;
  readonly code: number;
  readonly part: number;
  readonly detail: number;
}

export type Reply =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }
  | { readonly kind: 'results'; readonly id: number; readonly results: readonly SweepResult[] }
  | { readonly kind: 'pong' };

/** One end of a channel: a worker, a worker's own scope, or a message port. */
export interface Port {
  postMessage(message: unknown, options?: { transfer?: Transferable[] }): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const { code, part, detail } =
    error instanceof EngineError ? error : { code: 0, part: -1, detail: 0 };
  return { message, code, part, detail };
}

export const fromFailure = ({ message, code, part, detail }: Failure) =>
  new EngineError(message, code, part, detail);
