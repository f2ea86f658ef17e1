/**
 * What happens to lines of memory, one event after the other: a transaction on the bus asks for a line, a cache changes
 * the state of its copy, data come. Read once from the record of a run and on as it grows.
 *
 *     READ shared #188 |asked| ........ |data came: Cache 0, under way -> private clean|
 *     WRITE16_PURGE #187      |asked| ... |changed: Cache 3, private dirty -> invalid|
 */
import { RUNWAY_LINE } from '../../engine/gen/constants';
import type { EventField } from '../../engine/gen/names';
import { portOwner } from '../trace/event-text';
import { initiatorOf } from '../trace/initiator';
import { fieldIn, type Trace, type TraceRecord } from '../trace/trace';
import { TraceIndexer } from '../trace/trace-indexer';
import type { CoherentMachine } from './coherence-roles';

/** A transaction on the bus that asks for a line or takes one away. */
export interface LineTransaction {
  readonly seq: number;
  /** The how-many-th of the run; null where its record does not reach back to the start. */
  readonly number: number | null;
  /** Name and title of its type: "write16_purge", "WRITE16_PURGE". */
  readonly type: string;
  readonly title: string;
  /** Part on whose behalf it runs. */
  readonly by: number | null;
  readonly address: number;
  /** The adapter reads ahead for a device: it keeps what comes. */
  readonly isPrefetch: boolean;
}

/** States by the names of the protocol; data on their way; and memory's. */
export const UNDER_WAY = 'under_way';
export const INVALID = 'invalid';
export const STALE = 'stale';
export const CURRENT = 'current';
const HELD = new Set(['shared', 'private_clean', 'private_dirty', INVALID]);

export interface LineEvent {
  readonly seq: number;
  readonly timePs: number;
  readonly kind: 'asked' | 'changed' | 'filled';
  /** Number of the line: its address divided by its length. */
  readonly line: number;
  /** Part whose copy is concerned; memory where nobody holds one. */
  readonly part: number;
  /** State of that copy before and after; null where nothing is known of it. */
  readonly from: string | null;
  readonly to: string | null;
  readonly transaction: LineTransaction | null;
  /** What changed it where no transaction did. */
  readonly reason: 'store' | 'room' | 'merge' | 'passed' | 'unused' | 'home' | null;
  /** Write that is lost with the copy. */
  lost: number | null;
  /** The lost write was another's half of the line. */
  neighbour: boolean;
  /** The copy was given to who asked for the line. */
  supplied: boolean;
}

/** Phases of a transaction that asked before. */
const DATA = new Set(['return', 'c2c_data', 'short_return']);
const WRITES = new Set(['write32', 'write16_purge', 'write_noncoherent']);
const READS = new Set(['read_shared', 'read_private', 'read_noncoherent']);

/** Records looked at in one go. */
const SLICE = 16_384;

/** The fields given for a new event. */
type NewEvent = Pick<LineEvent, 'kind' | 'part' | 'from' | 'to' | 'transaction'> &
  Partial<Pick<LineEvent, 'reason'>>;

export class LineStory extends TraceIndexer {
  readonly events: LineEvent[] = [];
  /** Numbers of the events of each line. */
  private readonly ofLine = new Map<number, number[]>();
  private readonly transactions = new Map<number, LineTransaction>();
  /** State of each copy as known from records: by line, then by part. */
  private readonly copies = new Map<number, Map<number, string>>();
  private readonly cacheParts: ReadonlySet<number>;
  private asked = 0;

  constructor(
    trace: Trace,
    private readonly coherent: CoherentMachine,
  ) {
    super(trace, SLICE);
    this.cacheParts = new Set(coherent.caches.map(({ part }) => part));
  }

  protected restart(): void {
    this.events.length = 0;
    this.asked = 0;
    for (const map of [this.ofLine, this.transactions, this.copies]) map.clear();
  }

  protected take(seq: number): void {
    const event = this.trace.event(seq);
    const name = event?.name;
    if (!event || !name) return;
    const record = this.trace.record(seq);
    if (!record) return;
    const { memory, tlb } = this.coherent;
    if (this.cacheParts.has(record.part)) this.takeOfCache(record, name);
    else if (record.part === tlb?.part) this.takeOfAdapter(record, name);
    else if (record.part === memory?.part) this.takeOfMemory(record, name);
    else if (fieldIn(event, record, 'master') === null) return;
    else if (event.lane && name === 'start') this.takeStart(record);
    else if (name === 'complete') this.takeComplete(record);
  }

