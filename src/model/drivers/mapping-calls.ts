/**
 * The driver calls in the trace of a run: start and end, the states of the thread meanwhile, and the effects on the
 * bus, the page directory and the TLB. Each record is attributed to a call, or to none:
 *
 *     of a processor             to the call of its running thread
 *     of a bus, for its cache    to the same call; a posted store to the call that issued it, even if that has returned
 *     any other                  to the call of its cause
 *
 * Causes alone are not sufficient: an event that waited for a bus is caused by the event that freed it.
 */
import type { EventSpec } from '../../engine/manifest';
import type { CompiledMachine } from '../scenario/compiled';
import { portOwner } from '../trace/event-text';
import { fieldIn, type Trace, type TraceRecord } from '../trace/trace';
import { TraceIndexer, TraceMemo } from '../trace/trace-indexer';
import { startsTransaction } from './bus-transactions';
import type { DriverCpu, DriverRoles, ScriptRow } from './driver-roles';

export interface DriverCall {
  /** Index among all calls of the trace. */
  readonly index: number;
  readonly cpu: DriverCpu;
  /** Row of its program; null for the interrupt handler. */
  readonly row: number | null;
  readonly thread: number;
  readonly seq: number;
  readonly from: number;
  /** Time and record of its return; null before that. */
  to: number | null;
  lastSeq: number | null;
  refused: boolean;
  /** Processor time of its thread, by state. */
  readonly states: Map<number, number>;
  /** Bus transactions started for it by the processor's cache or bridge, by type. */
  readonly transactions: Map<string, number>;
  /** Page directory entries that it made valid or cleared. */
  entries: number;
  cleared: number;
  /** Number of translations invalidated for it. */
  purges: number;
  /** Stores to device registers. */
  registers: number;
}

/** Present state of a processor, and its start. */
interface Now {
  state: number;
  thread: number;
  since: number;
  /** The open call of each thread. */
  readonly open: Map<number, DriverCall>;
  /** Posted stores that have not reached the bus, oldest first, each with its call. */
  readonly posted: { readonly address: number; readonly call: number }[];
}

/**
 * Limit of posted stores: merged stores, and stores to other targets, never appear on the bus with their own
 * address.
 */
const MAX_POSTED = 64;
const SLICE = 8_000;
const NOBODY = -1;

export class DriverCalls extends TraceIndexer {
  calls: DriverCall[] = [];
  private now = new Map<number, Now>();
  /** Index of each record's call, starting at `first`. */
  private belongs: number[] = [];

  constructor(
    trace: Trace,
    private readonly machine: CompiledMachine,
    private readonly roles: DriverRoles,
  ) {
    super(trace, SLICE);
    this.restart();
  }

  protected restart(): void {
    this.calls = [];
    this.belongs = [];
    this.now = new Map(
      this.roles.cpus.map(({ part, handler }) => [
        part,
        { state: 0, thread: handler, since: 0, open: new Map(), posted: [] },
      ]),
    );
  }

  /** The call that a record belongs to. */
  callOf(seq: number): DriverCall | null {
    return this.calls[this.belongs[seq - this.first] ?? NOBODY] ?? null;
  }

