/** Entry of the worker: an engine that answers messages. */
import { fetchChecks } from './code-checks';
import type { Port } from './worker-protocol';
import { serve } from './worker-server';

serve(globalThis as unknown as Port, fetchChecks);
