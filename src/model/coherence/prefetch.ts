/**
 * The lines that a bridge prefetches for device reads, from the trace of a run: requested, in flight, in the bridge,
 * and then delivered to the device or discarded. The trace has each read with its number of prefetched lines:
 *
 *     delayed, 3 ahead ─▸ four lines in flight ─▸ here ─▸ delivered      used
 *                                                     └─▸ read is over   discarded
 */

import type { EventField, EventWord } from '../../engine/gen/names';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import { portOwner } from '../trace/event-text';
import { fieldIn, type Trace, type TraceRecord } from '../trace/trace';
import { TraceIndexer, TraceMemo } from '../trace/trace-indexer';

export interface FetchedLine {
  readonly address: number;
  /** Reading device; null if unknown. */
  readonly device: number | null;
  /** The read requested this line itself, not only as a prefetch. */
  readonly isDemanded: boolean;
  /** The record that requested it. */
  readonly seq: number;
  readonly requestedPs: number;
  /** End address of the read that requested it. */
  readonly end: number;
  here: number | null;
  /** When it left the bridge. */
  left: number | null;
  used: boolean;
}

/** A line that a later read would have requested if it had not been present. */
interface Again {
  readonly timePs: number;
  readonly seq: number;
  readonly end: number;
  readonly device: number | null;
  readonly isDemanded: boolean;
}

const SLICE = 8_000;
/** Maximum number of causes followed back to find the reader. */
const FARTHEST = 6;

/** The first bridge with prefetch hints, on a bus with delayed reads. */
export function fetchingPart({ parts, wires }: CompiledMachine): CompiledPart | null {
  const has = ({ type }: CompiledPart, name: EventWord) =>
    type.events.some((event) => event.name === name);
  const isOnPci = (index: number) =>
    wires.some(({ ends }) =>
      [ends, [ends[1], ends[0]] as const].some(
        ([own, other]) =>
          own.part === index && own.port === 'pci' && parts[other.part]?.type.name === 'pci',
      ),
    );
  return (
    parts.find(
      (part) =>
        has(part, 'delayed') && has(part, 'here') && has(part, 'splits') && isOnPci(part.index),
    ) ?? null
  );
}

export class PrefetchLog extends TraceIndexer {
  lines: FetchedLine[] = [];
  /** The shortest flight time of a line. */
  fastest = Number.POSITIVE_INFINITY;
  private there = new Map<number, FetchedLine>();
  private again = new Map<number, Again>();
  private readonly step: number;

  constructor(
    trace: Trace,
    private readonly machine: CompiledMachine,
    private readonly part: CompiledPart,
  ) {
    super(trace, SLICE);
    const bytes = part.params.find(({ spec }) => spec.name === 'line')?.value;
    this.step = Number(bytes ?? 128n);
  }

  protected restart(): void {
    this.lines = [];
    this.there = new Map();
    this.again = new Map();
  }

  protected take(seq: number): void {
    const record = this.trace.record(seq);
    if (record?.part !== this.part.index) return;
    const event = this.trace.event(seq);
    const read = (name: EventField) => (event && fieldIn(event, record, name)) ?? 0;
    if (event?.name === 'delayed') this.delayed(record, read('bytes'), read('ahead'));
    else if (event?.name === 'here') this.came(record.a, record.timePs);
    else if (event?.name === 'given') this.given(record.a, read('bytes'), record.timePs);
    else if (event?.name === 'breaks') this.discardFrom(record.a, record.timePs);
  }

  /** Requests the lines of a read and the lines ahead, except those already present. */
  private delayed(record: TraceRecord, bytes: number, ahead: number): void {
    const { a: address, seq, timePs } = record;
    const device = this.readerOf(record);
    const [first, end] = [address - (address % this.step), address + bytes];
    for (let line = first; line <= first + ahead * this.step; line += this.step) {
      const as = { timePs, seq, end, device, isDemanded: line === first };
      if (this.there.has(line) && line !== first) this.again.set(line, as);
      else this.ask(line, as);
    }
  }

  private ask(address: number, { timePs, seq, end, device, isDemanded }: Again): void {
    this.leave(this.there.get(address), timePs);
    const life = { here: null, left: null, used: false };
    const line: FetchedLine = {
      address,
      device,
      isDemanded,
      seq,
      requestedPs: timePs,
      end,
      ...life,
    };
    this.again.delete(address);
    this.there.set(address, line);
    this.lines.push(line);
  }

  private readerOf({ cause }: TraceRecord): number | null {
    let at = cause;
    for (let step = 0; step < FARTHEST && at > 0; step++) {
      const [record, event] = [this.trace.record(at), this.trace.event(at)];
      if (!record || !event) return null;
      const master = fieldIn(event, record, 'master');
      if (master !== null) {
        const owner = portOwner(this.machine, record.part, master);
        return owner === this.part.index || owner < 0 ? null : owner;
      }
      if (this.machine.parts[record.part]?.type.actor === 'device') return record.part;
      at = record.cause;
    }
    return null;
  }

  /** A line that arrives twice, or too late for its first request, was discarded and requested again. */
  private came(address: number, timePs: number): void {
    const again = this.again.get(address);
    const known = this.there.get(address);
    const isSecond = known?.here !== null || (again && timePs - again.timePs >= this.fastest);
    if (again && isSecond) this.ask(address, again);
    const line = this.there.get(address);
    if (!line) return;
    line.here = timePs;
    this.again.delete(address);
    this.fastest = Math.min(this.fastest, timePs - line.requestedPs);
  }

  /** A read ends, or its burst is broken for a store: the lines that follow are no longer needed. */
  private discardFrom(address: number, timePs: number): void {
    for (let at = address; this.there.has(at); at += this.step)
      this.leave(this.there.get(at), timePs);
  }

  /** Lines delivered completely leave the bridge, and at the end of a read its prefetched lines as well. */
  private given(address: number, bytes: number, timePs: number): void {
    const end = address + bytes;
    let isOver = false;
    for (let at = address - (address % this.step); at < end; at += this.step) {
      const line = this.there.get(at);
      if (!line) continue;
      line.used = true;
      isOver = line.end === end;
      if (at + this.step <= end) this.leave(line, timePs);
    }
    if (isOver) this.discardFrom(end - (end % this.step), timePs);
  }

  private leave(line: FetchedLine | undefined, timePs: number): void {
    if (!line) return;
    line.left = timePs;
    this.there.delete(line.address);
    this.again.delete(line.address);
  }
}

const logs = new TraceMemo<CompiledPart, PrefetchLog>();

/** The lines in a trace; memoized per trace and machine. */
export function prefetchLog(
  trace: Trace,
  machine: CompiledMachine,
  part: CompiledPart,
): PrefetchLog {
  return logs.of(trace, part, () => new PrefetchLog(trace, machine, part));
}
