import { shell } from '../base/shell-state';
import { useStore } from './useStore';

/** How much larger drawings are that are made to measure: a projector is read from far away. */
export const useScale = (): number => useStore(shell, (state) => (state.lecture ? 1.5 : 1));
