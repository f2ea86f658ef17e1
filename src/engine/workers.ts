/** An engine for the page: in a worker of its own. */
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

/** On a computer with fewer processors they take turns, at no loss. */
const SWEEP_WORKERS = 4;

/** Sweeps in up to `workers` workers at once, each started when it is first needed. */
export function createSweepWorkers(workers = SWEEP_WORKERS): Sweeps {
  return new SweepPool(createWorkerEngine, workers);
}

const startExplorer = () => startWorker(explorerUrl, 'busyard exploration');

/** Explores a machine in a worker that ends with it. @public */
export const exploreInWorker: Explore = (config, options) =>
  whileBusy(exploreIn(startExplorer, config, options));

const startPoolCheck = () => startWorker(poolCheckUrl, 'busyard check of lazy flush');

/** Checks lazy flush in a worker that ends with it. @public */
export const checkPoolsInWorker = (job: PoolCheckJob): Promise<PoolCheckResult> =>
  whileBusy(checkPoolsIn(startPoolCheck, job));
