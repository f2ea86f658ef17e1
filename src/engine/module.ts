/** The engine module, fetched once for all engines of the page and compiled while it is streamed. */
import url from '../../build/core.wasm?url';
import { reportMissing } from '../base/retry-import';
import { fetchModule } from './engine-code';

let module: Promise<WebAssembly.Module> | undefined;

/** @throws {Error} with a message for the user if the file cannot be fetched; the next call retries */
export function engineModule(): Promise<WebAssembly.Module> {
  module ??= fetchModule(url).catch((error) => {
    module = undefined;
    void reportMissing();
    throw error;
  });
  return module;
}
