/** The engine's code, for the page: a file beside it, compiled while it arrives. */
import url from '../../build/core.wasm?url';
import { type EngineCode, shapesOf } from './code';
import { PART_TYPES } from './gen/layout';

/**
 * Fetches and compiles the engine.
 * @throws {Error} with a sentence when the file cannot be had
 */
export async function fetchCode(): Promise<EngineCode> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The engine could not be fetched (status ${response.status}).`);
  // Some plain servers send another type than application/wasm; streaming insists on it.
  const streams = response.headers.get('content-type')?.startsWith('application/wasm');
  const module = streams
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
  return { module: await module, parts: shapesOf(PART_TYPES) };
}
