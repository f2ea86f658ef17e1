/** Searches runs on the page, each in its own worker. */
import { startWorker } from '../../base/startWorker';
import { fetchCode } from '../../engine/engine-code-page';
import { type PageSearchJob, type RunSearchJob, type SearchProgress, searchIn } from './run-search';
import workerUrl from './run-search-worker.ts?worker&url';

export async function searchInWorker(
  job: RunSearchJob,
  onProgress: (progress: SearchProgress) => void,
  signal: AbortSignal,
): Promise<'done' | 'stopped'> {
  const withCode: PageSearchJob = { ...job, code: await fetchCode() };
  return searchIn(() => startWorker(workerUrl, 'busyard search'), withCode, onProgress, signal);
}
