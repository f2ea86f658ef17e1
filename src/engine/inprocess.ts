/** An engine in this process: for the headless program and for tests. */
import type { Engine } from './api';
import { Host } from './host';
import { inlineModule } from './module-inline';

let module: Promise<WebAssembly.Module> | undefined;

/** A new engine without a session. The code is compiled once, however many engines there are. */
export async function createLocalEngine(): Promise<Engine> {
  module ??= inlineModule();
  return new Host(await module);
}
