/** Starts a worker of this site. */
import { reportMissing } from './retry-import';
import { scriptUrl } from './trusted-types';

/** Browsers start no module from a file on a disk; what is in one file has no imports either. */
const TYPE = import.meta.env.MODE === 'single' ? 'classic' : 'module';

export function startWorker(url: string, name: string): Worker {
  const worker = new Worker(scriptUrl(url), { type: TYPE, name });
  worker.addEventListener('error', ({ message }) => {
    // An error without a message: the script could not be fetched.
    if (!message) void reportMissing();
  });
  return worker;
}
