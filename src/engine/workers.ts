/** Engines and explorations of the page, each in its own worker. */
import { whileBusy } from '../base/activity';
import { startWorker } from '../base/startWorker';
import type { Engine, Sweeps } from './api';
import { Client, type OnUnresponsive } from './client';
import { fetchCode } from './engine-code-page';
import type { Explore } from './explore';
import { exploreIn } from './explore-client';
import explorerUrl from './explore-worker.ts?worker&url';
import { SweepPool } from './pool';
import type { PoolCheckJob, PoolCheckResult } from './pool-check';
import { checkPoolsIn } from './pool-check-client';
import poolCheckUrl from './pool-check-worker.ts?worker&url';
import workerUrl from './worker.ts?worker&url';

const startEngine = () => startWorker(workerUrl, 'busyard engine');

/** A new engine without a session. Its worker starts with the first request. */
export function createWorkerEngine(onSilence?: OnUnresponsive): Engine {
  return new Client(startEngine, fetchCode, onSilence);
}

/** Runs sweeps in up to `workers` workers, each started on demand. */
export function createSweepWorkers(workers: number): Sweeps {
  return new SweepPool(createWorkerEngine, workers);
}

const startExplorer = () => startWorker(explorerUrl, 'busyard exploration');

/** Explores a machine in a worker that is terminated at the end. @public */
export const exploreInWorker: Explore = (config, options) =>
  whileBusy(exploreIn(startExplorer, config, options));

const startPoolCheck = () => startWorker(poolCheckUrl, 'busyard check of lazy flush');

/** Checks lazy flush in a worker that is terminated at the end. @public */
export const checkPoolsInWorker = (job: PoolCheckJob): Promise<PoolCheckResult> =>
  whileBusy(checkPoolsIn(startPoolCheck, job));
