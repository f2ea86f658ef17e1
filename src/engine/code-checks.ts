/** The engine with all that checks it, for workers of the page: fetched only when something needs it. */
import url from '../../build/checks.wasm?url';
import { fetchModule } from './engine-code';

/** @throws {Error} with a sentence when the file cannot be had */
export const fetchChecks = (): Promise<WebAssembly.Module> => fetchModule(url);
