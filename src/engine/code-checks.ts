/** The engine module that includes the verification parts, for workers of the page. It is fetched on first use. */
import url from '../../build/checks.wasm?url';
import { fetchModule } from './engine-code';

/** @throws {Error} with a message for the user if the file cannot be fetched */
export const fetchChecks = (): Promise<WebAssembly.Module> => fetchModule(url);
