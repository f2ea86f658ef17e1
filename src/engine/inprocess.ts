/** An engine in this process, for the headless program and for tests. */
import type { Engine } from './api';
import type { EngineCode } from './engine-code';
import { inlineChecks, inlineCode } from './engine-code-inline';
import { type Explore, Explorer } from './explore';
import { Host } from './host';
import { Slices } from './run-slices';

let code: Promise<EngineCode> | undefined;

/** A new engine without a session. The code is compiled once and shared by all engines. */
export async function createLocalEngine(): Promise<Engine> {
  code ??= inlineCode();
  return new Host(await code, inlineChecks);
}

let checks: Promise<WebAssembly.Module> | undefined;

/** Explores in this thread and yields between slices. */
export const exploreLocally: Explore = async (config, { mebibytes, onProgress, signal } = {}) => {
  checks ??= inlineChecks();
  const explorer = new Explorer(await checks, config, mebibytes);
  const slices = new Slices();
  for (;;) {
    const now = explorer.advance();
    if (now.end !== 'more') return now;
    onProgress?.(now);
    await slices.pause();
    if (signal?.aborted) return { ...now, end: 'cancelled' };
  }
};
