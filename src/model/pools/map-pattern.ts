/**
 * A pattern: requests and releases of pages over time, without the entries chosen by the recorded allocator. It is
 * read step by step from an operation trace or an ftrace text, and can be run with any policy.
 */
import { FtraceText, type RecordingNotes } from './ftrace';
import { EntryOwners, type PatternStep } from './map-owners';
import { type ByteSource, FIELD, TraceError, TraceReader } from './map-trace';
import { beyondTable, checkInputs, readInit, type TraceInit } from './map-trace-rules';
import { atLine, recordedSteps } from './recorded-steps';

export interface Pattern {
  readonly source: 'trace' | 'ftrace';
  readonly name: string;
  /** The table of an operation trace; null for ftrace text. */
  readonly init: TraceInit | null;
  /**
   * The steps; can be iterated once.
   * @throws {TraceError}
   */
  readonly steps: Iterable<PatternStep>;
  /** Number of releases without a known allocation, so far. */
  readonly leftOut: () => number;
  /** Number of requests with a mask or an alignment, so far; a pattern has neither. */
  readonly limited: () => number;
  /** Notes on an ftrace text, after its steps have been read; null for an operation trace. */
  readonly notes: () => RecordingNotes | null;
}

function* traceSteps(
  reader: TraceReader,
  init: TraceInit,
  owners: EntryOwners,
  onLimited: () => void,
): Generator<PatternStep> {
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
    if (!reader.has('r')) throw new TraceError(line, 'Without "r" later frees cannot be matched.');
    if (reader.has('m') || (reader.has('o') && number(FIELD.o) > 0)) onLimited();
    const [cpu, entry] = [number(FIELD.c), number(FIELD.r)];
    if (entry >= 0 && entry + pages > init.entries) throw beyondTable(line, init);
    const fails = entry < 0 || pages === 0;
    yield fails ? owners.attempt(cpu, pages) : atLine(line, () => owners.take(cpu, entry, pages));
  }
}

function fromTrace(source: ByteSource): Pattern {
  const reader = new TraceReader(source);
  const init = readInit(reader);
  const owners = new EntryOwners();
  let limited = 0;
  const steps = traceSteps(reader, init, owners, () => limited++);
  return {
    source: 'trace',
    name: init.name,
    init,
    steps,
    leftOut: () => owners.leftOut,
    limited: () => limited,
    notes: () => null,
  };
}

function fromFtrace(source: ByteSource, pageBytes: number, name: string): Pattern {
  const owners = new EntryOwners();
  const text = new FtraceText(source);
  const steps = recordedSteps(text.events(), Math.log2(pageBytes), owners);
  const notes = () => text.notes;
  const leftOut = () => owners.leftOut;
  return { source: 'ftrace', name, init: null, steps, leftOut, limited: () => 0, notes };
}

const OPEN_BRACE = 123;
const isSpace = (byte: number | undefined) =>
  byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** Whether a file starts like JSON lines, the format of operation traces. */
export function isTrace(beginning: Uint8Array): boolean {
  let at = 0;
  while (isSpace(beginning[at])) at++;
  return beginning[at] === OPEN_BRACE;
}

/**
 * Reads a pattern from an operation trace, otherwise from ftrace text with pages of `pageBytes`, a power of two.
 * @throws {TraceError} for a file that contains neither
 */
export const readPattern = (
  source: ByteSource,
  trace: boolean,
  pageBytes: number,
  name: string,
): Pattern => (trace ? fromTrace(source) : fromFtrace(source, pageBytes, name));
