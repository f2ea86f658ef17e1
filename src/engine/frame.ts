/** A frame: the contents of the page at one moment, in one transferable buffer. */
import type { Frame, FrameRequest } from './api';
import type { SessionRunner } from './session';
import { Columns, traceBytes } from './trace-columns';

/** Buffer sizes are powers of two from this size on, so that a buffer fits the next frame as well. */
const SMALLEST = 1 << 14;
/** Maximum number of buffers kept for reuse. */
const MAX_KEPT = 4;

/** Returned buffers that can be reused. */
export class BufferPool {
  #free: ArrayBuffer[] = [];

  take(bytes: number): ArrayBuffer {
    const i = this.#free.findIndex((buffer) => buffer.byteLength >= bytes);
    const found = i >= 0 ? this.#free.splice(i, 1)[0] : undefined;
    return found ?? new ArrayBuffer(2 ** Math.ceil(Math.log2(Math.max(bytes, SMALLEST))));
  }

  give(buffer: ArrayBuffer): void {
    if (buffer.byteLength >= SMALLEST && this.#free.length < MAX_KEPT) this.#free.push(buffer);
  }
}

/** Upper bound of the records that a request can return. */
function mostRecords({ core, position }: SessionRunner, { trace }: FrameRequest): number {
  if (!trace) return 0;
  const written = Math.max(position.seq - Math.max(trace.fromSeq, 1) + 1, 0);
  return Math.min(trace.max, written, core.traceCapacity);
}

/** Copies the requested data out of the engine. The position of the machine does not change. */
export function makeFrame(runner: SessionRunner, request: FrameRequest, pool: BufferPool): Frame {
  const { core } = runner;
  const records = mostRecords(runner, request);
  const bytes =
    runner.counterBytes +
    request.views.reduce((sum, view) => sum + core.viewBytes(view), 0) +
    traceBytes(records);
  const columns = new Columns(pool.take(bytes));
  return {
    ...runner.position,
    counters: runner.counters(columns),
    views: request.views.map((view) => core.view(view, columns)),
    trace: request.trace ? runner.trace(request.trace.fromSeq, records, columns) : null,
  };
}

/** The buffer of a frame; null if it has none. */
export function bufferOf({ counters, views, trace }: Frame): ArrayBuffer | null {
  const [view] = views;
  const array = counters[0] ?? view?.words ?? view?.columns[0] ?? trace?.timePs;
  return (array?.buffer as ArrayBuffer | undefined) ?? null;
}
