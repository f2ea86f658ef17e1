import { fetched } from '../../base/retry-import';
import type * as SessionModule from './session-module-exports';

const load = () => import('./session-module-exports');

let here: typeof SessionModule | null = null;

/**
 * The module that works on sessions. It is loaded with the first session, so that the gallery need not wait for it.
 * @throws {NotFetched} when it cannot be had
 */
export const loadSessionModule = async (): Promise<typeof SessionModule> =>
  (here ??= await fetched(load));

/** Null until anything was opened. */
export const loadedSessionModule = (): typeof SessionModule | null => here;

/** For what is only done to an open session. */
export function sessionModule(): typeof SessionModule {
  if (!here) throw new Error('No session has been opened yet.');
  return here;
}
