/**
 * A pattern: who asked for how many pages when, and when they came back, without the entries that some
 * allocator chose. It is read from an operation trace or from a real machine's ftrace text, step by step, and
 * can then be run through any policy.
 */
import { MOST_ENTRIES } from '../../engine/maps';
import { type FtraceEvent, ftraceEvents } from './ftrace';
import { Owners, type PatternStep, TooTangled } from './map-owners';
import { type ByteSource, FIELD, TraceError, TraceReader } from './map-trace';
import { beyondTable, checkInputs, readInit, type TraceInit } from './trace-rules';

export interface Pattern {
  readonly source: 'trace' | 'ftrace';
  readonly name: string;
  /** The table of an operation trace; ftrace text does not tell. */
  readonly init: TraceInit | null;
  /** Read as they are asked for, once. @throws {TraceError} */
  readonly steps: Iterable<PatternStep>;
  /** Returns of what was not seen to be taken, so far. */
  readonly leftOut: () => number;
}

/** Says of what cannot be followed where it is. */
function atLine<T>(line: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof TooTangled ? new TraceError(line, error.message) : error;
  }
}

function* traceSteps(reader: TraceReader, init: TraceInit, owners: Owners): Generator<PatternStep> {
  const base = Number(init.base);
  for (let kind = reader.next(); kind !== 'end-of-file'; kind = reader.next()) {
    if (kind === 'state') continue;
    checkInputs(kind, reader);
    const { fields, line } = reader;
    const number = (field: number) => fields[field] ?? 0;
    const pages = number(FIELD.n);
    if (kind !== 'alloc') {
      const entry =
        kind === 'free' ? number(FIELD.e) : Math.floor((number(FIELD.d) - base) / 2 ** init.shift);
      yield* atLine(line, () => owners.give(0, entry, pages));
      continue;
    }
    if (!reader.has('r'))
      throw new TraceError(line, 'Without "r" it cannot be told what is freed later.');
    const [cpu, entry] = [number(FIELD.c), number(FIELD.r)];
    if (entry >= 0 && entry + pages > init.entries) throw beyondTable(line, init);
    const fails = entry < 0 || pages === 0;
    yield fails ? owners.attempt(cpu, pages) : atLine(line, () => owners.take(cpu, entry, pages));
  }
}

function fromTrace(source: ByteSource): Pattern {
  const reader = new TraceReader(source);
  const init = readInit(reader);
  const owners = new Owners();
  const steps = traceSteps(reader, init, owners);
  return { source: 'trace', name: init.name, init, steps, leftOut: () => owners.leftOut };
}

/** Pages that a range of addresses touches. */
function pagesOf({ address, bytes }: FtraceEvent, shift: bigint) {
  const place = address >> shift;
  const beyond = (address + bytes + (1n << shift) - 1n) >> shift;
  return { place: Number(place), pages: Number(beyond - place) };
}

/** A mapping that may go on with the next event. */
interface Mapping {
  readonly step: PatternStep;
  readonly event: FtraceEvent;
}

function takeMapped(
  owners: Owners,
  event: FtraceEvent,
  shift: bigint,
  before: PatternStep | null,
): Mapping {
  const { place, pages } = pagesOf(event, shift);
  if (pages + (before?.pages ?? 0) > MOST_ENTRIES)
    throw new TraceError(
      event.line,
      `A mapping has at most ${MOST_ENTRIES} pages of ${1n << shift} B, as many as the largest table; this one has more.`,
    );
  const step = atLine(event.line, () =>
    before ? owners.extend(before, place, pages) : owners.take(event.cpu, place, pages),
  );
  return { step, event };
}

const goesOn = (last: FtraceEvent, event: FtraceEvent) =>
  event.kind === 'map' && last.cpu === event.cpu && last.address + last.bytes === event.address;

/**
 * Map events of one CPU that go on where the last one ended belong to one mapping: the kernel reports a
 * scattered list piece by piece, and takes it back in one. So a mapping is told when the next event is known.
 */
function* ftraceSteps(
  events: Iterable<FtraceEvent>,
  shift: bigint,
  owners: Owners,
): Generator<PatternStep> {
  let seen = false;
  let last: Mapping | null = null;
  for (const event of events) {
    seen = true;
    const before: PatternStep | null = last && goesOn(last.event, event) ? last.step : null;
    if (last && !before) yield last.step;
    last = event.kind === 'map' ? takeMapped(owners, event, shift, before) : null;
    if (last) continue;
    const { place, pages } = pagesOf(event, shift);
    yield* atLine(event.line, () => owners.give(event.cpu, place, pages));
  }
  if (last) yield last.step;
  if (!seen)
    throw new TraceError(
      1,
      'The file holds neither an operation trace nor iommu map and unmap events.',
    );
}

function fromFtrace(source: ByteSource, pageBytes: number, name: string): Pattern {
  const owners = new Owners();
  const steps = ftraceSteps(ftraceEvents(source), BigInt(Math.log2(pageBytes)), owners);
  return { source: 'ftrace', name, init: null, steps, leftOut: () => owners.leftOut };
}

const OPEN_BRACE = 123;
const isSpace = (byte: number | undefined) =>
  byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** Whether a file, by its first bytes, holds JSON lines, as operation traces do. */
export function isTrace(beginning: Uint8Array): boolean {
  let at = 0;
  while (isSpace(beginning[at])) at++;
  return beginning[at] === OPEN_BRACE;
}

/**
 * Reads a pattern: from an operation trace, or else from ftrace text, whose pages have a power of two of bytes.
 * @throws {TraceError} for a file that holds none
 */
export const readPattern = (
  source: ByteSource,
  trace: boolean,
  pageBytes: number,
  name: string,
): Pattern => (trace ? fromTrace(source) : fromFtrace(source, pageBytes, name));
