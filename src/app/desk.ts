/** The desk that sessions are worked on at. It is fetched with the first session, so that the gallery need not wait for it. */
import { fetched } from '../base/fetched';

export type Desk = typeof import('../model/session/desk');

const load = () => import('../model/session/desk');

let there: Desk | null = null;

/** @throws {NotFetched} when it cannot be had */
export const fetchDesk = async (): Promise<Desk> => (there ??= await fetched(load));

/** At hand as soon as anything was opened; null before. */
export const deskNow = (): Desk | null => there;

/** For what is only done to an open session. */
export function desk(): Desk {
  if (!there) throw new Error('No session has been opened yet.');
  return there;
}
