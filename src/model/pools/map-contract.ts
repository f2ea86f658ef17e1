/**
 * Checks a recorded run against the contract of the mapping interface: each mapping is unmapped once, as it was
 * mapped, is not used afterwards, and none is left at the end.
 *
 *     iommu:map, unmap --> one table per named device, or one for all   --+
 *     dma: calls       --> calls of each device                              +--> findings and notes
 *     io_page_fault    --> earlier unmaps there                         --+
 *
 * A finding compares two lines. It is dropped if events were lost between them. Events that may be correct,
 * or cannot be decided, are notes and not findings.
 */
import {
  type FaultEvent,
  type FtraceEvent,
  FtraceText,
  type LostEvent,
  type MappingEvent,
  type RecordingNotes,
} from './ftrace';
import { type ByteSource, FIELD, TraceError, TraceReader } from './map-trace';
import { beyondTable, checkInputs, readInit, type TraceInit } from './map-trace-rules';
import { type CallFault, RecordedCalls } from './recorded-calls';
import { RecordedTable } from './recorded-table';

interface RecordedCall {
  readonly line: number;
  readonly kind: 'map' | 'unmap';
  readonly address: bigint;
  readonly bytes: bigint;
}

export interface ContractFinding {
  readonly finding: CallFault | 'nothing_unmapped' | 'after_unmap';
  readonly line: number;
  readonly address: string;
  /** The line of the other call: the first unmap, or the mapping. 0 if none. */
  readonly first_line: number;
  /** Set if the recording names the device. */
  readonly device?: string;
  readonly detail?: string;
}

/** A category of notes: its count, and its first lines. */
interface Remark {
  readonly count: number;
  /** The line, and that of the related mapping (0 if none). */
  readonly lines: readonly (readonly [line: number, first_line: number])[];
}

export interface ContractReport {
  readonly calls: number;
  readonly most_mappings: number;
  readonly findings: number;
  readonly double_unmaps: number;
  readonly unknown_addresses: number;
  /** The kernel reports that an unmap found nothing, and no earlier unmap is known. */
  readonly nothing_unmapped: number;
  /** Device faults at addresses whose mapping was removed. */
  readonly after_unmaps: number;
  readonly wrong_directions: number;
  readonly wrong_sizes: number;
  /** Unmaps of mappings made before the recording started, or where events were lost. */
  readonly not_seen: number;
  /** Mappings left at the end, and the lines of the oldest. */
  readonly still_mapped: number;
  readonly oldest_lines: readonly number[];
  /** Mappings that were not tracked because the table was full. */
  readonly not_followed: number;
  /** Unmaps that removed less than requested. */
  readonly short_unmaps: Remark;
  /** Mappings that were first unmapped only in part. */
  readonly partial_unmaps: Remark;
  /** Addresses mapped again while still mapped: more than one domain, or a breach. */
  readonly mapped_again: Remark;
  /** Device faults at addresses that are mapped, or unknown to the recording. */
  readonly other_faults: Remark;
  /** Findings dropped because events were lost in between. */
  readonly across_gaps: number;
  /** Notes on the recording; null for an operation trace. */
  readonly recording: RecordingNotes | null;
  /** The first findings. */
  readonly shown: readonly ContractFinding[];
}

const SHOWN = 20;
const OLDEST = 5;
/** I/O page tables have pages of at least 4 KiB. */
const PAGE_SHIFT = 12;
const ADDRESSES_END = 1n << 64n;
/** Reported by the kernel itself, so valid even if events were lost. */
const KERNELS_WORD = 'unmapped_size=0';

