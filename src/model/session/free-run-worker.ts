/** Entry of the worker that runs a machine in which a part is free. Its creator may terminate it. */
import { fetchChecks } from '../../engine/code-checks';
import { Host } from '../../engine/host';
import { serveCalls } from '../../engine/worker-calls';
import type { Port } from '../../engine/worker-protocol';
import { type FreeProgress, type FreeResult, timeIfFree } from './free-run';
import type { PageFreeJob } from './path-work';

serveCalls<PageFreeJob, FreeResult, FreeProgress>(
  globalThis as unknown as Port,
  ({ code, ...job }, onProgress) => timeIfFree(new Host(code, fetchChecks), job, onProgress),
);
