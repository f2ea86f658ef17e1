/**
 * The exhaustive check of lazy flush, as wasm/check/pools.c does it: every order in which a few threads map,
 * use and unmap entries of two tiny pools. An instance of the module for each check.
 */
import { EngineError } from './api';
import { FAULT } from './faults';

interface Exports {
  readonly memory: WebAssembly.Memory;
  check_room(states: number): number;
  check_run(): void;
  _initialize?(): void;
}

export interface PoolCheckJob {
  /** Bits of enum map_rule. */
  readonly rules: number;
  readonly threads: number;
  readonly entriesPerPool: number;
  /** Requests are for one entry, or for so many. */
  readonly largeRequest: number;
  /** Whether reading, changing and writing the flush flag is one step. */
  readonly atomicFlag: boolean;
  /** States that there is room for. */
  readonly most: number;
}

/** What a thread does in a step; in the order of enum check_action. */
const CHECK_ACTIONS = [
  'begin',
  'lock',
  'load',
  'store',
  'flush',
  'move_on',
  'got',
  'failed',
  'commit',
  'use',
  'stale',
  'clear',
  'free_lock',
  'freed',
] as const;

export interface CheckStep {
  readonly thread: number;
  readonly action: (typeof CHECK_ACTIONS)[number];
  /** Entry; for `begin` how many are asked for. */
  readonly entry: number;
  readonly pool: number;
}

export interface PoolCheckResult {
  readonly states: number;
  readonly steps: number;
  readonly depth: number;
  /** All states were visited. */
  readonly complete: boolean;
  /** A shortest way to a stale use, if there is one. */
  readonly path: readonly CheckStep[] | null;
}

const JOB = { states: 6, steps: 7, depth: 8, found: 9, complete: 10, length: 11, path: 12 };

/** @throws {EngineError} without memory for so many states */
export function checkPools(module: WebAssembly.Module, job: PoolCheckJob): PoolCheckResult {
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  exports._initialize?.();
  const at = exports.check_room(job.most) / 4;
  if (!at)
    throw new EngineError('There is not enough memory for so many states.', FAULT.noMemory, -1);
  const words = new Uint32Array(exports.memory.buffer);
  const { rules, threads, entriesPerPool, most, largeRequest, atomicFlag } = job;
  words.set([rules, threads, entriesPerPool, most, largeRequest, atomicFlag ? 1 : 0], at);
  exports.check_run();
  const word = (index: number) => words[at + index] ?? 0;
  const steps = Array.from({ length: word(JOB.length) }, (_, i): CheckStep => {
    const packed = word(JOB.path + i);
    return {
      thread: packed & 255,
      action: CHECK_ACTIONS[(packed >>> 8) & 255] ?? 'begin',
      entry: (packed >>> 16) & 255,
      pool: packed >>> 24,
    };
  });
  return {
    states: word(JOB.states),
    steps: word(JOB.steps),
    depth: word(JOB.depth),
    complete: word(JOB.complete) === 1,
    path: word(JOB.found) === 1 ? steps : null,
  };
}
