/** The headless program: the same engine and the same model as the page, in Node. */
import { isMainThread } from 'node:worker_threads';
import { watchOutput } from './output';
import { program } from './program';
import { serveThread } from './threads';

if (isMainThread) {
  watchOutput();
  process.exitCode = await program(process.argv.slice(2));
} else serveThread();
