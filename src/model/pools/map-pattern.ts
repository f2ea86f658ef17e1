/**
 * A pattern: who asked for how many pages when, and when they came back, without the entries that some
 * allocator chose. It is read from an operation trace or from a real machine's ftrace text, step by step, and
 * can then be run through any policy.
 */
import { FtraceText, type RecordingNotes } from './ftrace';
import { EntryOwners, type PatternStep } from './map-owners';
import { type ByteSource, FIELD, TraceError, TraceReader } from './map-trace';
import { beyondTable, checkInputs, readInit, type TraceInit } from './map-trace-rules';
import { atLine, recordedSteps } from './recorded-steps';

export interface Pattern {
  readonly source: 'trace' | 'ftrace';
  readonly name: string;
  /** The table of an operation trace; ftrace text does not tell. */
  readonly init: TraceInit | null;
  /** Read as they are asked for, once. @throws {TraceError} */
  readonly steps: Iterable<PatternStep>;
  /** Returns of what was not seen to be taken, so far. */
  readonly leftOut: () => number;
  /** What else an ftrace text held, once its steps were read; null for an operation trace. */
  readonly notes: () => RecordingNotes | null;
}

function* traceSteps(
  reader: TraceReader,
  init: TraceInit,
  owners: EntryOwners,
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
  const steps = traceSteps(reader, init, owners);
  return {
    source: 'trace',
    name: init.name,
    init,
    steps,
    leftOut: () => owners.leftOut,
    notes: () => null,
  };
}

function fromFtrace(source: ByteSource, pageBytes: number, name: string): Pattern {
  const owners = new EntryOwners();
  const text = new FtraceText(source);
  const steps = recordedSteps(text.events(), Math.log2(pageBytes), owners);
  const notes = () => text.notes;
  return { source: 'ftrace', name, init: null, steps, leftOut: () => owners.leftOut, notes };
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
