/** Starts a worker of this site. */
import { reportMissing } from './retry-import';
import { scriptUrl } from './trusted-types';

export function startWorker(url: string, name: string): Worker {
  const worker = new Worker(scriptUrl(url), { type: 'module', name });
  worker.addEventListener('error', ({ message }) => {
    // An error without a message: the script could not be fetched.
    if (!message) void reportMissing();
  });
  return worker;
}
