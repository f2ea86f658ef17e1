import { fetched } from '../../base/retry-import';
import type * as Desk from './session-module-exports';

const load = () => import('./session-module-exports');

let here: typeof Desk | null = null;

/**
 * The desk that sessions are worked on at. It comes with the first session, whoever opens that, so that the gallery need not
 * wait for it.
 * @throws {NotFetched} when it cannot be had
 */
export const fetchDesk = async (): Promise<typeof Desk> => (here ??= await fetched(load));

/** Null until anything was opened. */
export const deskNow = (): typeof Desk | null => here;

/** For what is only done to an open session. */
export function desk(): typeof Desk {
  if (!here) throw new Error('No session has been opened yet.');
  return here;
}
