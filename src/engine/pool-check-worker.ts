/** Entry of a worker that does one exhaustive check of lazy flush. */
import { fetchChecks } from './code-checks';
import { servePoolCheck } from './pool-check-client';
import type { Port } from './worker-protocol';

servePoolCheck(globalThis as unknown as Port, fetchChecks);
