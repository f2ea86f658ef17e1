/** Entry of the worker: an engine that answers messages. */
import { fetchChecks } from './code-checks';
import type { Port } from './protocol';
import { serve } from './serve';

serve(globalThis as unknown as Port, fetchChecks);
