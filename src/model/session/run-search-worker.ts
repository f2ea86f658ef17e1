/** Entry of the worker that searches one run, whose records it keeps. Its creator may terminate it. */
import { fetchChecks } from '../../engine/code-checks';
import { Host } from '../../engine/host';
import { serveCalls } from '../../engine/worker-calls';
import type { Port } from '../../engine/worker-protocol';
import type { SearchProgress } from './run-search';
import { type PageSearchJob, RunSearcher } from './run-searcher';

let searcher: RunSearcher | null = null;

serveCalls<PageSearchJob, null, SearchProgress>(
  globalThis as unknown as Port,
  async ({ code, ...job }, onProgress, signal) => {
    searcher ??= new RunSearcher(async () => new Host(code, fetchChecks));
    await searcher.search(job, onProgress, signal);
    return null;
  },
);
