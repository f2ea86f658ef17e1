/**
 * Steps of a pattern from recorded events. The kernel reports the mapping of a scatter list piece by piece, and
 * neighbours may as well be mappings of their own; how they come back decides:
 *
 *     CPU 0   map A0   map A1            map B0  map B1     pieces go on where the last one of their CPU ended
 *             unmap A0 + A1 in one       unmap B0, unmap B1
 *             one mapping of two pages   two mappings
 *
 * So all events are read first. They are kept packed: 25 bytes each, about a fifth of their text.
 */
import { MAX_ENTRIES } from '../../engine/maps';
import type { FtraceEvent, MappingEvent } from './ftrace';
import { AmbiguousPattern, EntryOwners, type PatternStep } from './map-owners';
import { TraceError } from './map-trace';

/** Says of what cannot be followed where it is. */
export function atLine<T>(line: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof AmbiguousPattern ? new TraceError(line, error.message) : error;
  }
}

/** Events that are held: 1.6 GB of them. */
const MAX_EVENTS = 1 << 26;
const FIRST_ROOM = 1 << 10;
const NONE = -1;

/** Ranges of pages that were mapped and unmapped, in their order. */
class EventLog {
  length = 0;
  #place = new Float64Array(FIRST_ROOM);
  #pages = new Float64Array(FIRST_ROOM);
  #line = new Uint32Array(FIRST_ROOM);
  #cpu = new Uint32Array(FIRST_ROOM);
  #maps = new Uint8Array(FIRST_ROOM);

  push(maps: boolean, line: number, cpu: number, place: number, pages: number): void {
    if (this.length === MAX_EVENTS)
      throw new TraceError(line, `At most ${MAX_EVENTS} events can be held; cut the recording.`);
    if (this.length === this.#line.length) this.#grow();
    const i = this.length++;
    this.#place[i] = place;
    this.#pages[i] = pages;
    this.#line[i] = line;
    this.#cpu[i] = cpu;
    this.#maps[i] = maps ? 1 : 0;
  }

  #grow(): void {
    const larger = <T extends { set(from: T): void }>(make: (n: number) => T, from: T): T => {
      const array = make(2 * this.length);
      array.set(from);
      return array;
    };
    const doubles = (n: number) => new Float64Array(n);
    const words = (n: number) => new Uint32Array(n);
    this.#place = larger(doubles, this.#place);
    this.#pages = larger(doubles, this.#pages);
    this.#line = larger(words, this.#line);
    this.#cpu = larger(words, this.#cpu);
    this.#maps = larger((n) => new Uint8Array(n), this.#maps);
  }

  place = (i: number) => this.#place[i] ?? 0;
  pages = (i: number) => this.#pages[i] ?? 0;
  line = (i: number) => this.#line[i] ?? 0;
  cpu = (i: number) => this.#cpu[i] ?? 0;
  maps = (i: number) => this.#maps[i] === 1;
  end = (i: number) => this.place(i) + this.pages(i);
}

/** The ranges of a call: of a scatter list those that its entries make, where one goes on from the other. */
function rangesOf({ address, bytes, list }: MappingEvent): (readonly [bigint, bigint])[] {
  const ranges: [bigint, bigint][] = [];
  for (const [at, size] of list.length > 0 ? list : [[address, bytes] as const]) {
    const last = ranges.at(-1);
    if (last && last[0] + last[1] === at) last[1] += size;
    else ranges.push([at, size]);
  }
  return ranges.filter(([, size]) => size > 0n);
}

/** The log of the I/O page table, or where it has none that of the DMA interface. */
function logOf(events: Iterable<FtraceEvent>, shift: bigint): EventLog {
  const [table, calls] = [new EventLog(), new EventLog()];
  /** Ranges of mapped scatter lists: their unmap does not name them. */
  const lists = new Map<string, (readonly [bigint, bigint])[]>();
  for (const event of events) {
    if (event.kind !== 'map' && event.kind !== 'unmap') continue;
    const key = event.listKey && `${event.device} ${event.listKey}`;
    const own = rangesOf(event);
    const ranges = key && event.kind === 'unmap' ? (lists.get(key) ?? []) : own;
    if (key && event.kind === 'map') lists.set(key, own);
    else if (key) lists.delete(key);
    for (const [address, bytes] of ranges) {
      const place = address >> shift;
      const pages = ((address + bytes + (1n << shift) - 1n) >> shift) - place;
      const log = event.level === 'iommu' ? table : calls;
      log.push(event.kind === 'map', event.line, event.cpu, Number(place), Number(pages));
    }
  }
  return table.length > 0 ? table : calls;
}

/** Of each map event the one that goes on where it ended and comes back with it; -1 if none does. */
function continuations(log: EventLog): Int32Array {
  const owners = new EntryOwners();
  const [next, before] = [
    new Int32Array(log.length).fill(NONE),
    new Int32Array(log.length).fill(NONE),
  ];
  /** The unmap that removed something of a map event last, plus 1. */
  const removed = new Uint32Array(log.length);
  /** Map event by id of its mapping. */
  const made: number[] = [];
  /** The event before, of each CPU. */
  const last = new Map<number, number>();
  for (let i = 0; i < log.length; i++) {
    const previous = last.get(log.cpu(i)) ?? NONE;
    last.set(log.cpu(i), i);
    if (log.maps(i)) {
      if (previous !== NONE && log.maps(previous) && log.end(previous) === log.place(i))
        before[i] = previous;
      const { id } = atLine(log.line(i), () => owners.take(log.cpu(i), log.place(i), log.pages(i)));
      made[id] = i;
      continue;
    }
    const steps = atLine(log.line(i), () => owners.give(log.cpu(i), log.place(i), log.pages(i)));
    const maps = steps.map(({ id }) => made[id] ?? 0);
    for (const map of maps) removed[map] = i + 1;
    for (const map of maps) {
      const piece = before[map] ?? NONE;
      if (piece !== NONE && removed[piece] === i + 1) next[piece] = map;
    }
  }
  return next;
}

/** @throws {TraceError} */
export function* recordedSteps(
  events: Iterable<FtraceEvent>,
  shift: number,
  owners: EntryOwners,
): Generator<PatternStep> {
  const log = logOf(events, BigInt(shift));
  const next = continuations(log);
  const taken = new Uint8Array(log.length);
  for (let i = 0; i < log.length; i++) {
    const [line, cpu, place] = [log.line(i), log.cpu(i), log.place(i)];
    if (!log.maps(i)) {
      yield* atLine(line, () => owners.give(cpu, place, log.pages(i)));
      continue;
    }
    if (taken[i]) continue;
    let end = log.end(i);
    for (let piece = next[i] ?? NONE; piece !== NONE; piece = next[piece] ?? NONE) {
      taken[piece] = 1;
      end = log.end(piece);
    }
    if (end - place > MAX_ENTRIES)
      throw new TraceError(
        line,
        `A mapping has at most ${MAX_ENTRIES} pages of ${2 ** shift} B, as many as the largest table; this one has more.`,
      );
    yield atLine(line, () => owners.take(cpu, place, end - place));
  }
}
