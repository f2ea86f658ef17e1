import { fetched } from '../../base/retry-import';
import type * as SessionModule from './session-module-exports';

const load = () => import('./session-module-exports');

let here: typeof SessionModule | null = null;

/**
 * Loads the module that opens and edits sessions. It is loaded with the first session, so that the gallery appears
 * without it.
 * @throws {NotFetched} if it cannot be fetched
 */
export const loadSessionModule = async (): Promise<typeof SessionModule> =>
  (here ??= await fetched(load));

/** Null until a session has been opened. */
export const loadedSessionModule = (): typeof SessionModule | null => here;

/** For code that runs only while a session is open. */
export function sessionModule(): typeof SessionModule {
  if (!here) throw new Error('No session has been opened yet.');
  return here;
}
