/** The critical path on the page: a worker follows the causes, and another runs the machine with a part free. */
import { whileBusy } from '../../base/activity';
import { startWorker } from '../../base/startWorker';
import { fetchCode } from '../../engine/engine-code-page';
import { WorkerCalls } from '../../engine/worker-calls';
import type { FreeProgress, FreeResult } from './free-run';
import freeRunUrl from './free-run-worker.ts?worker&url';
import type { OperationPath, PageFreeJob, PathJob, PathWorkers } from './path-work';
import pathUrl from './path-worker.ts?worker&url';

const paths = new WorkerCalls<PathJob, OperationPath>(() =>
  startWorker(pathUrl, 'busyard critical path'),
);

export const pathWorkers: PathWorkers = {
  follow: (job) => whileBusy(paths.ask(job)),
  async runFree(job, onProgress, signal) {
    const calls = new WorkerCalls<PageFreeJob, FreeResult, FreeProgress>(() =>
      startWorker(freeRunUrl, 'busyard free run'),
    );
    signal.addEventListener('abort', () => calls.dispose());
    try {
      const code = await fetchCode();
      return signal.aborted ? null : await calls.ask({ ...job, code }, onProgress);
    } finally {
      calls.dispose();
    }
  },
};
