/** An engine in this process: for the headless program and for tests. */
import type { Engine } from './api';
import type { EngineCode } from './code';
import { inlineChecks, inlineCode } from './code-inline';
import { Host } from './host';

let code: Promise<EngineCode> | undefined;

/** A new engine without a session. The code is compiled once, however many engines there are. */
export async function createLocalEngine(): Promise<Engine> {
  code ??= inlineCode();
  return new Host(await code, inlineChecks);
}
