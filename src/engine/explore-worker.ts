/** Entry of a worker that explores one machine and reports progress. Its creator may terminate it. */
import { fetchChecks } from './code-checks';
import { serveExploration } from './explore-client';
import type { Port } from './worker-protocol';

serveExploration(globalThis as unknown as Port, fetchChecks);
