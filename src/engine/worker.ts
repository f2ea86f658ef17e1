/** Entry of the worker: an engine that answers messages. */
import type { Port } from './protocol';
import { serve } from './serve';

serve(globalThis as unknown as Port);