  /** Number of calls started up to a record. */
  countTo(seq: number): number {
    let [low, high] = [0, this.calls.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.calls[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  protected take(seq: number): void {
    this.belongs.push(this.callBehind(seq));
  }

  private callBehind(seq: number): number {
    const [record, event] = [this.trace.record(seq), this.trace.event(seq)];
    if (!record || !event) return NOBODY;
    const cpu = this.roles.cpus.find(({ part }) => part === record.part);
    if (cpu) return this.processor(cpu, event, record);
    const { cause } = record;
    const led = cause < seq ? (this.belongs[cause - this.first] ?? NOBODY) : NOBODY;
    const index = this.onBus(event, record) ?? led;
    const call = this.calls[index];
    if (call) this.consequence(call, event, record);
    return index;
  }

  /** The call for which a bus is busy; null for other records, and for transactions without a processor. */
  private onBus(event: EventSpec, record: TraceRecord): number | null {
    const { part, a: address } = record;
    const master = fieldIn(event, record, 'master');
    if (master === null || this.machine.parts[part]?.type.actor !== 'bus') return null;
    const owner = portOwner(this.machine, part, master);
    const cpu = this.roles.cpus.find(({ speaks }) => speaks.has(owner));
    const now = cpu && this.now.get(cpu.part);
    if (!now) return null;
    const posted = now.posted.findIndex((store) => store.address === address);
    if (posted < 0) return now.open.get(now.thread)?.index ?? NOBODY;
    return now.posted.splice(0, posted + 1).at(-1)?.call ?? NOBODY;
  }

  /** Counts the effects of a call. */
  private consequence(call: DriverCall, event: EventSpec, record: TraceRecord): void {
    const { part } = record;
    const { services, translators } = this.roles;
    if (event.lane?.set && this.machine.parts[part]?.type.actor === 'bus')
      this.transaction(call, event, record);
    else if (translators.has(part) && (event.name === 'purged' || event.name === 'flush'))
      call.purges++;
    else if (services.has(part) && event.name === 'entry') {
      const isValid = fieldIn(event, record, 'valid') ?? fieldIn(event, record, 'entry');
      if (isValid) call.entries++;
      else call.cleared++;
    }
  }

  private transaction(call: DriverCall, event: EventSpec, record: TraceRecord): void {
    const { part } = record;
    const master = fieldIn(event, record, 'master');
    if (master === null || !call.cpu.speaks.has(portOwner(this.machine, part, master))) return;
    const title = startsTransaction(this.trace, this.machine, event, record);
    if (!title) return;
    call.transactions.set(title, (call.transactions.get(title) ?? 0) + 1);
  }

  /** A processor event: a state change, or the start or return of a call. */
  private processor(cpu: DriverCpu, event: EventSpec, record: TraceRecord): number {
    const now = this.now.get(cpu.part);
    if (!now) return NOBODY;
    settle(now, record.timePs);
    const row = fieldIn(event, record, 'row') ?? NOBODY;
    switch (event.name) {
      case 'state':
        this.changed(cpu, now, record);
        break;
      case 'begin':
      case 'call':
        this.began(cpu, now, row, record);
        break;
      case 'return':
      case 'done':
      case 'refused':
        returned(now, cpu.rows[row]?.thread ?? NOBODY, row, record, event.name === 'refused');
        break;
      case 'interrupted':
        this.interrupted(cpu, now, record);
        break;
      case 'store':
        stored(now, record);
    }
    return now.open.get(now.thread)?.index ?? NOBODY;
  }

  private changed(cpu: DriverCpu, now: Now, record: TraceRecord): void {
    const { b: state, c: thread } = record;
    const isHandling = thread === cpu.handler && cpu.states[state]?.style !== 'none';
    if (!isHandling) returned(now, cpu.handler, null, record);
    now.state = state;
    now.thread = thread;
  }

  private began(cpu: DriverCpu, now: Now, row: number, record: TraceRecord): void {
    const started: ScriptRow | undefined = cpu.rows[row];
    if (!started?.isCall) return;
    now.thread = started.thread;
    // A library that moves a few words itself does so within the call.
    if (now.open.get(started.thread)?.row !== row) this.open(cpu, now, started.thread, row, record);
  }

  private interrupted(cpu: DriverCpu, now: Now, record: TraceRecord): void {
    returned(now, cpu.handler, null, record);
    now.thread = cpu.handler;
    this.open(cpu, now, cpu.handler, null, record);
  }

  private open(cpu: DriverCpu, now: Now, thread: number, row: number | null, record: TraceRecord) {
    const call: DriverCall = {
      ...{ index: this.calls.length, cpu, row, thread, seq: record.seq, from: record.timePs },
      ...{ to: null, lastSeq: null, refused: false, states: new Map(), transactions: new Map() },
      ...{ entries: 0, cleared: 0, purges: 0, registers: 0 },
    };
    this.calls.push(call);
    now.open.set(thread, call);
  }
}

/** Adds the time spent in the present state. */
function settle(now: Now, timePs: number): void {
  const call = now.open.get(now.thread);
  const spent = timePs - Math.max(now.since, call?.from ?? 0);
  if (call && spent > 0) call.states.set(now.state, (call.states.get(now.state) ?? 0) + spent);
  now.since = timePs;
}

/** Queues a posted store. */
function stored(now: Now, { a: address }: TraceRecord): void {
  const call = now.open.get(now.thread);
  if (call) call.registers++;
  if (now.posted.push({ address, call: call?.index ?? NOBODY }) > MAX_POSTED) now.posted.shift();
}

function returned(
  now: Now,
  thread: number,
  row: number | null,
  { timePs, seq }: TraceRecord,
  refused = false,
): void {
  const call = now.open.get(thread);
  if (call?.row !== row || !call) return;
  call.to = timePs;
  call.lastSeq = seq;
  call.refused = refused;
  now.open.delete(thread);
}

const logs = new TraceMemo<DriverRoles, DriverCalls>();

/** The calls in a trace; memoized per trace and machine. */
export function driverCalls(
  trace: Trace,
  machine: CompiledMachine,
  roles: DriverRoles,
): DriverCalls {
  return logs.of(trace, roles, () => new DriverCalls(trace, machine, roles));
}