  private takeOfCache(record: TraceRecord, name: string): void {
    const event = this.trace.event(record.seq);
    const read = (field: EventField) => (event && fieldIn(event, record, field)) ?? 0;
    if (name === 'neighbour' || name === 'discarded') this.lose(record, read('lost'));
    if (name === 'copied') this.supply(record);
    if (name !== 'row' && name !== 'filled') return;
    const to = this.stateIn(record.part, read('next'));
    const line = Math.floor(record.a / RUNWAY_LINE);
    const before = event && fieldIn(event, record, 'before');
    const from =
      before === null ? this.stateOf(line, record.part) : this.stateIn(record.part, before);
    if (from === to) return;
    this.add(record, {
      kind: name === 'row' ? 'changed' : 'filled',
      part: record.part,
      from,
      to,
      transaction: this.transactionOf(record, name === 'row'),
      reason: to === INVALID ? 'room' : 'store',
    });
  }

  private stateIn(part: number, code: number): string {
    const name = this.coherent.machine.parts[part]?.type.enums.line?.[code]?.name ?? INVALID;
    return HELD.has(name) ? name : UNDER_WAY;
  }

  /** The adapter merges bytes into its one line, or lets go of a line that it had prefetched. */
  private takeOfAdapter(record: TraceRecord, name: string): void {
    const { part } = record;
    const line = Math.floor(record.a / RUNWAY_LINE);
    const event = this.trace.event(record.seq);
    const from = this.stateOf(line, part);
    const to = name === 'merged' ? 'private_dirty' : name === 'dropped' ? INVALID : null;
    if (to === null || from === to) return;
    const used = event && fieldIn(event, record, 'used');
    const reason = name === 'merged' ? 'merge' : used ? 'passed' : 'unused';
    this.add(record, { kind: 'changed', part, from, to, transaction: null, reason });
  }

  /** Memory has the newest data of a line again. */
  private takeOfMemory(record: TraceRecord, name: string): void {
    if (name !== 'current') return;
    const { part } = record;
    const transaction = this.transactionOf(record);
    const states = { from: STALE, to: CURRENT };
    this.add(record, { kind: 'changed', part, ...states, transaction, reason: 'home' });
  }

  /**
   * The transaction that a record followed from. What a processor does once its data have come is its own doing: a snoop
   * follows from a transaction that is not complete.
   */
  private transactionOf({ cause }: TraceRecord, isSnoop = false): LineTransaction | null {
    let at = cause;
    for (let step = 0; step < 3 && at > 0; step++) {
      const found = this.transactions.get(at);
      if (found) return found;
      const record = this.trace.record(at);
      if (!record || this.coherent.machine.parts[record.part]?.type.actor !== 'bus') return null;
      if (isSnoop && this.trace.event(at)?.name === 'complete') return null;
      at = record.cause;
    }
    return null;
  }

  /** Something begins on the bus: who asks for which line. */
  private takeStart(record: TraceRecord): void {
    const event = this.trace.event(record.seq);
    if (!event) return;
    const { machine, memory } = this.coherent;
    const type = machine.parts[record.part]?.type.enums.type?.[fieldIn(event, record, 'type') ?? 0];
    if (!type || DATA.has(type.name)) return;
    const isFollowed =
      memory !== null && record.a >= memory.from && record.a < memory.from + memory.bytes;
    if (!isFollowed || type.name.startsWith('short')) return;
    this.asked++;
    const owner = portOwner(machine, record.part, fieldIn(event, record, 'master') ?? -1);
    const transaction: LineTransaction = {
      seq: record.seq,
      number: this.first === 1 ? this.asked : null,
      type: type.name,
      title: type.title,
      by: this.beneficiary(owner, record.seq),
      address: record.a,
      isPrefetch: this.isPrefetch(record),
    };
    this.transactions.set(record.seq, transaction);
    this.add(record, { kind: 'asked', transaction, ...this.askedCopy(record, type.name, owner) });
  }

  private isPrefetch({ cause }: TraceRecord): boolean {
    const issued = this.trace.record(cause);
    return issued !== null && this.trace.event(issued.cause)?.name === 'prefetch';
  }

  /** The copy that a transaction is about: that of the reader, or the one that a write will take away. */
  private askedCopy(
    { a }: TraceRecord,
    type: string,
    owner: number,
  ): Pick<LineEvent, 'part' | 'from' | 'to'> {
    const line = Math.floor(a / RUNWAY_LINE);
    if (READS.has(type)) {
      const from = this.stateOf(line, owner) ?? INVALID;
      return { part: owner, from: from === UNDER_WAY ? INVALID : from, to: UNDER_WAY };
    }
    if (type === 'write_back') return this.writtenBack(line, owner);
    const held = [...(this.copies.get(line) ?? [])].filter(([part]) => this.cacheParts.has(part));
    const [part, state] =
      held.find(([, one]) => one === 'private_dirty') ??
      held.find(([, one]) => one !== INVALID) ??
      [];
    if (part !== undefined && state !== undefined) return { part, from: state, to: state };
    return { part: this.coherent.memory?.part ?? owner, from: null, to: null };
  }

