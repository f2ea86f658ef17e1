/** The work of the worker of the critical path: it keeps the records that the page sent, and follows causes in them. */

import type { TraceChunk } from '../../engine/api';
import type { EngineCode } from '../../engine/engine-code';
import { type Beside, CriticalPath, type Piece, workOffPath } from '../trace/critical-path';
import type { TracedMachine } from '../trace/event-text';
import type { Operation } from '../trace/operations';
import { createTrace, type Trace } from '../trace/trace';
import type { FreeJob, FreeProgress, FreeResult } from './free-run';

export interface PathJob {
  /** Records to follow from now on; those of the job before if there are none. */
  readonly load: { readonly machine: TracedMachine; readonly records: TraceChunk } | null;
  readonly operation: Operation;
}

/** What decided the time of an operation, and what ran beside it. */
export interface OperationPath {
  readonly pieces: readonly Piece[];
  readonly beside: readonly Beside[];
}

/** Follows the jobs of one page. */
export function pathFollower(): (job: PathJob) => OperationPath {
  let kept: { machine: TracedMachine; trace: Trace } | null = null;
  return ({ load, operation }) => {
    if (load) {
      kept = { machine: load.machine, trace: createTrace(load.machine) };
      kept.trace.append(load.records);
    }
    if (!kept) return { pieces: [], beside: [] };
    const { machine, trace } = kept;
    const { pieces } = new CriticalPath(machine, trace, operation);
    return { pieces, beside: workOffPath(trace, pieces, operation) };
  };
}

/** Where the page takes paths and free runs from. */
export interface PathWorkers {
  follow(job: PathJob): Promise<OperationPath | null>;
  runFree(
    job: FreeJob,
    onProgress: (progress: FreeProgress) => void,
    signal: AbortSignal,
  ): Promise<FreeResult | null>;
}

/** A run with the engine's code, which the page has already loaded. */
export interface PageFreeJob extends FreeJob {
  readonly code: EngineCode;
}
