/**
 * A pattern: who asked for how many pages when, and when they came back, without the entries that some
 * allocator chose. It is read from an operation trace or from a real machine's ftrace text, and can then
 * be run through any policy.
 */
import { type FtraceEvent, ftraceEvents } from './ftrace';
import {
  type ByteSource,
  FIELD,
  readInit,
  TraceError,
  type TraceInit,
  TraceReader,
} from './mapTrace';
import { checkInputs } from './replayMaps';

/**
 * An allocation; one that failed when it was recorded, and is given back at once should it succeed; or the
 * return of pages `from`..`from + pages - 1` of allocation `id`.
 */
export interface PatternStep {
  readonly kind: 'take' | 'try' | 'give';
  readonly id: number;
  readonly cpu: number;
  readonly pages: number;
  readonly from: number;
}

export interface Pattern {
  readonly source: 'trace' | 'ftrace';
  readonly name: string;
  /** The table of an operation trace; ftrace text does not tell. */
  readonly init: TraceInit | null;
  readonly steps: readonly PatternStep[];
  /** Returns of what was not seen to be taken. */
  readonly left_out: number;
}

interface Owner {
  readonly id: number;
  readonly page: number;
}

/**
 * Remembers by place which page of which allocation lies there. Several devices may have tables of their own,
 * and the same place in them; events do not tell them apart. What was mapped last is then taken back first.
 */
class Owners {
  readonly #pages = new Map<number, Owner>();
  readonly #covered = new Map<number, Owner[]>();
  readonly steps: PatternStep[] = [];
  taken = 0;
  leftOut = 0;

  take(cpu: number, place: number, pages: number): void {
    const id = this.taken++;
    for (let page = 0; page < pages; page++) this.#own(place + page, { id, page });
    this.steps.push({ kind: 'take', id, cpu, pages, from: 0 });
  }

  attempt(cpu: number, pages: number): void {
    this.steps.push({ kind: 'try', id: this.taken++, cpu, pages, from: 0 });
  }

  /** Makes the newest allocation longer. */
  extend(place: number, pages: number): void {
    const last = this.steps.at(-1);
    if (!last) return;
    for (let page = 0; page < pages; page++)
      this.#own(place + page, { id: last.id, page: last.pages + page });
    this.steps[this.steps.length - 1] = { ...last, pages: last.pages + pages };
  }

  #own(place: number, owner: Owner): void {
    const before = this.#pages.get(place);
    if (before) this.#covered.set(place, [...(this.#covered.get(place) ?? []), before]);
    this.#pages.set(place, owner);
  }

  give(cpu: number, place: number, pages: number): void {
    const before = this.steps.length;
    for (let page = place; page < place + pages; page++) {
      const owner = this.#pages.get(page);
      if (!owner) continue;
      const covered = this.#covered.get(page)?.pop();
      if (covered) this.#pages.set(page, covered);
      else this.#pages.delete(page);
      const last = this.steps.length > before ? this.steps.at(-1) : undefined;
      if (last?.id === owner.id && last.from + last.pages === owner.page)
        this.steps[this.steps.length - 1] = { ...last, pages: last.pages + 1 };
      else this.steps.push({ kind: 'give', id: owner.id, cpu, pages: 1, from: owner.page });
    }
    if (this.steps.length === before) this.leftOut++;
  }
}

function fromTrace(source: ByteSource): Pattern {
  const reader = new TraceReader(source);
  if (reader.next() !== 'state') throw new TraceError(1, 'A trace begins with "init".');
  const init = readInit(reader.state, reader.line);
  const owners = new Owners();
  const base = Number(init.base);
  for (;;) {
    const kind = reader.next();
    if (kind === 'end-of-file') break;
    if (kind === 'state') continue;
    checkInputs(kind, reader);
    const { fields } = reader;
    const number = (field: number) => fields[field] ?? 0;
    const pages = number(FIELD.n);
    if (kind === 'alloc') {
      if (!reader.has('r'))
        throw new TraceError(reader.line, 'Without "r" it cannot be told what is freed later.');
      if (number(FIELD.r) < 0) owners.attempt(number(FIELD.c), pages);
      else owners.take(number(FIELD.c), number(FIELD.r), pages);
    } else {
      const entry =
        kind === 'free' ? number(FIELD.e) : Math.floor((number(FIELD.d) - base) / 2 ** init.shift);
      owners.give(0, entry, pages);
    }
  }
  const { steps, leftOut } = owners;
  return { source: 'trace', name: init.name, init, steps, left_out: leftOut };
}

/**
 * Map events of one CPU that go on where the last one ended belong to one mapping: the kernel reports a
 * scattered list piece by piece, and takes it back in one.
 */
function fromFtrace(events: Iterable<FtraceEvent>, pageBytes: number, name: string): Pattern {
  const owners = new Owners();
  let last: FtraceEvent | null = null;
  for (const event of events) {
    const place = Math.floor(event.address / pageBytes);
    const pages = Math.max(1, Math.ceil((event.address + event.bytes) / pageBytes) - place);
    if (event.kind === 'unmap') owners.give(event.cpu, place, pages);
    else if (last && last.cpu === event.cpu && last.address + last.bytes === event.address)
      owners.extend(place, pages);
    else owners.take(event.cpu, place, pages);
    last = event.kind === 'map' ? event : null;
  }
  const { steps, leftOut } = owners;
  if (!last && steps.length + leftOut === 0)
    throw new TraceError(
      1,
      'The file holds neither an operation trace nor iommu map and unmap events.',
    );
  return { source: 'ftrace', name, init: null, steps, left_out: leftOut };
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
 * Reads a pattern: from an operation trace, or else from ftrace text.
 * @throws {TraceError} for a file that holds none
 */
export const readPattern = (
  source: ByteSource,
  trace: boolean,
  pageBytes: number,
  name: string,
): Pattern => (trace ? fromTrace(source) : fromFtrace(ftraceEvents(source), pageBytes, name));
