import { exploreInWorker } from '../engine/workers';
import { Proving, type ProvingState } from '../model/verify/proof-runner';
import { useStore } from './useStore';

/** The page's explorations; they go on while the reader looks at something else. */
export const proving = new Proving(exploreInWorker);

export const useProving = (): ProvingState => useStore(proving.state);
