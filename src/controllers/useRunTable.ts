import { useEffect } from 'react';
import { createSweepWorkers } from '../engine/workers';
import { type RunTable, RunTables } from '../model/lab/run-table';
import { useStore } from './useStore';

const WORKERS = 2;
export const tables = new RunTables(() => createSweepWorkers(WORKERS));

/** All runs of the open scenario's experiment; they are made while a component uses them. */
export function useRunTable(): RunTable {
  useEffect(tables.show, []);
  return useStore(tables.state);
}