function* traceCalls(reader: TraceReader, init: TraceInit): Generator<RecordedCall> {
  const page = 1n << BigInt(init.shift);
  for (let kind = reader.next(); kind !== 'end-of-file'; kind = reader.next()) {
    if (kind === 'state') continue;
    checkInputs(kind, reader);
    const { fields, line } = reader;
    const whole = (field: number) => BigInt(fields[field] ?? 0);
    const bytes = whole(FIELD.n) * page;
    if (kind === 'alloc' && !reader.has('r'))
      throw new TraceError(line, 'Without "r" later frees cannot be matched.');
    const entry = kind === 'alloc' ? whole(FIELD.r) : whole(FIELD.e);
    if (bytes === 0n || (kind === 'alloc' && entry < 0n)) continue;
    if (kind === 'alloc' && entry + whole(FIELD.n) > BigInt(init.entries))
      throw beyondTable(line, init);
    const byEntry = kind === 'alloc' || kind === 'free';
    const address = byEntry ? init.base + entry * page : whole(FIELD.d);
    if (address + bytes > ADDRESSES_END)
      throw new TraceError(line, 'I/O addresses have 64 bits; the pages unmapped end beyond.');
    yield { line, kind: kind === 'alloc' ? 'map' : 'unmap', address, bytes };
  }
}

class Remarks {
  count = 0;
  readonly lines: [number, number][] = [];

  add(line: number, first: number): void {
    this.count++;
    if (this.lines.length < OLDEST) this.lines.push([line, first]);
  }

  get note(): Remark {
    return { count: this.count, lines: this.lines };
  }
}

/** Position of a finding. */
interface Found {
  readonly line: number;
  readonly address: bigint;
  readonly device?: string;
}

const hex = (address: bigint) => `0x${address.toString(16)}`;

class Checked {
  calls = 0;
  notSeen = 0;
  acrossGaps = 0;
  readonly findings: ContractFinding[] = [];
  readonly short = new Remarks();
  readonly partial = new Remarks();
  readonly again = new Remarks();
  readonly faults = new Remarks();
  readonly #tables = new Map<string, RecordedTable>();
  readonly #dma = new RecordedCalls();
  /** Line at which events were last lost. */
  #since = 0;

  /** @param strict whether a mapping may be unmapped only from its start */
  constructor(
    private readonly shift = PAGE_SHIFT,
    private readonly base = 0n,
    private readonly strict = false,
  ) {}

  take(event: FtraceEvent): void {
    if (event.kind === 'lost') this.#lost(event);
    else if (event.kind === 'fault') this.#fault(event);
    else if (event.level === 'dma') this.#call(event);
    else this.#entries(event);
  }

