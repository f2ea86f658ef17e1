import { exploreInWorker } from '../engine/workers';
import { ProofRunner } from '../model/verify/proof-runner';
import type { ProofRunnerState } from '../model/verify/proof-types';
import { useStore } from './useStore';

/** The page's explorations; they continue while other views are open. */
export const proving = new ProofRunner(exploreInWorker);

export const useProofRunner = (): ProofRunnerState => useStore(proving.state);
