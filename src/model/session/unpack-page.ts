/** Unpacks share links for the page: each in a worker of its own. */
import { fetched } from '../../base/retry-import';
import { startWorker } from '../../base/startWorker';
import workerUrl from './unpack-worker.ts?worker&url';
import { type Unpack, unpackIn } from './unpacking';

/** @throws {NotFetched} when the worker or its code cannot be had */
export const unpackLink: Unpack = (code, signal) =>
  fetched(() => unpackIn(() => startWorker(workerUrl, 'busyard link'), code, signal));
