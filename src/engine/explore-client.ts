/**
 * Exploration in a worker of its own: it begins with one message, says about ten times a second how far
 * it is, and is ended by ending the worker, which also gives back its memory.
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

type News = { readonly now: Explored } | { readonly failure: Failure };

/** The worker's side: explores what the first message brings. */
export function serveExploration(port: Port, loadChecks: LoadChecks): void {
  port.onmessage = async (event) => {
    const { config, mebibytes } = event.data as Job;
    const tell = (news: News) => port.postMessage(news);
    try {
      const explorer = new Explorer(await loadChecks(), config, mebibytes);
      const slices = new Slices();
      for (let end: Explored['end'] = 'more'; end === 'more'; await slices.pause()) {
        const now = explorer.advance();
        tell({ now });
        end = now.end;
      }
    } catch (error) {
      tell({ failure: toFailure(error) });
    }
  };
}

const NOTHING: Explored = {
  ...{ end: 'cancelled', invariant: null, states: 0, transitions: 0, depth: 0, deadlocks: 0 },
  ...{ waiting: 0, about: 0, rules: [], steps: 0, way: new Uint32Array(0), seconds: 0 },
};

/** Explores in a worker that ends with it. @throws {EngineError} with a sentence */
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
      const news = event.data as News;
      if ('failure' in news) return fail(fromFailure(news.failure));
      newest = news.now;
      if (newest.end === 'more') return onProgress?.(newest);
      end();
      resolve(newest);
    };
    signal?.addEventListener('abort', cancel);
    port.postMessage({ config, mebibytes } satisfies Job);
  });
}
