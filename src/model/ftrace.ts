/**
 * Reads the iommu:map and iommu:unmap events of Linux ftrace text, as `trace`, trace-cmd and perf write it:
 *
 *     irq/62-eth0-391 [003] d.s. 8123.104117: map: IOMMU: iova=0xffe2a000 - 0xffe2b000 paddr=0x10b4e5000 size=4096
 *     irq/62-eth0-391 [003] d.s. 8123.104951: unmap: IOMMU: iova=0xffe2a000 - 0xffe2b000 size=4096 unmapped_size=4096
 *
 * Some kernels leave out the end of the range. Other events and comments are passed over.
 */
import type { ByteSource } from './mapTrace';

export interface FtraceEvent {
  readonly kind: 'map' | 'unmap';
  readonly cpu: number;
  readonly address: number;
  readonly bytes: number;
}

const EVENT =
  /(?:^|[\s:])(map|unmap):\s+IOMMU:\s+iova=0x([0-9a-f]+)(?:\s+-\s+0x[0-9a-f]+)?.*?\ssize=(0x[0-9a-f]+|\d+)/i;
const UNMAPPED = /\sunmapped_size=(0x[0-9a-f]+|\d+)/i;
const CPU = /\[(\d{1,5})\]/;

const BUFFER = 1 << 20;

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
  }
  yield rest;
}

/** The events, in the order of the text. */
export function* ftraceEvents(source: ByteSource): Generator<FtraceEvent> {
  for (const line of linesOf(source)) {
    const [, kind, address = '', size = ''] = EVENT.exec(line) ?? [];
    if (kind === undefined) continue;
    const unmapped = UNMAPPED.exec(line)?.[1];
    const bytes = Number(unmapped ?? size);
    if (bytes === 0) continue;
    yield {
      kind: kind.toLowerCase() as 'map' | 'unmap',
      cpu: Number(CPU.exec(line)?.[1] ?? 0),
      address: Number.parseInt(address, 16),
      bytes,
    };
  }
}
