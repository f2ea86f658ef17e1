/**
 * The trace of one run: records by sequence number, lanes, and causal chains. Records are copied, so the engine's
 * frames can be released at once.
 */
import type { TraceChunk } from '../../engine/api';
import type { EventField, TrackName } from '../../engine/gen/names';
import type { EventSpec } from '../../engine/manifest';
import {
  type FieldValue,
  fieldsOf,
  portOwner,
  sentenceOf,
  type TracedMachine,
  whoseOf,
} from './event-text';
import { Lane, stateSetBy } from './lane';
import type { Rows, Slot } from './rows';

export interface TraceRecord {
  readonly seq: number;
  readonly timePs: number;
  /** Sequence number of the record that caused this one; 0 for none. */
  readonly cause: number;
  /** Index of the part. */
  readonly part: number;
  readonly kind: number;
  /** Exact up to 53 bits; `exact` has all 64. */
  readonly a: number;
  readonly exact: bigint;
  readonly b: number;
  readonly c: number;
}

/** A step of an explanation. `skipped` counts the similar causes left out before it. */
export interface Cause {
  readonly seq: number;
  readonly skipped: number;
}

type Columns = Omit<TraceChunk, 'firstSeq' | 'lost' | 'length'>;

const columns = (size: number): Columns => ({
  timePs: new Float64Array(size),
  cause: new Uint32Array(size),
  part: new Uint16Array(size),
  kind: new Uint16Array(size),
  a: new BigUint64Array(size),
  b: new Uint32Array(size),
  c: new Uint32Array(size),
});

const NAMES = ['timePs', 'cause', 'part', 'kind', 'b', 'c'] as const;
const FIRST_SIZE = 1024;
/** Maximum length of an explanation. */
const MAX_CAUSES = 64;

interface LaneEvent {
  readonly event: EventSpec;
  /** Column of each field, by name. */
  readonly slots: ReadonlyMap<string, 'a' | 'b' | 'c'>;
  /** Column of the field with the initiating port, if there is one. */
  readonly owner: 'a' | 'b' | 'c' | null;
}

export class Trace implements Rows {
  private data = columns(FIRST_SIZE);
  private count = 0;
  private base = 1;
  private readonly events = new Map<number, EventSpec>();
  private readonly laneEvents = new Map<number, LaneEvent>();
  readonly lanes: readonly Lane[];
  private readonly laneOf = new Map<string, Lane>();

  constructor(private readonly machine: TracedMachine) {
    for (const { type } of machine.parts) for (const event of type.events) this.addEvent(event);
    this.lanes = machine.parts.flatMap(({ type }, part) =>
      type.tracks.map((track) => {
        const lane = new Lane(part, track.name, track.title, type.enums[track.states] ?? []);
        this.laneOf.set(`${part} ${track.name}`, lane);
        return lane;
      }),
    );
  }

  private addEvent(event: EventSpec): void {
    this.events.set(event.kind, event);
    if (!event.lane) return;
    const slots = event.fields.map(({ name, slot }) => [name, slot as 'a' | 'b' | 'c'] as const);
    const port = event.fields.find((field) => field.as === 'port');
    const owner = port ? (port.slot as 'a' | 'b' | 'c') : null;
    this.laneEvents.set(event.kind, { event, slots: new Map(slots), owner });
  }

  /** Sequence numbers of the first and last stored record; last < first if there is none. */
  get first(): number {
    return this.base;
  }

  get last(): number {
    return this.base + this.count - 1;
  }

  /** Appends records. Records already stored are ignored; after a gap the trace starts again. */
  append(chunk: TraceChunk): void {
    if (chunk.length === 0) return;
    if (this.count === 0 || chunk.firstSeq > this.last + 1) this.restart(chunk.firstSeq);
    const from = this.last + 1 - chunk.firstSeq;
    const more = chunk.length - from;
    if (more <= 0) return;
    this.reserve(this.count + more);
    for (const name of NAMES)
      this.data[name].set(chunk[name].subarray(from, chunk.length), this.count);
    this.data.a.set(chunk.a.subarray(from, chunk.length), this.count);
    const start = this.count;
    this.count += more;
    for (let i = start; i < this.count; i++) this.advanceLane(i);
  }

