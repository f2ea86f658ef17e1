/** An engine for the page: in a worker of its own. */
import type { Engine, Sweeps } from './api';
import { Client } from './client';
import { fetchModule } from './module-page';
import { SweepPool } from './pool';

let module: Promise<WebAssembly.Module> | undefined;

/** Fetches the engine's code once for all engines; after a failure the next one tries again. */
function sharedModule(): Promise<WebAssembly.Module> {
  module ??= fetchModule().catch((error) => {
    module = undefined;
    throw error;
  });
  return module;
}

const startWorker = () =>
  new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'busyard engine' });

/** A new engine without a session. Its worker starts with the first request. */
export function createWorkerEngine(): Engine {
  return new Client(startWorker, sharedModule);
}

/** Sweeps in up to `workers` workers at once, each started when it is first needed. */
export function createSweepWorkers(workers: number): Sweeps {
  return new SweepPool(createWorkerEngine, workers);
}
