/**
 * How long an operation takes in another run: that run is made without keeping its records, until the operation of the
 * same number among those of its kind has ended.
 */
import type { Engine, SessionSpec, TraceChunk } from '../../engine/api';
import type { TracedMachine } from '../trace/event-text';
import { LOOK_BACK, operationEnding } from '../trace/operations';
import { createTrace } from '../trace/trace';
import { stretchesOf } from './run-search';

interface KindOfEnd {
  readonly part: number;
  readonly kind: number;
}

export interface FreeJob extends KindOfEnd {
  readonly machine: TracedMachine;
  readonly session: SessionSpec;
  readonly untilPs: number;
  /** The number of the operation among those that end with its part and kind of event, from 1. */
  readonly number: number | null;
  /** If that is not known: the open run, and the record in it that ends the operation. */
  readonly open: { readonly session: SessionSpec; readonly end: number };
}

export interface FreeProgress {
  readonly events: number;
}

/** How long it takes then, or why that is not known. */
export type FreeResult =
  | { readonly timePs: number; readonly problem: null }
  | { readonly timePs: null; readonly problem: string };

export const unknownTime = (problem: string): FreeResult => ({ timePs: null, problem });

/** Records in a chunk of a part and kind, up to a sequence number. */
function* endsIn(chunk: TraceChunk, { part, kind }: KindOfEnd, last: number): Generator<number> {
  const length = Math.min(chunk.length, last - chunk.firstSeq + 1);
  for (let i = 0; i < length; i++)
    if (chunk.kind[i] === kind && chunk.part[i] === part) yield chunk.firstSeq + i;
}

/** The number of an operation in the open run. */
async function numberOf(engine: Engine, job: FreeJob): Promise<number> {
  const { session, end } = job.open;
  let number = 0;
  for await (const { chunk } of stretchesOf(engine, session, {})) {
    if (!chunk) continue;
    number += [...endsIn(chunk, job, end)].length;
    if (chunk.firstSeq + chunk.length > end) break;
  }
  return number;
}

const copied = (chunk: TraceChunk): TraceChunk => structuredClone(chunk);

/** Runs until the operation has ended. */
export async function timeIfFree(
  engine: Engine,
  job: FreeJob,
  onProgress: (progress: FreeProgress) => void = () => {},
): Promise<FreeResult> {
  const { machine, session, untilPs } = job;
  const number = job.number ?? (await numberOf(engine, job));
  // Records in which the beginning may be.
  let recent: TraceChunk[] = [];
  let left = number;
  for await (const { chunk, events } of stretchesOf(engine, session, { untilPs })) {
    onProgress({ events });
    if (!chunk) continue;
    recent.push(copied(chunk));
    for (const seq of endsIn(chunk, job, Number.POSITIVE_INFINITY)) {
      if (--left > 0) continue;
      const trace = createTrace(machine);
      for (const one of recent) trace.append(one);
      const found = operationEnding(machine, trace, seq);
      return found
        ? { timePs: found.to - found.from, problem: null }
        : unknownTime('its beginning is too far back');
    }
    const oldest = chunk.firstSeq + chunk.length - LOOK_BACK;
    recent = recent.filter(({ firstSeq, length }) => firstSeq + length > oldest);
  }
  return unknownTime('it does not end then');
}
