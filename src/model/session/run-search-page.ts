/** Searches runs on the page. One worker keeps the records of one run; another run has another worker. */
import { startWorker } from '../../base/startWorker';
import { watch } from '../../base/store';
import { fetchCode } from '../../engine/engine-code-page';
import { WorkerCalls } from '../../engine/worker-calls';
import type { RunSearchJob, SearchProgress } from './run-search';
import workerUrl from './run-search-worker.ts?worker&url';
import type { PageSearchJob } from './run-searcher';
import { session } from './session';

const calls = new WorkerCalls<PageSearchJob, null, SearchProgress>(
  () => startWorker(workerUrl, 'busyard search'),
  'The search worker',
);

/** The run that the worker has. */
let searched: Pick<RunSearchJob, 'session' | 'endEvents'> | null = null;

function forget(): void {
  calls.dispose();
  searched = null;
}

watch(session, ({ machine }) => machine, forget);

const isSearched = ({ session: { config, commands }, endEvents }: RunSearchJob): boolean =>
  searched?.session.config === config &&
  searched.endEvents === endEvents &&
  JSON.stringify(searched.session.commands, replacer) === JSON.stringify(commands, replacer);

/** JSON has no numbers of 64 bits. */
const replacer = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);

/** @returns whether the search reached the end of the run */
export async function searchInWorker(
  job: RunSearchJob,
  onProgress: (progress: SearchProgress) => void,
  signal: AbortSignal,
): Promise<'done' | 'stopped'> {
  const code = await fetchCode();
  if (signal.aborted) return 'stopped';
  if (!isSearched(job)) forget();
  searched = { session: job.session, endEvents: job.endEvents };
  await calls.ask({ ...job, code }, onProgress, signal);
  return signal.aborted ? 'stopped' : 'done';
}
