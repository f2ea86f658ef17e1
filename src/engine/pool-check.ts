/**
 * The exhaustive check of lazy flush; see wasm/verify/pool_check.c. It visits every order in which a few
 * threads map, use and unmap entries of two tiny pools. Each check has its own instance of the module.
 */
import { EngineError } from './api';
import { FAULT } from './engine-errors';
import { CHECK_ACTION, CHECK_JOB as JOB, CHECK_STEP as STEP } from './gen/abi';

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
  /** Requests are for one entry, or for this many. */
  readonly largeRequest: number;
  /** Whether the read-modify-write of the flush flag is one atomic step. */
  readonly atomicFlag: boolean;
  /** Capacity in states. */
  readonly most: number;
}

export interface CheckStep {
  readonly thread: number;
  /** Action of the thread. */
  readonly action: (typeof CHECK_ACTION)[number];
  /** Entry; for `begin` the number of requested entries. */
  readonly entry: number;
  readonly pool: number;
}

export interface PoolCheckResult {
  readonly states: number;
  readonly steps: number;
  readonly depth: number;
  /** All states were visited. */
  readonly complete: boolean;
  /** A shortest counterexample: the steps to a stale use; null if there is none. */
  readonly path: readonly CheckStep[] | null;
}

/** @throws {EngineError} if the memory for the states cannot be allocated */
export function checkPools(module: WebAssembly.Module, job: PoolCheckJob): PoolCheckResult {
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  exports._initialize?.();
  const at = exports.check_room(job.most) / 4;
  if (!at)
    throw new EngineError('There is not enough memory for so many states.', FAULT.noMemory, -1);
  const words = new Uint32Array(exports.memory.buffer);
  const { rules, threads, entriesPerPool, most, largeRequest, atomicFlag } = job;
  words[at + JOB.rules] = rules;
  words[at + JOB.threads] = threads;
  words[at + JOB.perPool] = entriesPerPool;
  words[at + JOB.most] = most;
  words[at + JOB.largeRequest] = largeRequest;
  words[at + JOB.flagIsAtomic] = atomicFlag ? 1 : 0;
  exports.check_run();
  const word = (index: number) => words[at + index] ?? 0;
  const steps = Array.from({ length: word(JOB.length) }, (_, i): CheckStep => {
    const packed = word(JOB.path + i * STEP.size);
    const part = ({ shift, mask }: { shift: number; mask: number }) => (packed >>> shift) & mask;
    return {
      thread: part(STEP.thread),
      action: CHECK_ACTION[part(STEP.action)] ?? 'begin',
      entry: part(STEP.entry),
      pool: part(STEP.pool),
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
