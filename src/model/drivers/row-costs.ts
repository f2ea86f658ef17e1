/** What the rows of programs cost in a run: time, states of the processor, and transactions on buses. */
import type { EventSpec } from '../../engine/manifest';
import type { CompiledMachine } from '../scenario/compiled';
import { portOwner } from '../trace/event-text';
import { fieldIn, type Trace, type TraceRecord } from '../trace/trace';
import { TraceIndexer, TraceMemo } from '../trace/trace-indexer';
import { startsTransaction } from './bus-transactions';
import { type DriverCpu, processorsOf } from './driver-roles';

export interface RowCost {
  /** How often it began, and how often it ended. */
  begun: number;
  ended: number;
  /** Time from its beginnings to its ends, in ps. */
  time: number;
  /** Processor time of its thread by state, in ps. */
  readonly states: Map<number, number>;
  /** Transactions that the processor's cache or bridge started for it. */
  transactions: number;
}

/** The row that a thread executes, and since when. */
interface Executed {
  readonly row: number;
  readonly since: number;
}

interface Progress {
  readonly cpu: DriverCpu;
  readonly costs: Map<number, RowCost>;
  readonly executed: Map<number, Executed>;
  thread: number;
  state: number;
  since: number;
  /** Posted stores that are not on the bus yet: address and row. */
  readonly posted: { readonly address: number; readonly row: number }[];
}

const SLICE = 8_000;
/** Stores that never appear on the bus with their own address would fill the list. */
const MAX_POSTED = 64;

export class RowCosts extends TraceIndexer {
  private all = new Map<number, Progress>();

  constructor(
    trace: Trace,
    private readonly machine: CompiledMachine,
  ) {
    super(trace, SLICE);
    this.restart();
  }

  /** The cost of a row so far; undefined if it has not begun. */
  of(part: number, row: number): RowCost | undefined {
    return this.all.get(part)?.costs.get(row);
  }

  /** Grows with every change. */
  get read(): number {
    return this.trace.last;
  }

  protected restart(): void {
    this.all = new Map(
      processorsOf(this.machine).map((cpu) => [
        cpu.part,
        {
          ...{ cpu, costs: new Map(), executed: new Map() },
          ...{ thread: cpu.handler, state: 0, since: 0, posted: [] },
        },
      ]),
    );
  }

  protected take(seq: number): void {
    const [record, event] = [this.trace.record(seq), this.trace.event(seq)];
    if (!record || !event) return;
    const own = this.all.get(record.part);
    if (own) processed(own, event, record);
    else if (startsTransaction(this.trace, this.machine, event, record)) this.onBus(event, record);
  }

  private onBus(event: EventSpec, record: TraceRecord): void {
    const master = fieldIn(event, record, 'master');
    if (master === null) return;
    const owner = portOwner(this.machine, record.part, master);
    for (const progress of this.all.values()) {
      if (!progress.cpu.speaks.has(owner)) continue;
      const { posted, executed, thread } = progress;
      const at = posted.findIndex(({ address }) => address === record.a);
      const store = at < 0 ? undefined : posted.splice(0, at + 1).at(-1);
      const row = store?.row ?? executed.get(thread)?.row;
      const cost = row === undefined ? undefined : progress.costs.get(row);
      if (cost) cost.transactions++;
      return;
    }
  }
}

function processed(now: Progress, event: EventSpec, record: TraceRecord): void {
  settle(now, record.timePs);
  switch (event.name) {
    case 'state':
      now.state = record.b;
      now.thread = record.c;
      break;
    case 'row':
    case 'begin':
    case 'call':
      began(now, fieldIn(event, record, 'row') ?? -1, record.timePs);
      break;
    case 'done':
    case 'return':
    case 'refused': {
      const row = fieldIn(event, record, 'row') ?? -1;
      const thread = now.cpu.rows[row]?.thread ?? -1;
      if (now.executed.get(thread)?.row === row) ended(now, thread, record.timePs);
      break;
    }
    case 'ended':
      ended(now, record.b, record.timePs);
      break;
    case 'interrupted':
      now.thread = now.cpu.handler;
      break;
    case 'store': {
      const row = now.executed.get(now.thread)?.row;
      if (row === undefined) break;
      if (now.posted.push({ address: record.a, row }) > MAX_POSTED) now.posted.shift();
    }
  }
}

/** Adds the time in the present state to the row of the running thread. */
function settle(now: Progress, timePs: number): void {
  const executed = now.executed.get(now.thread);
  const cost = executed && now.costs.get(executed.row);
  const spent = timePs - Math.max(now.since, executed?.since ?? 0);
  if (cost && spent > 0) cost.states.set(now.state, (cost.states.get(now.state) ?? 0) + spent);
  now.since = timePs;
}

function began(now: Progress, row: number, timePs: number): void {
  const thread = now.cpu.rows[row]?.thread;
  if (thread === undefined) return;
  // A library that moves a few words itself does so within its call.
  if (now.executed.get(thread)?.row === row && now.cpu.rows[row]?.isCall) return;
  ended(now, thread, timePs);
  now.thread = thread;
  now.executed.set(thread, { row, since: timePs });
  const cost = now.costs.get(row) ?? {
    ...{ begun: 0, ended: 0, time: 0, states: new Map(), transactions: 0 },
  };
  cost.begun++;
  now.costs.set(row, cost);
}

/** The present row of a thread is over: it returned, the next one begins, or the thread ends. */
function ended(now: Progress, thread: number, timePs: number): void {
  const executed = now.executed.get(thread);
  const cost = executed && now.costs.get(executed.row);
  if (!executed || !cost) return;
  cost.ended++;
  cost.time += timePs - executed.since;
  now.executed.delete(thread);
}

const logs = new TraceMemo<CompiledMachine, RowCosts>();

/** The costs of rows in a trace; memoized per trace and machine. */
export const rowCosts = (trace: Trace, machine: CompiledMachine): RowCosts =>
  logs.of(trace, machine, () => new RowCosts(trace, machine));

/** The sum of several rows: those that one row of a file became. */
export function totalCost(costs: readonly RowCost[]): RowCost | null {
  const [first] = costs;
  if (!first) return null;
  const states = new Map<number, number>();
  for (const cost of costs)
    for (const [state, time] of cost.states) states.set(state, (states.get(state) ?? 0) + time);
  const sum = (of: (cost: RowCost) => number) => costs.reduce((all, one) => all + of(one), 0);
  return {
    begun: sum(({ begun }) => begun),
    ended: sum(({ ended }) => ended),
    time: sum(({ time }) => time),
    transactions: sum(({ transactions }) => transactions),
    states,
  };
}
