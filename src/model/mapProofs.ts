/** Which rules of lazy flush are checked in every order of events, and how a counterexample is told. */
import { type CheckStep, checkPools } from '../engine/pool-check';
import { type MapRule, mapRules } from './mapRules';

export interface MapProof {
  readonly name: string;
  readonly title: string;
  readonly rules: readonly MapRule[];
  /** Whether the flag is changed as one step; in the kernel it is not. */
  readonly atomicFlag: boolean;
  /** What is known to come out. */
  readonly holds: boolean;
}

export const MAP_PROOFS: readonly MapProof[] = [
  {
    name: 'linux-4.1',
    title: 'one flag for the table, set when a search comes round',
    rules: [],
    atomicFlag: false,
    holds: false,
  },
  {
    name: 'pool-flags',
    title: 'a flag for each pool',
    rules: ['pool_flags'],
    atomicFlag: false,
    holds: false,
  },
  {
    name: 'ahead',
    title: 'one flag, set too when what is freed lies ahead of the cursor',
    rules: ['flush_ahead'],
    atomicFlag: false,
    holds: false,
  },
  {
    name: 'ahead-atomic',
    title: 'the same, with flag and flush changed in one step',
    rules: ['flush_ahead'],
    atomicFlag: true,
    holds: true,
  },
  {
    name: 'mended',
    title: 'a flag for each pool, set too when what is freed lies ahead of the cursor',
    rules: ['flush_ahead', 'pool_flags'],
    atomicFlag: false,
    holds: true,
  },
];

export interface ProofSize {
  readonly threads: number;
  /** Of each pool. */
  readonly entries: number;
  /** Requests are for one entry or for so many. */
  readonly pages: number;
}

export interface MapProofReport {
  readonly config: string;
  readonly title: string;
  readonly threads: number;
  readonly pools: number;
  readonly entries_per_pool: number;
  readonly pages: number;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly complete: boolean;
  readonly violations: readonly { readonly invariant: string; readonly steps: readonly string[] }[];
}

const POOLS = 2;
const MOST_STATES = 4_000_000;

const SENTENCES: Readonly<Record<CheckStep['action'], (step: CheckStep) => string>> = {
  begin: ({ entry, pool }) =>
    `asks for ${entry === 1 ? 'an entry' : `${entry} entries`} in pool ${pool}.`,
  lock: ({ pool }) => `takes the lock of pool ${pool}.`,
  load: () => 'reads the flush flag.',
  store: () => 'writes the flush flag.',
  flush: () => 'has all cached translations forgotten.',
  move_on: ({ pool }) => `finds nothing in pool ${pool} and lets go of its lock.`,
  got: ({ entry }) => `gets entry ${entry} and lets go of the lock.`,
  failed: () => 'finds nothing at all.',
  commit: ({ entry }) => `fills entry ${entry}.`,
  use: ({ entry }) => `lets the device use entry ${entry}.`,
  stale: ({ entry }) =>
    `lets the device use entry ${entry}, which uses the translation of an earlier mapping.`,
  clear: ({ entry }) => `clears entry ${entry}; a cached translation stays.`,
  free_lock: ({ entry, pool }) => `takes the lock of pool ${pool} to free entry ${entry}.`,
  freed: ({ entry }) => `has freed entry ${entry} and lets go of the lock.`,
};

const stepText = (step: CheckStep): string =>
  `Thread ${step.thread} ${SENTENCES[step.action](step)}`;

/** Tries every order of events. @throws {EngineError} without memory */
export function proveMap(
  module: WebAssembly.Module,
  proof: MapProof,
  { threads, entries, pages }: ProofSize,
): MapProofReport {
  const result = checkPools(module, {
    rules: mapRules(['lazy', 'end_exact', ...proof.rules]),
    threads,
    entriesPerPool: entries,
    largeRequest: pages,
    atomicFlag: proof.atomicFlag,
    most: MOST_STATES,
  });
  const { states, steps, depth, complete, path } = result;
  return {
    config: proof.name,
    title: proof.title,
    threads,
    pools: POOLS,
    entries_per_pool: entries,
    pages,
    states,
    transitions: steps,
    depth,
    complete,
    violations: path
      ? [{ invariant: 'no stale translation is used', steps: path.map(stepText) }]
      : [],
  };
}