  /** A copy of all stored records. */
  copy(): TraceChunk {
    const { count, data, base } = this;
    return {
      ...{ firstSeq: base, lost: 0, length: count },
      timePs: data.timePs.slice(0, count),
      cause: data.cause.slice(0, count),
      part: data.part.slice(0, count),
      kind: data.kind.slice(0, count),
      a: data.a.slice(0, count),
      b: data.b.slice(0, count),
      c: data.c.slice(0, count),
    };
  }

  private restart(firstSeq: number): void {
    this.count = 0;
    this.base = firstSeq;
    for (const lane of this.lanes) lane.dropAfter(0);
  }

  private reserve(size: number): void {
    let capacity = this.data.timePs.length;
    if (capacity >= size) return;
    while (capacity < size) capacity *= 2;
    const next = columns(capacity);
    for (const name of NAMES) next[name].set(this.data[name]);
    next.a.set(this.data.a);
    this.data = next;
  }

  private advanceLane(i: number): void {
    const found = this.laneEvents.get(this.data.kind[i] as number);
    if (!found) return;
    const { event, slots, owner } = found;
    const part = this.data.part[i] as number;
    const lane = this.laneOf.get(`${part} ${event.lane?.track}`);
    if (!lane) return;
    const read = (field: string) => Number(this.data[slots.get(field) ?? 'a'][i]);
    const by = owner ? portOwner(this.machine, part, Number(this.data[owner][i])) : -1;
    const code = stateSetBy(event, lane.states, read);
    lane.push(this.data.timePs[i] as number, code, this.base + i, by);
  }

  /** Drops every record after `seq`: the run will diverge there. */
  dropAfter(seq: number): void {
    if (seq >= this.last) return;
    this.count = Math.max(0, seq - this.base + 1);
    for (const lane of this.lanes) lane.dropAfter(seq);
  }

  has(seq: number): boolean {
    return seq >= this.base && seq <= this.last;
  }

  record(seq: number): TraceRecord | null {
    if (!this.has(seq)) return null;
    const i = seq - this.base;
    const [timePs = 0, cause = 0, part = 0, kind = 0, b = 0, c = 0] = NAMES.map(
      (name) => this.data[name][i],
    );
    const exact = this.data.a[i] ?? 0n;
    return { seq, timePs, cause, part, kind, a: Number(exact), exact, b, c };
  }

  /** Single columns of a stored record. */
  partOf(seq: number): number {
    return this.data.part[seq - this.base] ?? -1;
  }

  kindOf(seq: number): number {
    return this.data.kind[seq - this.base] ?? -1;
  }

  timeOf(seq: number): number {
    return this.data.timePs[seq - this.base] ?? 0;
  }

  causeOf(seq: number): number {
    return this.data.cause[seq - this.base] ?? 0;
  }

  valueOf(seq: number, slot: Slot): number {
    return Number(this.data[slot][seq - this.base] ?? 0);
  }

  exactOf(seq: number): bigint {
    return this.data.a[seq - this.base] ?? 0n;
  }

  event(seq: number): EventSpec | null {
    return this.has(seq)
      ? (this.events.get(this.data.kind[seq - this.base] as number) ?? null)
      : null;
  }

  /** Part that a record of a lane names: the master of a transfer. Null where it names none. */
  ownerOf(seq: number): number | null {
    const [record, event] = [this.record(seq), this.event(seq)];
    const owner = event && this.laneEvents.get(event.kind)?.owner;
    const part = record && owner ? portOwner(this.machine, record.part, record[owner]) : -1;
    return part < 0 ? null : part;
  }

