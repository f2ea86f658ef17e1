/**
 * Reads the iommu:map and iommu:unmap events of Linux ftrace text, as `trace`, trace-cmd and perf write it:
 *
 *     irq/62-eth0-391 [003] d.s. 8123.104117: map: IOMMU: iova=0xffe2a000 - 0xffe2b000 paddr=0x10b4e5000 size=4096
 *     irq/62-eth0-391 [003] d.s. 8123.104951: unmap: IOMMU: iova=0xffe2a000 - 0xffe2b000 size=4096 unmapped_size=4096
 *
 * Some kernels leave out the end of the range. Other events and comments are passed over.
 */

import { quote } from '../scenario/suggest';
import { type ByteSource, TraceError } from './map-trace';

export interface FtraceEvent {
  readonly line: number;
  readonly kind: 'map' | 'unmap';
  readonly cpu: number;
  /** Beyond what a double holds: an I/O address may have 64 bits. */
  readonly address: bigint;
  readonly bytes: bigint;
}

const EVENT = /(?:^|[\s:])(map|unmap):\s+IOMMU:\s+iova=0x([0-9a-f]+)/i;
const SIZE = /\ssize=(0x[0-9a-f]+|\d+)/i;
const UNMAPPED = /\sunmapped_size=(0x[0-9a-f]+|\d+)/i;
const CPU = /\[(\d{1,5})\]/;

const BUFFER = 1 << 20;
const LONGEST_LINE = 1 << 13;
const END = 1n << 64n;

/** Lines of a text, of which no more than a buffer is held. */
function* linesOf(source: ByteSource): Generator<string> {
  const [buffer, decoder] = [new Uint8Array(BUFFER), new TextDecoder()];
  let rest = '';
  for (;;) {
    const got = source.read(buffer);
    const lines = (rest + decoder.decode(buffer.subarray(0, got), { stream: got > 0 })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (got === 0) break;
    if (rest.length > LONGEST_LINE) yield rest;
  }
  yield rest;
}

function eventOf(text: string, line: number): FtraceEvent | null {
  const event = EVENT.exec(text);
  if (!event) return null;
  const [all, name = '', address = ''] = event;
  const kind = name.toLowerCase() === 'map' ? 'map' : 'unmap';
  const rest = text.slice(event.index + all.length);
  const unmapped = kind === 'map' ? null : UNMAPPED.exec(rest);
  const size = (unmapped ?? SIZE.exec(rest))?.[1];
  if (size === undefined) return null;
  const [first, bytes] = [BigInt(`0x${address}`), BigInt(size)];
  if (bytes === 0n) return null;
  if (first + bytes > END)
    throw new TraceError(
      line,
      `I/O addresses have 64 bits; the ${quote(size)} bytes from ${quote(`0x${address}`)} on end beyond.`,
    );
  const cpu = Number(CPU.exec(text)?.[1] ?? 0);
  return { line, kind, cpu, address: first, bytes };
}

/** The events, in the order of the text. @throws {TraceError} */
export function* ftraceEvents(source: ByteSource): Generator<FtraceEvent> {
  let line = 0;
  for (const text of linesOf(source)) {
    line++;
    if (text.length > LONGEST_LINE)
      throw new TraceError(
        line,
        `A line of ftrace has at most ${LONGEST_LINE} letters; this one has more.`,
      );
    const event = eventOf(text, line);
    if (event) yield event;
  }
}
