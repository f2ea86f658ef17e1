/**
 * Exploration in a separate worker. One message starts it, it reports progress about ten times a second, and
 * terminating the worker cancels it and frees its memory.
 */
import { EngineError } from './api';
import type { WorkerPort } from './client';
import { FAULT } from './engine-errors';
import { type Explored, type ExploreOptions, Explorer, MEBIBYTES } from './explore';
import type { LoadChecks } from './host';
import { Slices } from './run-slices';
import { type Failure, fromFailure, type Port, toFailure } from './worker-protocol';

interface Job {
  readonly config: Uint8Array;
  readonly mebibytes: number;
}

type Update = { readonly now: Explored } | { readonly failure: Failure };

/** Worker side: explores the machine of the first message. */
export function serveExploration(port: Port, loadChecks: LoadChecks): void {
  port.onmessage = async (event) => {
    const { config, mebibytes } = event.data as Job;
    const post = (update: Update) => port.postMessage(update);
    try {
      const explorer = new Explorer(await loadChecks(), config, mebibytes);
      const slices = new Slices();
      for (let end: Explored['end'] = 'more'; end === 'more'; await slices.pause()) {
        const now = explorer.advance();
        post({ now });
        end = now.end;
      }
    } catch (error) {
      post({ failure: toFailure(error) });
    }
  };
}

const NOTHING: Explored = {
  ...{ end: 'cancelled', invariant: null, states: 0, transitions: 0, depth: 0, deadlocks: 0 },
  ...{ waiting: 0, about: 0, rules: [], steps: 0, way: new Uint32Array(0), seconds: 0 },
};

/**
 * Explores in a worker that is terminated at the end.
 * @throws {EngineError} with a message for the user
 */
export function exploreIn(
  start: () => WorkerPort,
  config: Uint8Array,
  { mebibytes = MEBIBYTES, onProgress, signal }: ExploreOptions = {},
): Promise<Explored> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return resolve(NOTHING);
    const port = start();
    let newest = NOTHING;
    const end = () => {
      port.onmessage = port.onerror = null;
      port.terminate();
      signal?.removeEventListener('abort', cancel);
    };
    const fail = (error: EngineError) => {
      end();
      reject(error);
    };
    const cancel = () => {
      end();
      resolve({ ...newest, end: 'cancelled' });
    };
    port.onerror = ({ message }) =>
      fail(
        new EngineError(
          `The exploration failed: ${message || 'its worker did not start'}.`,
          FAULT.unavailable,
          -1,
        ),
      );
    port.onmessage = (event) => {
      const update = event.data as Update;
      if ('failure' in update) return fail(fromFailure(update.failure));
      newest = update.now;
      if (newest.end === 'more') return onProgress?.(newest);
      end();
      resolve(newest);
    };
    signal?.addEventListener('abort', cancel);
    port.postMessage({ config, mebibytes } satisfies Job);
  });
}
