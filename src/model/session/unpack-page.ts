/** Decodes share links on the page, each in its own worker. */
import { fetched } from '../../base/retry-import';
import { startWorker } from '../../base/startWorker';
import workerUrl from './unpack-worker.ts?worker&url';
import { type Unpack, unpackIn } from './unpacking';

/** @throws {NotFetched} if the worker or its code cannot be fetched */
export const unpackLink: Unpack = (code, signal) =>
  fetched(() => unpackIn(() => startWorker(workerUrl, 'busyard link'), code, signal));
