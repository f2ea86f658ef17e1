/** The engine's code, for programs without a page: taken into the program itself. */
import url from '../../build/core.wasm?url&inline';

/** Compiles the engine. */
export async function inlineModule(): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  return WebAssembly.compile(await response.arrayBuffer());
}
