/** The engine's code for programs without a page: embedded in the bundle. */
import checksUrl from '../../build/checks.wasm?url&inline';
import coreUrl from '../../build/core.wasm?url&inline';
import { type EngineCode, fetchModule, shapesOf } from './engine-code';
import { PART_TYPES } from './gen/layout';

/** Compiles the engine. */
export const inlineCode = async (): Promise<EngineCode> => ({
  module: await fetchModule(coreUrl),
  parts: shapesOf(PART_TYPES),
});

/** Compiles the engine module that includes the verification parts. */
export const inlineChecks = (): Promise<WebAssembly.Module> => fetchModule(checksUrl);
