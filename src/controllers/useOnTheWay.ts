import { session } from '../model/session/session';
import { useStore } from './useStore';

export const WITHOUT = 'without the changes on the way';

/**
 * What is to be said beside other runs while the open one has changes on its way: they are made after so many events of
 * it, so no other run has them. Null while there are none.
 */
export const useOnTheWay = (runs = 'other runs'): string | null =>
  useStore(session, ({ commands }) => (commands.length > 0 ? `${runs} go ${WITHOUT}` : null));
