/** Entry of the worker that searches one run. Its creator may terminate it. */
import { fetchChecks } from '../../engine/code-checks';
import { Host } from '../../engine/host';
import type { Port } from '../../engine/worker-protocol';
import { type PageSearchJob, serveSearch } from './run-search';

serveSearch(
  globalThis as unknown as Port,
  async ({ code }: PageSearchJob) => new Host(code, fetchChecks),
);
