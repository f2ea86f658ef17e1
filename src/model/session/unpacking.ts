/**
 * Decodes share links in a separate worker: a short link can decompress to the maximum size of a session, and the
 * page must stay responsive. Terminating the worker cancels the work and frees its memory.
 */
import type { WorkerPort } from '../../engine/client';
import type { Port } from '../../engine/worker-protocol';
import { failure, problem, type Result } from '../scenario/problems';
import type { SessionDocument } from './document';

/** The document of a link, or its problems; null if it was cancelled. */
export type Unpack = (
  code: string,
  signal?: AbortSignal,
) => Promise<Result<SessionDocument> | null>;

type Unpacked =
  | { readonly result: Result<SessionDocument> }
  /** The code that reads sessions could not be fetched. */
  | { readonly unfetched: string };

/** Upper bound of the problems sent to the page. */
const MAX_PROBLEMS = 1000;

/** Worker side: answers the first message. */
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

/** Decodes in a worker that is terminated at the end. */
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
          ? resolve(failure([problem(`The link could not be decoded: ${message}.`)]))
          : reject(new Error('The link worker did not start.')),
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
