/** Searches runs for the page: each in a worker of its own. */
import { startWorker } from '../../base/startWorker';
import type { EngineCode } from '../../engine/engine-code';
import { fetchCode } from '../../engine/engine-code-page';
import { type RunSearchJob, type SearchProgress, searchIn } from './run-search';
import workerUrl from './run-search-worker.ts?worker&url';

/** The engine's code comes along: the page has it already. */
export interface PageSearchJob extends RunSearchJob {
  readonly code: EngineCode;
}

export async function searchInWorker(
  job: RunSearchJob,
  onProgress: (progress: SearchProgress) => void,
  signal: AbortSignal,
): Promise<'done' | 'stopped'> {
  const withCode: PageSearchJob = { ...job, code: await fetchCode() };
  return searchIn(() => startWorker(workerUrl, 'busyard search'), withCode, onProgress, signal);
}
