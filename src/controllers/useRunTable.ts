import { useEffect } from 'react';
import { createSweepWorkers, exploreInWorker } from '../engine/workers';
import { type RunTable, RunTables } from '../model/lab/run-table';
import { ProofRunner } from '../model/verify/proof-runner';
import type { ProofRunnerState } from '../model/verify/proof-types';
import { useStore } from './useStore';

const WORKERS = 2;
export const tables = new RunTables(() => createSweepWorkers(WORKERS));

/** All runs of the open scenario's experiment; they are made while a component uses them. */
export function useRunTable(): RunTable {
  useEffect(tables.show, []);
  return useStore(tables.state);
}

/** The page's explorations; they continue while other views are open. */
export const proving = new ProofRunner(exploreInWorker);

export const useProofRunner = (): ProofRunnerState => useStore(proving.state);
