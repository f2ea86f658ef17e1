/** Engines on several cores: each in a thread of this program, which runs the same file. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker } from 'node:worker_threads';
import { quote } from '../base/suggest';
import type { Engine, Sweeps } from '../engine/api';
import { Client, type WorkerPort } from '../engine/client';
import { inlineChecks, inlineCode } from '../engine/engine-code-inline';
import { createLocalEngine } from '../engine/inprocess';
import { SweepPool } from '../engine/pool';
import type { Port } from '../engine/worker-protocol';
import { serve } from '../engine/worker-server';
import { Refusal } from './refusal';

/** More threads than this only wait for each other. */
const MOST = 256;

export const JOBS_OPTION = {
  value: 'number',
  help: 'threads; default: as many as the computer has processors',
} as const;

/** The number of threads that --jobs asks for. */
export function jobsOf(text: string | undefined): number {
  if (text === undefined) return Math.min(availableParallelism(), MOST);
  const jobs = /^\d+$/.test(text) ? Number(text) : 0;
  if (jobs >= 1 && jobs <= MOST) return jobs;
  throw new Refusal(`--jobs is a whole number from 1 to ${MOST}; this is ${quote(text)}.`);
}

function startThread(): WorkerPort {
  const thread = new Worker(fileURLToPath(import.meta.url));
  const port: WorkerPort = {
    postMessage: (message, options) => thread.postMessage(message, options?.transfer as never),
    onmessage: null,
    onerror: null,
    terminate: () => void thread.terminate(),
  };
  thread.on('message', (data) => port.onmessage?.({ data } as MessageEvent));
  thread.on('error', ({ message }) => port.onerror?.({ message } as ErrorEvent));
  return port;
}

/** Engines for `jobs` runs at a time; a thread starts with its first run. One engine runs in this thread. */
export async function createEngines(jobs: number): Promise<readonly Engine[]> {
  // Only the built program is a file that a thread can run.
  if (jobs === 1 || !import.meta.env.PROD) return [await createLocalEngine()];
  const code = inlineCode();
  // On a loaded computer a thread may wait long for a processor, and a program in a terminal can be ended by hand.
  return Array.from({ length: jobs }, () => new Client(startThread, () => code, null));
}

/** Sweeps over several engines. */
export function poolOf(engines: readonly Engine[]): Sweeps {
  const idle = [...engines];
  return new SweepPool(() => idle.shift() as Engine, engines.length);
}

/** What a thread does. */
export const serveThread = (): void => serve(parentPort as unknown as Port, inlineChecks);
