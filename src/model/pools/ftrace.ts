/**
 * Parses Linux DMA mapping events in the text output of `trace`, `trace-cmd report` and `perf script`:
 *
 *     irq/62-eth0-391 [003] d.s. 8123.104117: map: IOMMU: iova=0xffe2a000 - 0xffe2b000 paddr=0x10b4e5000 size=4096
 *     irq/62-eth0-391 [003] d.s. 8123.104951: unmap: IOMMU: iova=0xffe2a000 - 0xffe2b000 size=4096 unmapped_size=4096
 *     irq/62-eth0-391 [003] d.s. 8123.104960: dma_map_page: 0000:01:00.0 dir=TO_DEVICE dma_addr=ffe2a000 size=1536 ...
 *
 * Some kernels omit the end of the range, and some add the device. Other events are ignored.
 * Line formats: include/trace/events/iommu.h and dma.h; the columns before them: kernel/trace/trace_output.c.
 */

import { quote } from '../../base/suggest';
import { type ByteSource, TraceError } from './map-trace';

interface Place {
  readonly line: number;
  /** 0 if the line has none. */
  readonly cpu: number;
}

/** A mapping that is made or removed, in the I/O page table or by a call of the DMA interface. */
export interface MappingEvent extends Place {
  readonly kind: 'map' | 'unmap';
  readonly level: 'iommu' | 'dma';
  /** Empty if the line has none. */
  readonly device: string;
  /** 64 bits, which a double cannot hold. */
  readonly address: bigint;
  readonly bytes: bigint;
  /** Size that an unmap was asked to remove; `bytes` is the removed size. */
  readonly requestedBytes: bigint;
  /** TO_DEVICE, FROM_DEVICE or BIDIRECTIONAL; empty if the line has none. */
  readonly direction: string;
  /** Entries of a scatter list; dma_unmap_sg has none. */
  readonly list: readonly (readonly [address: bigint, bytes: bigint])[];
  /** Key of a scatter list for its unmap: its first physical address. Empty otherwise. */
  readonly listKey: string;
}

export interface FaultEvent extends Place {
  readonly kind: 'fault';
  readonly device: string;
  readonly address: bigint;
}

/** Lost events of one CPU: between its event at line `from` and this line. */
export interface LostEvent extends Place {
  readonly kind: 'lost';
  readonly from: number;
}

export type FtraceEvent = MappingEvent | FaultEvent | LostEvent;

/** Lines that are not events, and gaps of the recording. */
export interface RecordingNotes {
  /** Number of lines that are not events, and the first of them. */
  readonly unreadable_lines: number;
  readonly first_unreadable_line: number;
  /** Mapping events without a CPU. */
  readonly without_cpu: number;
  /** Gaps, and the number of lost events if it is known. */
  readonly gaps: readonly { readonly line: number; readonly events: number | null }[];
  readonly gap_count: number;
  /** Devices that were attached to a domain. */
  readonly attached_devices: number;
}

const NAME =
  /(?:^|[\s:])(map|unmap|io_page_fault|attach_device_to_domain|dma_(?:map|unmap)_(?:page|phys|resource|sg)|dma_(?:alloc|free)(?:_pages|_sgt)?):\s+(\S.*)$/i;
