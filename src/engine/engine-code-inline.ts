/** The engine's code, for programs without a page: taken into the program itself. */
import checksUrl from '../../build/checks.wasm?url&inline';
import coreUrl from '../../build/core.wasm?url&inline';
import { type EngineCode, fetchModule, shapesOf } from './engine-code';
import { PART_TYPES } from './gen/layout';

/** Compiles the engine. */
export const inlineCode = async (): Promise<EngineCode> => ({
  module: await fetchModule(coreUrl),
  parts: shapesOf(PART_TYPES),
});

/** Compiles the engine with all that checks it. */
export const inlineChecks = (): Promise<WebAssembly.Module> => fetchModule(checksUrl);
