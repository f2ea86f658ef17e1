/** The loads and stores of a recording: Dinero's din, or what Valgrind's lackey prints. */
import type { ByteSource } from '../pools/map-trace';

export interface RecordedReference {
  /** Where it stands in the file. */
  readonly line: number;
  readonly cpu: number;
  readonly address: bigint;
  readonly bytes: number;
  /** A reference that changes its place loads and stores it. */
  readonly kinds: readonly ('load' | 'store')[];
}

const DIN = /^([01])[ \t]+(?:0x)?([0-9a-f]{1,16})(?:[ \t]+(\d+))?/i;
const LACKEY = /^ ([SLM]) +([0-9a-f]{1,16}),(\d+)(?:[ \t]+(\d+))?/i;
/** Bytes of a reference of din, which does not say. */
const WORD = 4;
const KINDS: Readonly<Record<string, RecordedReference['kinds']>> = {
  '0': ['load'],
  '1': ['store'],
  L: ['load'],
  S: ['store'],
  M: ['load', 'store'],
};

function referenceOf(text: string, line: number): RecordedReference | null {
  const din = DIN.exec(text);
  const found = din ?? LACKEY.exec(text);
  if (!found) return null;
  const [, kind = '', address = '', third, fourth] = found;
  const cpu = Number((din ? third : fourth) ?? 0);
  const bytes = din ? WORD : Number(third);
  return { line, cpu, address: BigInt(`0x${address}`), bytes, kinds: KINDS[kind] ?? [] };
}

/** In their order; instruction fetches and remarks are left out. */
export function* readReferences(source: ByteSource): Generator<RecordedReference> {
  const decoder = new TextDecoder();
  const piece = new Uint8Array(1 << 16);
  let rest = '';
  let number = 0;
  for (let got = source.read(piece); got > 0; got = source.read(piece)) {
    const lines = (rest + decoder.decode(piece.subarray(0, got), { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const found = referenceOf(line, ++number);
      if (found) yield found;
    }
  }
  const last = referenceOf(rest, number + 1);
  if (last) yield last;
}
