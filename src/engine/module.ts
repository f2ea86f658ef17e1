/** The engine's file: fetched once for all engines of the page, and compiled while it arrives. */
import url from '../../build/core.wasm?url';
import { reportMissing } from '../base/retry-import';
import { fetchModule } from './engine-code';

let module: Promise<WebAssembly.Module> | undefined;

/** @throws {Error} with a sentence when the file cannot be had; the next request tries again */
export function engineModule(): Promise<WebAssembly.Module> {
  module ??= fetchModule(url).catch((error) => {
    module = undefined;
    void reportMissing();
    throw error;
  });
  return module;
}