  fields(seq: number): FieldValue[] {
    const [record, event] = [this.record(seq), this.event(seq)];
    return record && event ? fieldsOf(this.machine, event, record) : [];
  }

  /** The event as one sentence. */
  sentence(seq: number): string {
    const [record, event] = [this.record(seq), this.event(seq)];
    return record && event ? sentenceOf(this.machine, event, record) : '';
  }

  /** Names of the part and of the event. */
  whose(seq: number): string {
    const event = this.event(seq);
    return event ? whoseOf(this.machine, event, this.partOf(seq)) : '';
  }

  /** Sequence number of the last record at or before a time; `first` - 1 if there is none. */
  indexAt(timePs: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.data.timePs[middle] as number) <= timePs) low = middle + 1;
      else high = middle;
    }
    return this.base + low - 1;
  }

  lane(part: number, track: TrackName | ''): Lane | undefined {
    return this.laneOf.get(`${part} ${track}`);
  }

  /**
   * The causal chain of a record: the record itself, then its causes back to the root. A repeated sequence (store,
   * accept, store, accept ...) is shown once, with the number of repetitions.
   */
  why(seq: number): Cause[] {
    const chain: Cause[] = [];
    const seen = new Set<number>();
    let skipped = 0;
    for (let at = seq; this.has(at) && chain.length < MAX_CAUSES; ) {
      const i = at - this.base;
      const cause = this.data.cause[i] as number;
      const key = (this.data.part[i] as number) * 65536 + (this.data.kind[i] as number);
      const isRoot = cause === 0 || cause >= at || !this.has(cause);
      if (!seen.has(key) || isRoot) {
        chain.push({ seq: at, skipped });
        skipped = 0;
      } else skipped++;
      seen.add(key);
      if (isRoot) break;
      at = cause;
    }
    return chain;
  }

  /** Records caused by a record, at most `most`. */
  effects(seq: number, most = 50): number[] {
    const found: number[] = [];
    for (let i = Math.max(0, seq - this.base + 1); i < this.count && found.length < most; i++)
      if (this.data.cause[i] === seq) found.push(this.base + i);
    return found;
  }

  /** Number of records of a part and kind up to `seq`. */
  countOf(part: number, kind: number, seq: number): number {
    const { part: parts, kind: kinds } = this.data;
    let found = 0;
    for (let i = Math.min(seq - this.base, this.count - 1); i >= 0; i--)
      if (kinds[i] === kind && parts[i] === part) found++;
    return found;
  }

  /** The n-th record of a part and kind, from 1; null if there are fewer. */
  nthOf(part: number, kind: number, nth: number): number | null {
    const { part: parts, kind: kinds } = this.data;
    let left = nth;
    for (let i = 0; i < this.count; i++)
      if (kinds[i] === kind && parts[i] === part && --left === 0) return this.base + i;
    return null;
  }

  /** Number of records by kind of event. */
  tally(): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    for (const kind of this.data.kind.subarray(0, this.count))
      found.set(kind, (found.get(kind) ?? 0) + 1);
    return found;
  }

  /** Sequence numbers of records that pass a test, starting at `from`. */
  *matching(test: (event: EventSpec) => boolean, from = this.base): Generator<number> {
    const kinds = new Set([...this.events.values()].filter(test).map((event) => event.kind));
    for (let i = Math.max(0, from - this.base); i < this.count; i++)
      if (kinds.has(this.data.kind[i] as number)) yield this.base + i;
  }
}

export const createTrace = (machine: TracedMachine): Trace => new Trace(machine);

/** The value of a named field of a record; null if the event has no such field. */
export function fieldIn(
  { fields }: EventSpec,
  record: Pick<TraceRecord, 'a' | 'b' | 'c'>,
  name: EventField,
): number | null {
  const slot = fields.find((one) => one.name === name)?.slot as 'a' | 'b' | 'c' | undefined;
  return slot ? record[slot] : null;
}
