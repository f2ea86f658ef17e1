/**
 * A recorded run against the contract of the mapping interface: is each mapping given back once, where it
 * begins, and is all given back in the end? Directions, dma_sync and lines are not in such recordings.
 */
import { ContractBooks, DOUBLE_UNMAP } from '../../engine/contract';
import { ftraceEvents } from './ftrace';
import { type ByteSource, FIELD, TraceError, TraceReader } from './map-trace';
import { beyondTable, checkInputs, readInit } from './trace-rules';

interface RecordedCall {
  readonly line: number;
  readonly kind: 'map' | 'unmap';
  readonly address: bigint;
  readonly bytes: bigint;
}

/** Two calls that do not go together. */
interface ContractFinding {
  readonly finding: 'double_unmap' | 'unknown_address';
  readonly line: number;
  readonly address: string;
  /** The line of the other call: the first return, or the mapping that the address lies in. */
  readonly first_line: number;
}

export interface ContractReport {
  readonly calls: number;
  readonly most_mappings: number;
  readonly findings: number;
  readonly double_unmaps: number;
  readonly unknown_addresses: number;
  /** Returns of what was mapped before the recording began. */
  readonly not_seen: number;
  /** Mappings that were there at its end, and the lines of the oldest. */
  readonly still_mapped: number;
  readonly oldest_lines: readonly number[];
  /** Mappings for which there was no room. */
  readonly not_followed: number;
  /** The first findings. */
  readonly shown: readonly ContractFinding[];
}

const SHOWN = 20;
const OLDEST = 5;
const ADDRESSES_END = 1n << 64n;

function* traceCalls(source: ByteSource): Generator<RecordedCall> {
  const reader = new TraceReader(source);
  const init = readInit(reader);
  const page = 1n << BigInt(init.shift);
  for (let kind = reader.next(); kind !== 'end-of-file'; kind = reader.next()) {
    if (kind === 'state') continue;
    checkInputs(kind, reader);
    const { fields, line } = reader;
    const whole = (field: number) => BigInt(fields[field] ?? 0);
    const bytes = whole(FIELD.n) * page;
    if (kind === 'alloc' && !reader.has('r'))
      throw new TraceError(line, 'Without "r" it cannot be told what is freed later.');
    const entry = kind === 'alloc' ? whole(FIELD.r) : whole(FIELD.e);
    if (bytes === 0n || (kind === 'alloc' && entry < 0n)) continue;
    if (kind === 'alloc' && entry + whole(FIELD.n) > BigInt(init.entries))
      throw beyondTable(line, init);
    const byEntry = kind === 'alloc' || kind === 'free';
    const address = byEntry ? init.base + entry * page : whole(FIELD.d);
    if (address + bytes > ADDRESSES_END)
      throw new TraceError(line, 'I/O addresses have 64 bits; the pages given back end beyond.');
    yield { line, kind: kind === 'alloc' ? 'map' : 'unmap', address, bytes };
  }
}

class Checked {
  calls = 0;
  doubles = 0;
  unknown = 0;
  notSeen = 0;
  readonly shown: ContractFinding[] = [];

  constructor(private readonly books: ContractBooks) {}

  take(call: RecordedCall): void {
    this.calls++;
    if (call.kind === 'map') this.books.map(call.address, call.bytes, call.line);
    else this.#giveBack(call);
  }

  /** What is given back in one call may have been mapped piece by piece, and a piece may stay. */
  #giveBack({ line, address, bytes }: RecordedCall): void {
    const end = address + bytes;
    for (let at = address; at < end; ) {
      const returned = this.books.unmap(at, line);
      if (returned.bytes === 0n) {
        this.#amiss(line, at, returned.finding, returned.first);
        return;
      }
      at += returned.bytes;
      if (at > end) this.books.map(end, at - end, line);
    }
  }

  #amiss(line: number, at: bigint, finding: number, first: number): void {
    const double = finding === DOUBLE_UNMAP;
    if (!double && first === 0) {
      this.notSeen++;
      return;
    }
    if (double) this.doubles++;
    else this.unknown++;
    if (this.shown.length === SHOWN) return;
    const name = double ? 'double_unmap' : 'unknown_address';
    this.shown.push({ finding: name, line, address: `0x${at.toString(16)}`, first_line: first });
  }
}

/** @throws {TraceError} for a file that is no recording */
export function checkRecorded(
  module: WebAssembly.Module,
  source: ByteSource,
  trace: boolean,
): ContractReport {
  const books = new ContractBooks(module);
  const checked = new Checked(books);
  for (const call of trace ? traceCalls(source) : ftraceEvents(source)) checked.take(call);
  if (checked.calls === 0)
    throw new TraceError(
      1,
      'The file holds neither an operation trace nor iommu map and unmap events.',
    );
  const lines = [...books.live()].map(({ place }) => place).sort((a, b) => a - b);
  const { calls, doubles, unknown, notSeen, shown } = checked;
  return {
    calls,
    most_mappings: books.most,
    findings: doubles + unknown,
    double_unmaps: doubles,
    unknown_addresses: unknown,
    not_seen: notSeen,
    still_mapped: lines.length,
    oldest_lines: lines.slice(0, OLDEST),
    not_followed: books.beyond,
    shown,
  };
}