const CPU = /\[(\d{1,5})\]/;
/** CPU and flags without brackets, as with the option latency-format. */
const LATENCY_CPU = /\s(\d{1,5})[dDbX.][nNpPbBgGlLtT.][hHsSzZ.][0-9a-f.]\S{0,2}\s/;
const IOVA = /(?:^|\s)iova=0x([0-9a-f]{1,16})(?:\s|$)/i;
const LOST = /^\s*CPU:\s*(\d{1,5})\s+\[(?:LOST\s+)?(?:(\d+)\s+)?EVENTS(?:\s+DROPPED)?\]/i;
const PERF_LOST = /\bPERF_RECORD_LOST(?:_SAMPLES)?\b.*?\blost\s+(\d+)/;
/** A line of the kernel log. */
const LOG = /^\s*(?:<\d+>)?\[\s*\d+\.\d+\]|\skernel:\s/;
/** Known lines: events of any kind, call chains, comments, and the header of trace-cmd. */
const KNOWN = [
  /\d+\.\d+:\s+\S/,
  /\d+(?:us)?\s?[!+#*@$]?\s*:\s+\S/,
  /^\s*=>/,
  /^\s+[0-9a-f]{6,16}\s/,
  /^\s*(?:#|$)/,
  /^(?:version = |CPU \d+ is empty|cpus=\d)/,
];

const SHOWN_GAPS = 5;
const BUFFER = 1 << 20;
const LONGEST_LINE = 1 << 13;
const END = 1n << 64n;
/** The address of a failed mapping (DMA_MAPPING_ERROR). */
const MAPPING_ERROR = END - 1n;

/** Lines of a text, reading one buffer at a time. */
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

const FIELD = Object.fromEntries(
  [
    'size',
    'unmapped_size',
    'device',
    'dev',
    'dir',
    'dma_addr',
    'dma_addrs',
    'sizes',
    'phys_addrs',
  ].map((name) => [name, new RegExp(`(?:^|\\s)${name}=(\\{[^}]*\\}?|\\S+)`)]),
);

/** The text after `name=`, up to a blank or, for a list, its end. */
const fieldOf = (body: string, name: string): string | null => FIELD[name]?.exec(body)?.[1] ?? null;

function number(written: string | null): bigint | null {
  return written !== null && /^(?:0x[0-9a-f]{1,16}|\d{1,20})$/i.test(written)
    ? BigInt(written)
    : null;
}

const hex = (written: string | null): bigint | null =>
  written === null ? null : number(`0x${written.replace(/^0x/i, '')}`);

/** Numbers of `{0x1000,0x2000}`. */
const listOf = (written: string | null): bigint[] =>
  (written ?? '')
    .replace(/[{}]/g, '')
    .split(',')
    .map((one) => number(one.trim()))
    .filter((one) => one !== null);

const NOTHING = { device: '', requestedBytes: 0n, direction: '', list: [], listKey: '' };

function checkEnd(line: number, address: bigint, bytes: bigint): void {
  if (address + bytes <= END) return;
  throw new TraceError(
    line,
    `I/O addresses have 64 bits; the ${quote(String(bytes))} bytes from ${quote(`0x${address.toString(16)}`)} on end beyond.`,
  );
}

/** Parses iommu:map or iommu:unmap; null if it cannot be read. */
function iommuEvent(place: Place, name: string, body: string): MappingEvent | null {
  if (!/^IOMMU:/i.test(body)) return null;
  const address = hex(IOVA.exec(body)?.[1] ?? null);
  const requestedBytes = number(fieldOf(body, 'size'));
  const kind = name === 'map' ? 'map' : 'unmap';
  const bytes =
    (kind === 'unmap' ? number(fieldOf(body, 'unmapped_size')) : null) ?? requestedBytes;
  if (address === null || bytes === null || (kind === 'map' && bytes === 0n)) return null;
  checkEnd(place.line, address, bytes);
  const device = fieldOf(body, 'dev') ?? fieldOf(body, 'device') ?? '';
  return {
    ...NOTHING,
    ...place,
    kind,
    level: 'iommu',
    device,
    address,
    bytes,
    requestedBytes: requestedBytes ?? bytes,
  };
}

/** Parses a call of the DMA interface; null if it cannot be read, 'failed' if the mapping failed. */
function dmaEvent(place: Place, name: string, body: string): MappingEvent | 'failed' | null {
  const kind = /^dma_(?:map|alloc)/.test(name) ? 'map' : 'unmap';
  const [device = ''] = /^[^\s=]+(?=\s)/.exec(body) ?? [];
  const direction = fieldOf(body, 'dir') ?? '';
  const about = { ...NOTHING, ...place, kind, level: 'dma', device, direction } as const;
  if (name.endsWith('_sg')) {
    const [listKey] = listOf(fieldOf(body, 'phys_addrs'));
    const [addresses, sizes] = [listOf(fieldOf(body, 'dma_addrs')), listOf(fieldOf(body, 'sizes'))];
    if (listKey === undefined || (kind === 'map' && addresses.length === 0)) return null;
    const list = addresses.map((address, i) => [address, sizes[i] ?? 0n] as const);
    for (const [address, bytes] of list) checkEnd(place.line, address, bytes);
    const bytes = sizes.reduce((all, one) => all + one, 0n);
    const address = addresses[0] ?? 0n;
    return { ...about, address, bytes, requestedBytes: bytes, list, listKey: listKey.toString(16) };
  }
  const [address, bytes] = [hex(fieldOf(body, 'dma_addr')), number(fieldOf(body, 'size'))];
  if (address === null || bytes === null) return null;
  if (address === MAPPING_ERROR || /\svirt_addr=(?:\(null\)|0+)\s/.test(body)) return 'failed';
  checkEnd(place.line, address, bytes);
  return { ...about, address, bytes, requestedBytes: bytes };
}

function faultEvent(place: Place, body: string): FaultEvent | null {
  const address = hex(IOVA.exec(body)?.[1] ?? null);
  if (address === null) return null;
  const [, device = ''] = /^IOMMU:\S*\s+([^\s=]+)\s/i.exec(body) ?? [];
  return { ...place, kind: 'fault', device, address };
}

/** What a text without mapping events probably is, judging by its lines. */
interface Looks {
  wrapped: number;
  raw: number;
  log: number;
  events: number;
}

function whatItIs({ wrapped, raw, log, events }: Looks): TraceError {
  if (wrapped)
    return new TraceError(
      wrapped,
      'The lines are wrapped: this event continues on the next line. Save the text without wrapping, straight to a file.',
    );
  if (raw)
    return new TraceError(
      raw,
      'Events are printed raw here. Run "trace-cmd report" without -R, or set the trace option "raw" to 0.',
    );
  if (log)
    return new TraceError(
      log,
      'This is the kernel\'s log (dmesg), which has no events. Record them: "trace-cmd record -e iommu", then "trace-cmd report".',
    );
  if (events)
    return new TraceError(
      events,
      'There are events here, but none of iommu or dma. Record them: "trace-cmd record -e iommu -e dma".',
    );
  return new TraceError(
    1,
    'The file holds neither an operation trace nor iommu map and unmap events.',
  );
}

/** Parser of one text. Its notes are complete after the last event. */
export class FtraceText {
  #line = 0;
  #events = 0;
  #unreadable = 0;
  #firstUnreadable = 0;
  #withoutCpu = 0;
  #gapCount = 0;
  readonly #gaps: { line: number; events: number | null }[] = [];
  readonly #attached = new Set<string>();
  /** Line of the last event of each CPU. */
  readonly #last = new Map<number, number>();
  readonly #looks: Looks = { wrapped: 0, raw: 0, log: 0, events: 0 };

  constructor(private readonly source: ByteSource) {}

  get notes(): RecordingNotes {
    return {
      unreadable_lines: this.#unreadable,
      first_unreadable_line: this.#firstUnreadable,
      without_cpu: this.#withoutCpu,
      gaps: this.#gaps,
      gap_count: this.#gapCount,
      attached_devices: this.#attached.size,
    };
  }

  /**
   * The events in order of the text.
   * @throws {TraceError} also if there are none
   */
  *events(): Generator<FtraceEvent> {
    for (const text of linesOf(this.source)) {
      this.#line++;
      if (text.length > LONGEST_LINE)
        throw new TraceError(
          this.#line,
          `A line of ftrace has at most ${LONGEST_LINE} characters; this one has more.`,
        );
      const event = this.#read(text);
      if (event) yield event;
    }
    if (this.#events === 0) throw whatItIs(this.#looks);
  }

  #read(text: string): FtraceEvent | null {
    const lost = LOST.exec(text);
    if (lost) return this.#gap(Number(lost[1]), lost[2]);
    const cpu = this.#cpuOf(text);
    const perf = PERF_LOST.exec(text);
    if (perf) return this.#gap(cpu ?? 0, perf[1]);
    const [, name = '', body = ''] = (LOG.test(text) ? null : NAME.exec(text)) ?? [];
    const event = name ? this.#named(name.toLowerCase(), body.trimEnd(), cpu) : null;
    if (cpu !== null) this.#last.set(cpu, this.#line);
    if (!event && !name) this.#other(text);
    return event;
  }

  #cpuOf(text: string): number | null {
    const end = text.indexOf(': ');
    const head = end < 0 ? text : text.slice(0, end);
    const found = CPU.exec(head) ?? LATENCY_CPU.exec(head);
    return found ? Number(found[1]) : null;
  }

  #gap(cpu: number, written: string | undefined): LostEvent {
    const line = this.#line;
    const events = written === undefined ? null : Number(written);
    this.#gapCount++;
    if (this.#gaps.length < SHOWN_GAPS) this.#gaps.push({ line, events });
    return { kind: 'lost', line, cpu, from: this.#last.get(cpu) ?? 0 };
  }

  #named(name: string, body: string, cpu: number | null): FtraceEvent | null {
    const place = { line: this.#line, cpu: cpu ?? 0 };
    if (name === 'attach_device_to_domain') {
      this.#attached.add(fieldOf(body, 'device') ?? body);
      return null;
    }
    const event =
      name === 'io_page_fault'
        ? faultEvent(place, body)
        : name.startsWith('dma_')
          ? dmaEvent(place, name, body)
          : iommuEvent(place, name, body);
    if (event === null) this.#partly(body);
    if (event === null || event === 'failed') return null;
    this.#events++;
    if (cpu === null) this.#withoutCpu++;
    return event;
  }

  /** A line that names an event but lacks its fields. */
  #partly(body: string): void {
    this.#skip();
    if (/^iova=0x/i.test(body)) this.#looks.raw ||= this.#line;
    else this.#looks.wrapped ||= this.#line;
  }

  #other(text: string): void {
    if (LOG.test(text)) {
      this.#looks.log ||= this.#line;
      this.#skip();
    } else if (!KNOWN.some((form) => form.test(text))) this.#skip();
    else if (KNOWN[0]?.test(text)) this.#looks.events ||= this.#line;
  }

  #skip(): void {
    this.#unreadable++;
    this.#firstUnreadable ||= this.#line;
  }
}
