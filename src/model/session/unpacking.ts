/**
 * Share links are unpacked, read and checked in a worker of their own: a short link can unpack to as much as a
 * session may have, and the page answers meanwhile. Ending the worker stops it and gives back its memory.
 */
import type { WorkerPort } from '../../engine/client';
import type { Port } from '../../engine/worker-protocol';
import { failure, problem, type Result } from '../scenario/problems';
import type { SessionDocument } from './document';

/** The document of a link, or why there is none; null when it was stopped. */
export type Unpack = (
  code: string,
  signal?: AbortSignal,
) => Promise<Result<SessionDocument> | null>;

type Unpacked =
  | { readonly result: Result<SessionDocument> }
  /** The code that reads sessions could not be fetched. */
  | { readonly unfetched: string };

/** More than anybody reads. */
const MAX_PROBLEMS = 1000;

/** The worker's side: answers the first message. */
export function serveUnpacking(
  port: Port,
  decode: (code: string) => Promise<Result<SessionDocument>>,
): void {
  port.onmessage = async ({ data }) => {
    const answer = (message: Unpacked) => port.postMessage(message);
    try {
      const result = await decode(data as string);
      answer({
        result: result.ok ? result : failure(result.problems.slice(0, MAX_PROBLEMS)),
      });
    } catch (error) {
      answer({ unfetched: error instanceof Error ? error.message : String(error) });
    }
  };
}

/** Unpacks in a worker that ends with it. */
export function unpackIn(start: () => WorkerPort, ...[code, signal]: Parameters<Unpack>) {
  return new Promise<Result<SessionDocument> | null>((resolve, reject) => {
    if (signal?.aborted) return resolve(null);
    const port = start();
    const end = (act: () => void) => {
      port.onmessage = port.onerror = null;
      port.terminate();
      signal?.removeEventListener('abort', stop);
      act();
    };
    const stop = () => end(() => resolve(null));
    port.onerror = ({ message }) =>
      end(() =>
        message
          ? resolve(failure([problem(`The link could not be unpacked: ${message}.`)]))
          : reject(new Error('The worker that unpacks links did not start.')),
      );
    port.onmessage = ({ data }) => {
      const answer = data as Unpacked;
      end(() =>
        'result' in answer ? resolve(answer.result) : reject(new Error(answer.unfetched)),
      );
    };
    signal?.addEventListener('abort', stop);
    port.postMessage(code);
  });
}