  /** A line goes home: the adapter's own is gone with it, a cache's had left before. */
  private writtenBack(line: number, owner: number): Pick<LineEvent, 'part' | 'from' | 'to'> {
    if (owner === this.coherent.tlb?.part)
      return { part: owner, from: this.stateOf(line, owner), to: INVALID };
    return { part: this.coherent.memory?.part ?? owner, from: STALE, to: STALE };
  }

  /** Data for a device's read have come to the adapter, which keeps only what it prefetched. */
  private takeComplete(record: TraceRecord): void {
    const event = this.trace.event(record.seq);
    const transaction = this.transactionOf(record);
    const { machine, tlb } = this.coherent;
    const master = (event && fieldIn(event, record, 'master')) ?? -1;
    if (!tlb || !transaction || !READS.has(transaction.type)) return;
    if (portOwner(machine, record.part, master) !== tlb.part) return;
    const from = this.stateOf(Math.floor(record.a / RUNWAY_LINE), tlb.part);
    const to = transaction.isPrefetch ? 'shared' : INVALID;
    this.add(record, { kind: 'filled', part: tlb.part, from, to, transaction });
  }

  /** On whose behalf a master has the bus: the device that an adapter serves, the processor of a cache. */
  private beneficiary(owner: number, seq: number): number | null {
    if (owner < 0) return null;
    const { machine } = this.coherent;
    return this.processorOf(owner) ?? initiatorOf(this.trace, machine, { seq, by: owner });
  }

  /** The processor that a cache is wired to. */
  private processorOf(cache: number): number | null {
    if (!this.cacheParts.has(cache)) return null;
    const { parts, wires } = this.coherent.machine;
    for (const { ends } of wires)
      for (const [own, other] of [ends, [ends[1], ends[0]] as const])
        if (own.part === cache && parts[other.part]?.type.actor === 'cpu') return other.part;
    return null;
  }

  private add(record: TraceRecord, added: NewEvent): void {
    const { seq, timePs, a } = record;
    const line = Math.floor(a / RUNWAY_LINE);
    const event: LineEvent = {
      ...{ seq, timePs, line, reason: null, ...added },
      ...{ lost: null, neighbour: false, supplied: false },
    };
    const numbers = this.ofLine.get(line);
    if (numbers) numbers.push(this.events.length);
    else this.ofLine.set(line, [this.events.length]);
    this.events.push(event);
    if (added.to === null) return;
    const copies = this.copies.get(line) ?? new Map<number, string>();
    copies.set(added.part, added.to);
    this.copies.set(line, copies);
  }

  private stateOf(line: number, part: number): string | null {
    return this.copies.get(line)?.get(part) ?? null;
  }

  /** The event that a record of the same cache belongs to: the last few are looked at. */
  private eventOf({ cause }: TraceRecord): LineEvent | undefined {
    return this.events.slice(-4).find(({ seq }) => seq === cause);
  }

  private lose(record: TraceRecord, write: number): void {
    const event = this.eventOf(record);
    if (!event) return;
    event.lost = write;
    event.neighbour = this.trace.event(record.seq)?.name === 'neighbour';
  }

  private supply(record: TraceRecord): void {
    const event = this.eventOf(record);
    if (event) event.supplied = true;
  }

  /** Number of the last event up to a record; -1 before the first. */
  indexAt(seq: number): number {
    return this.lastWhere((event) => event.seq <= seq);
  }

  /** Number of the last event whose record a predicate takes; it takes those before as well. */
  private lastWhere(isBefore: (event: LineEvent) => boolean): number {
    let [low, high] = [0, this.events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.events[middle] as LineEvent)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /**
   * Number of the event that a picture in motion shows at a time. Events of one moment share the time until the next,
   * but for no longer than `mostPs`, or none but the last of them would ever be seen.
   */
  indexShownAt(timePs: number, mostPs: number): number {
    const last = this.lastWhere((event) => event.timePs <= timePs);
    const at = this.events[last]?.timePs ?? 0;
    let first = last;
    while (first > 0 && this.events[first - 1]?.timePs === at) first--;
    const count = last - first + 1;
    if (count < 2) return last;
    const next = this.events[last + 1]?.timePs ?? Number.POSITIVE_INFINITY;
    const each = Math.min(next - at, mostPs) / count;
    return Math.min(last, first + Math.floor((timePs - at) / each));
  }

  /** The changes of one line, as numbers of events. */
  lifeOf(line: number): readonly number[] {
    return (this.ofLine.get(line) ?? []).filter((number) => {
      const event = this.events[number];
      return event && event.to !== null && event.from !== event.to;
    });
  }

  /** Whether a transaction writes memory on its own. */
  static writes({ type }: LineTransaction): boolean {
    return WRITES.has(type);
  }
}

const stories = new WeakMap<Trace, LineStory>();

/** The story of lines in a record; the same object for the same record. */
export function lineStory(trace: Trace, coherent: CoherentMachine): LineStory {
  const story = stories.get(trace) ?? new LineStory(trace, coherent);
  stories.set(trace, story);
  return story;
}
