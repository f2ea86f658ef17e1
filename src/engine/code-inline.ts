/** The engine's code, for programs without a page: taken into the program itself. */
import url from '../../build/core.wasm?url&inline';
import { type EngineCode, shapesOf } from './code';
import { PART_TYPES } from './gen/layout';

/** Compiles the engine. */
export async function inlineCode(): Promise<EngineCode> {
  const response = await fetch(url);
  const module = await WebAssembly.compile(await response.arrayBuffer());
  return { module, parts: shapesOf(PART_TYPES) };
}
