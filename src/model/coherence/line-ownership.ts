/**
 * Holders of each line and their states, from the trace of a run: processor caches and the adapter’s I/O cache.
 *
 *     CPU       ──dirty──┐            ┌──dirty──          taken: a device reads with ownership
 *     I/O cache          └──clean──┘                   recalled: the processor requests it again
 *
 * A line without a holder is only in memory.
 */

import type { EventWord } from '../../engine/gen/names';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import { fieldIn, type Trace, type TraceRecord } from '../trace/trace';
import { TraceIndexer, TraceMemo } from '../trace/trace-indexer';
import { COMMANDS, hintCell, MEMORIES } from './read-hints';

export type HoldState = 'shared' | 'clean' | 'dirty';

/** How a holder lost a line, or its state changed. */
export type HoldEnd = 'taken' | 'written' | 'replaced' | 'recalled' | 'evicted' | 'overwritten';

export interface Hold {
  readonly address: number;
  /** The part that holds the line. */
  readonly holder: number;
  readonly state: HoldState;
  readonly from: number;
  /** The record that gave it the line or the state. */
  readonly seq: number;
  to: number | null;
  /** Null while it is held, and if only the state changes. */
  end: HoldEnd | null;
}

export interface Owners {
  readonly machine: CompiledMachine;
  readonly adapter: CompiledPart;
  readonly caches: readonly CompiledPart[];
  /** Line size in bytes. */
  readonly line: number;
}

const SLICE = 8_000;
/** Maximum number of lines in a device's write. */
const MAX_LINES = 64;

const tells = ({ type }: CompiledPart, ...names: readonly EventWord[]): boolean =>
  names.every((name) => type.events.some((event) => event.name === name));

const readsWithOwnership = (part: CompiledPart): boolean =>
  COMMANDS.some((command) =>
    MEMORIES.some((memory) => hintCell(part, command, memory, 'current')?.param.value === 0n),
  );

const findOwners = (machine: CompiledMachine): Owners | null => {
  const { parts } = machine;
  const adapter = parts.find((part) => tells(part, 'kept', 'left', 'taken'));
  const caches = parts.filter((part) => tells(part, 'takes', 'dropped', 'shares'));
  const [first] = caches;
  if (!adapter || !first || !parts.some(readsWithOwnership)) return null;
  const line = Number(first.params.find(({ spec }) => spec.name === 'line')?.value ?? 128n);
  return { machine, adapter, caches, line };
};

const known = new WeakMap<CompiledMachine, Owners | null>();

/** Caches and an adapter that take lines from each other; null if all devices read with Read Current. */
export function lineOwners(machine: CompiledMachine): Owners | null {
  const owners = known.get(machine);
  if (owners !== undefined) return owners;
  const found = findOwners(machine);
  known.set(machine, found);
  return found;
}

export class OwnershipLog extends TraceIndexer {
  holds: Hold[] = [];
  /** The longest time that the I/O cache has held a line. */
  longest = 0;
  private held = new Map<number, Map<number, Hold>>();

  constructor(
    trace: Trace,
    private readonly owners: Owners,
  ) {
    super(trace, SLICE);
  }

  protected restart(): void {
    this.holds = [];
    this.longest = 0;
    this.held = new Map();
  }

  protected take(seq: number): void {
    const record = this.trace.record(seq);
    if (!record) return;
    if (record.part === this.owners.adapter.index) this.adapterDid(record);
    else if (this.owners.caches.some(({ index }) => index === record.part)) this.cacheDid(record);
  }

  private adapterDid(record: TraceRecord): void {
    const event = this.trace.event(record.seq);
    if (event?.name === 'kept') {
      const state = fieldIn(event, record, 'state') ?? 0;
      const name = this.owners.adapter.type.enums.line?.[state]?.name;
      this.gets(record, name === 'owned' ? 'clean' : 'shared');
    } else if (event?.name === 'left') {
      const why = fieldIn(event, record, 'why') ?? 0;
      const end = this.owners.adapter.type.enums.why?.[why]?.name as HoldEnd;
      const lost = this.loses(record.part, record.a, record.timePs, end);
      if (lost) this.longest = Math.max(this.longest, record.timePs - lost.from);
    }
  }

  private cacheDid(record: TraceRecord): void {
    const event = this.trace.event(record.seq);
    const { part, a: address, timePs } = record;
    if (event?.name === 'takes')
      this.gets(record, fieldIn(event, record, 'store') ? 'dirty' : 'clean');
    else if (event?.name === 'changes') this.gets(record, 'dirty');
    else if (event?.name === 'replaces') this.loses(part, address, timePs, 'replaced');
    else if (event?.name === 'shares')
      this.each(record, (line) => this.gets({ ...record, a: line }, 'shared'));
    else if (event?.name === 'dropped') {
      const isRead = this.trace.event(record.cause)?.name === 'read';
      this.each(record, (line) => this.loses(part, line, timePs, isRead ? 'taken' : 'written'));
    }
  }

  /** Calls `does` for each held line of a record, which covers one or more lines from its address. */
  private each(record: TraceRecord, does: (line: number) => void): void {
    const { line: step } = this.owners;
    let left = record.b;
    let line = record.a - (record.a % step);
    for (let i = 0; i < MAX_LINES && left > 0; i++, line += step) {
      if (!this.held.get(record.part)?.has(line)) continue;
      does(line);
      left--;
    }
  }

  private gets({ part, a, seq, timePs }: TraceRecord, state: HoldState): void {
    const address = a - (a % this.owners.line);
    const before = this.held.get(part)?.get(address);
    if (before?.state === state) return;
    if (before) before.to = timePs;
    const hold: Hold = { address, holder: part, state, from: timePs, seq, to: null, end: null };
    const lines = this.held.get(part) ?? new Map<number, Hold>();
    this.held.set(part, lines.set(address, hold));
    this.holds.push(hold);
  }

  private loses(part: number, address: number, timePs: number, end: HoldEnd): Hold | undefined {
    const hold = this.held.get(part)?.get(address);
    if (!hold) return undefined;
    hold.to = timePs;
    hold.end = end;
    this.held.get(part)?.delete(address);
    return hold;
  }
}

const logs = new TraceMemo<Owners, OwnershipLog>();

/** The holds in a trace; memoized per trace and machine. */
export const ownershipLog = (trace: Trace, owners: Owners): OwnershipLog =>
  logs.of(trace, owners, () => new OwnershipLog(trace, owners));
