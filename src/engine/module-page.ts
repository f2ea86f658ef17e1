/** The engine's code, for the page: a file beside it, compiled while it arrives. */
import url from '../../build/core.wasm?url';

/**
 * Fetches and compiles the engine.
 * @throws {Error} with a sentence when the file cannot be had
 */
export async function fetchModule(): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The engine could not be fetched (status ${response.status}).`);
  // Some plain servers send another type than application/wasm; streaming insists on it.
  const streams = response.headers.get('content-type')?.startsWith('application/wasm');
  return streams
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
