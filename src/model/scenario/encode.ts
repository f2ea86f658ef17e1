/** Encodes a compiled session as little-endian words; wasm/core/load.c reads them. */
import { SIM_SESSION_FORMAT, SIM_SESSION_MAGIC } from '../../engine/gen/abi';
import type { Where, Wire } from './scenario-types';

/** An encoded row, and its position in the file. */
export interface EncodedRow {
  readonly values: readonly bigint[];
  readonly where: Where;
}

/** 64-bit values as pairs of words, low word first. */
export function wordsOf(values: Iterable<bigint>): number[] {
  const words: number[] = [];
  for (const value of values) {
    if (value <= 0xffffffffn) words.push(Number(value), 0);
    else words.push(Number(value & 0xffffffffn), Number(value >> 32n));
  }
  return words;
}

export function encodeSession(
  header: { layoutHash: number; seed: bigint; traceLog2: number },
  parts: readonly (readonly number[])[],
  wires: readonly Wire[],
): Uint8Array {
  const words = [
    ...[SIM_SESSION_MAGIC, SIM_SESSION_FORMAT, header.layoutHash],
    ...wordsOf([header.seed]),
    ...[header.traceLog2, parts.length, wires.length],
  ];
  for (const part of parts) for (const word of part) words.push(word);
  for (const { ends } of wires) for (const end of ends) words.push(end.part, end.slot);
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  words.forEach((word, i) => {
    view.setUint32(i * 4, word, true);
  });
  return bytes;
}
