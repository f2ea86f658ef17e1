/**
 * Derives the steps of a pattern from recorded events. The kernel reports the mapping of a scatter list piece by piece,
 * but adjacent pieces may also be separate mappings; their unmaps decide:
 *
 *     CPU 0   map A0   map A1            map B0  map B1     a piece starts where the CPU’s last one ended
 *             unmap A0 + A1 in one       unmap B0, unmap B1
 *             one mapping of two pages   two mappings
 *
 * Therefore all events are read first. They are stored in 25 bytes each, about a fifth of their text.
 */
import { MAX_ENTRIES } from '../../engine/maps';
import type { FtraceEvent, MappingEvent } from './ftrace';
import { AmbiguousPattern, EntryOwners, type PatternStep } from './map-owners';
import { TraceError } from './map-trace';

/** Adds the line to errors about patterns that are too complex. */
export function atLine<T>(line: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof AmbiguousPattern ? new TraceError(line, error.message) : error;
  }
}

/** Maximum number of stored events: 1.6 GB. */
const MAX_EVENTS = 1 << 26;
const FIRST_ROOM = 1 << 10;
const NONE = -1;

/** Page ranges that were mapped and unmapped, in order. */
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

/** The page ranges of a call; the adjacent entries of a scatter list form one range. */
function rangesOf({ address, bytes, list }: MappingEvent): (readonly [bigint, bigint])[] {
  const ranges: [bigint, bigint][] = [];
  for (const [at, size] of list.length > 0 ? list : [[address, bytes] as const]) {
    const last = ranges.at(-1);
    if (last && last[0] + last[1] === at) last[1] += size;
    else ranges.push([at, size]);
  }
  return ranges.filter(([, size]) => size > 0n);
}

/** The log of the I/O page table or, if the recording has none, of the DMA interface. */
function logOf(events: Iterable<FtraceEvent>, shift: bigint): EventLog {
  const [table, calls] = [new EventLog(), new EventLog()];
  /** Ranges of mapped scatter lists: their unmap events do not contain them. */
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

/** For each map event the one that continues it and is unmapped with it; -1 if none. */
function continuations(log: EventLog): Int32Array {
  const owners = new EntryOwners();
  const [next, before] = [
    new Int32Array(log.length).fill(NONE),
    new Int32Array(log.length).fill(NONE),
  ];
  /** The last unmap that removed part of a map event, plus 1. */
  const removed = new Uint32Array(log.length);
  /** Map event by id of its mapping. */
  const made: number[] = [];
  /** The previous event of each CPU. */
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
