/** Builds trace records from rows, for tests. */
import type { TraceChunk } from '../../engine/api';

export interface Row {
  at: number;
  cause?: number;
  part: number;
  kind: number;
  a?: number | bigint;
  b?: number;
  c?: number;
}

export function chunkOf(rows: readonly Row[], firstSeq = 1): TraceChunk {
  return {
    firstSeq,
    lost: 0,
    length: rows.length,
    timePs: Float64Array.from(rows, (row) => row.at),
    cause: Uint32Array.from(rows, (row) => row.cause ?? 0),
    part: Uint16Array.from(rows, (row) => row.part),
    kind: Uint16Array.from(rows, (row) => row.kind),
    a: BigUint64Array.from(rows, (row) => BigInt(row.a ?? 0)),
    b: Uint32Array.from(rows, (row) => row.b ?? 0),
    c: Uint32Array.from(rows, (row) => row.c ?? 0),
  };
}
