/** Rules of lazy flush that are checked in every order of events, and the text of counterexamples. */
import {
  type CheckStep,
  checkPools,
  type PoolCheckJob,
  type PoolCheckResult,
} from '../../engine/pool-check';
import { type MapRule, mapRules } from '../pools/map-policies';

export interface MapProof {
  readonly name: string;
  readonly title: string;
  readonly rules: readonly MapRule[];
  /** Whether the flag is changed atomically; in the kernel it is not. */
  readonly atomicFlag: boolean;
  /** The known result. */
  readonly holds: boolean;
  /** A scenario in which a device performs the stale access that this rule allows. */
  readonly scenario?: string;
}

export const MAP_PROOFS: readonly MapProof[] = [
  {
    name: 'linux-4.1',
    title: 'one flag for the table, set when a search comes round',
    rules: [],
    atomicFlag: false,
    holds: false,
    scenario: 'pools/stale-translation',
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
    title: 'one flag, also set when an entry ahead of the cursor is freed',
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
    title: 'a flag for each pool, also set when an entry ahead of the cursor is freed',
    rules: ['flush_ahead', 'pool_flags'],
    atomicFlag: false,
    holds: true,
  },
];

export interface ProofSize {
  readonly threads: number;
  /** Entries of each pool. */
  readonly entries: number;
  /** Requests are for one entry, or for this many. */
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

/** Three threads and two pools of three entries: the size used by the page and pinned by tests. */
export const USUAL_SIZE: ProofSize = { threads: 3, entries: 3, pages: 1 };

/** Capacity in states: the largest of these checks has 1.7 million. */
export const USUAL_STATES = 1_750_000;

const POOLS = 2;
const MAX_STATES = 4_000_000;

const SENTENCES: Readonly<Record<CheckStep['action'], (step: CheckStep) => string>> = {
  begin: ({ entry, pool }) =>
    `asks for ${entry === 1 ? 'an entry' : `${entry} entries`} in pool ${pool}.`,
  lock: ({ pool }) => `takes the lock of pool ${pool}.`,
  load: () => 'reads the flush flag.',
  store: () => 'writes the flush flag.',
  flush: () => 'purges all cached translations.',
  move_on: ({ pool }) => `finds nothing in pool ${pool} and releases its lock.`,
  got: ({ entry }) => `gets entry ${entry} and releases the lock.`,
  failed: () => 'finds no entry in any pool.',
  commit: ({ entry }) => `fills entry ${entry}.`,
  use: ({ entry }) => `lets the device use entry ${entry}.`,
  stale: ({ entry }) =>
    `lets the device use entry ${entry}, which uses the translation of an earlier mapping.`,
  clear: ({ entry }) => `clears entry ${entry}; a cached translation stays.`,
  free_lock: ({ entry, pool }) => `takes the lock of pool ${pool} to free entry ${entry}.`,
  freed: ({ entry }) => `has freed entry ${entry} and releases the lock.`,
};

const stepText = (step: CheckStep): string =>
  `Thread ${step.thread} ${SENTENCES[step.action](step)}`;

/** The engine's job for a check, with a capacity of `most` states. */
export const jobOf = (proof: MapProof, size: ProofSize, most: number): PoolCheckJob => ({
  rules: mapRules(['lazy', 'end_exact', ...proof.rules]),
  threads: size.threads,
  entriesPerPool: size.entries,
  largeRequest: size.pages,
  atomicFlag: proof.atomicFlag,
  most,
});

/** The result of a check as text. */
export function reportOf(
  proof: MapProof,
  { threads, entries, pages }: ProofSize,
  { states, steps, depth, complete, path }: PoolCheckResult,
): MapProofReport {
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

/**
 * Checks every order of events.
 * @throws {EngineError} if there is not enough memory
 */
export const proveMap = (
  module: WebAssembly.Module,
  proof: MapProof,
  size: ProofSize,
): MapProofReport => reportOf(proof, size, checkPools(module, jobOf(proof, size, MAX_STATES)));