  #entries(event: MappingEvent): void {
    this.call(event, event.device, event.cpu);
    if (event.kind === 'unmap' && event.bytes === 0n) this.#nothing(event);
    else if (event.bytes < event.requestedBytes) this.short.add(event.line, 0);
  }

  /** A mapping of pages that is made or removed. */
  call({ kind, line, address, bytes }: RecordedCall, device = '', cpu = 0): void {
    this.calls++;
    if (bytes === 0n) return;
    const table = this.#table(device);
    const [start, end] = this.#pages(address, bytes);
    if (kind === 'map') {
      const across = table.map(start, end, line, cpu, this.#since);
      if (across) this.again.add(line, across);
      return;
    }
    const { parts, inside, missing } = table.unmap(start, end, line, cpu);
    if (inside && this.strict) this.#find('unknown_address', { line, address, device }, inside);
    else for (const first of parts) this.partial.add(line, first);
    const twice = missing.find((one) => one.line > 0);
    if (twice) {
      const at = twice.page === start ? address : this.#address(twice.page);
      this.#find('double_unmap', { line, address: at, device }, twice.line);
    } else if (missing.length > 0) this.notSeen++;
  }

  #table(device: string): RecordedTable {
    const known = this.#tables.get(device);
    if (known) return known;
    const table = new RecordedTable();
    this.#tables.set(device, table);
    return table;
  }

  #pages(address: bigint, bytes: bigint): [number, number] {
    const shift = BigInt(this.shift);
    const from = address - this.base;
    return [Number(from >> shift), Number((from + bytes + (1n << shift) - 1n) >> shift)];
  }

  #address = (page: number) => (BigInt(page) << BigInt(this.shift)) + this.base;

  /** The kernel reports that an unmap found nothing mapped. */
  #nothing(event: MappingEvent): void {
    const { device, address, requestedBytes } = event;
    const [start, end] = this.#pages(address, requestedBytes || 1n);
    const before = this.#table(device).unmappedAt(start, end);
    if (before) this.#find('double_unmap', event, before.line, KERNELS_WORD);
    else this.#find('nothing_unmapped', event, 0, KERNELS_WORD);
  }

  #call(event: MappingEvent): void {
    this.calls++;
    if (event.kind === 'map') {
      this.#dma.map(event);
      return;
    }
    const found = this.#dma.unmap(event, this.#since);
    if (found === null) this.#unseenCalls++;
    for (const { finding, first_line, detail } of found ?? [])
      this.#find(finding, event, first_line, detail);
  }

  #unseenCalls = 0;

  #fault(event: FaultEvent): void {
    const { line, device, address } = event;
    const tables = [device, ''].flatMap((name) => this.#tables.get(name) ?? []);
    const [page] = this.#pages(address, 1n);
    const live = tables.map((table) => table.mappedAt(page)).find((at) => at > 0) ?? 0;
    const table = tables.map((one) => one.unmappedAt(page, page + 1)?.line).find((at) => at) ?? 0;
    const unmapped = table || this.#dma.unmappedAt(device, address);
    if (unmapped && !live) this.#find('after_unmap', event, unmapped);
    else this.faults.add(line, live);
  }

  /** Drops findings that span the gap; unmaps before it cause no findings. */
  #lost({ line, from }: LostEvent): void {
    const { findings } = this;
    let first = findings.length;
    while (first > 0 && (findings[first - 1]?.line ?? 0) > from) first--;
    const doubtful = findings.splice(first);
    const kept = doubtful.filter(({ detail }) => detail === KERNELS_WORD);
    this.acrossGaps += doubtful.length - kept.length;
    findings.push(...kept);
    for (const table of this.#tables.values()) table.forget();
    this.#dma.forget();
    this.#since = line;
  }

  #find(
    finding: ContractFinding['finding'],
    { line, address, device = '' }: Found,
    first_line: number,
    detail = '',
  ): void {
    const more = { ...(device && { device }), ...(detail && { detail }) };
    this.findings.push({ finding, line, address: hex(address), first_line, ...more });
  }

  /** Mappings of the page tables or, if the recording has none, those of the calls. */
  get mappings() {
    const tables = [...this.#tables.values()];
    const sum = (of: (table: RecordedTable) => number) =>
      tables.reduce((all, table) => all + of(table), 0);
    const dma = this.#dma;
    const own = tables.length > 0;
    return {
      most: own ? sum(({ most }) => most) : dma.most,
      notFollowed: sum(({ notFollowed }) => notFollowed) + dma.notFollowed,
      notSeen: own ? this.notSeen : this.#unseenCalls,
      lines: own ? tables.flatMap(({ lines }) => lines) : dma.lines,
    };
  }
}

function reportOf(checked: Checked, recording: RecordingNotes | null): ContractReport {
  const { calls, findings, mappings, short, partial, again, faults, acrossGaps } = checked;
  const lines = mappings.lines.sort((a, b) => a - b);
  const count = (name: ContractFinding['finding']) =>
    findings.filter(({ finding }) => finding === name).length;
  return {
    calls,
    most_mappings: mappings.most,
    findings: findings.length,
    double_unmaps: count('double_unmap'),
    unknown_addresses: count('unknown_address'),
    nothing_unmapped: count('nothing_unmapped'),
    after_unmaps: count('after_unmap'),
    wrong_directions: count('wrong_direction'),
    wrong_sizes: count('wrong_size'),
    not_seen: mappings.notSeen,
    still_mapped: lines.length,
    oldest_lines: lines.slice(0, OLDEST),
    not_followed: mappings.notFollowed,
    short_unmaps: short.note,
    partial_unmaps: partial.note,
    mapped_again: again.note,
    other_faults: faults.note,
    across_gaps: acrossGaps,
    recording,
    shown: findings.slice(0, SHOWN),
  };
}

/** @throws {TraceError} for a file that is not a recording */
export function checkRecorded(source: ByteSource, trace: boolean): ContractReport {
  if (!trace) {
    const [checked, text] = [new Checked(), new FtraceText(source)];
    for (const event of text.events()) checked.take(event);
    return reportOf(checked, text.notes);
  }
  const reader = new TraceReader(source);
  const init = readInit(reader);
  const checked = new Checked(init.shift, init.base, true);
  for (const call of traceCalls(reader, init)) checked.call(call);
  return reportOf(checked, null);
}
