/** The engine's code, for the page: a file beside it, compiled while it arrives. */
import url from '../../build/core.wasm?url';
import { type EngineCode, fetchModule, shapesOf } from './code';
import { PART_TYPES } from './gen/layout';

/**
 * Fetches and compiles the engine.
 * @throws {Error} with a sentence when the file cannot be had
 */
export const fetchCode = async (): Promise<EngineCode> => ({
  module: await fetchModule(url),
  parts: shapesOf(PART_TYPES),
});
