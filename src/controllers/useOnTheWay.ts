import { session } from '../model/session/session';
import { useStore } from './useStore';

export const NO_COMMANDS = 'without the changes made during the run';

/**
 * What is to be said beside other runs while the open one has changes on its way: they are made after so many events of
 * it, so no other run has them. Null while there are none.
 */
export const useLiveCommands = (runs = 'other runs'): string | null =>
  useStore(session, ({ commands }) => (commands.length > 0 ? `${runs} go ${NO_COMMANDS}` : null));
