/**
 * States of each thread over time, from the trace: running (in some processor state); ready while the processor
 * runs something else; or blocked, which is not shown.
 *
 *     state   network ▓▓▓▓▓▓        network ▓▓▓      one thread at a time
 *     thread          application ▒▒▒▒              ready meanwhile: preempted, or not scheduled yet
 */
import type { EventWord } from '../../engine/gen/names';
import type { EnumMember } from '../../engine/manifest';
import { Lane } from '../trace/lane';
import type { Trace, TraceRecord } from '../trace/trace';
import type { RealTimeCpu } from './realtime-roles';

export const READY: EnumMember = {
  name: 'ready',
  title: 'ready, not running',
  style: 'dashed',
  doc: '',
};

const BLOCKED = -1;

export interface Task {
  readonly cpu: RealTimeCpu;
  readonly thread: number;
  readonly name: string;
  /** The interrupt handler belongs to no thread. */
  readonly isHandler: boolean;
  readonly lane: Lane;
  /** It has run on the processor. */
  hasRun: boolean;
}

interface Row {
  readonly task: Task;
  isBlocked: boolean;
}

export class TaskLog {
  private readonly rows = new Map<string, Row>();
  private readonly running = new Map<number, number>();

  constructor(trace: Trace, cpus: readonly RealTimeCpu[]) {
    const start = trace.record(trace.first)?.timePs ?? 0;
    for (const cpu of cpus) {
      const states = trace.lane(cpu.part, 'cpu')?.states ?? [];
      [...cpu.threads, 'interrupts'].forEach((name, thread) => {
        const isHandler = thread === cpu.threads.length;
        const lane = new Lane(cpu.part, name, name, [...states, READY]);
        lane.push(start, isHandler ? BLOCKED : states.length, trace.first);
        const task = { cpu, thread, name, isHandler, lane, hasRun: false };
        this.rows.set(`${cpu.part} ${thread}`, { task, isBlocked: isHandler });
      });
    }
  }

  private row(part: number, thread: number): Row | undefined {
    return this.rows.get(`${part} ${thread}`);
  }

  /** Reads a record of a processor. */
  take(name: EventWord, { part, timePs, seq, b, c }: TraceRecord): void {
    if (name === 'state') this.changed(part, timePs, seq, b, c);
    const row = this.row(part, b);
    if (!row || name === 'state') return;
    if (name === 'blocked' || name === 'ended') row.isBlocked = true;
    if (name !== 'ready') return;
    row.isBlocked = false;
    if (this.running.get(part) !== b) this.rests(row, timePs, seq);
  }

  /** The state of a thread that does not run. */
  private rests({ task, isBlocked }: Row, timePs: number, seq: number): void {
    const ready = task.lane.states.length - 1;
    task.lane.push(timePs, isBlocked || task.isHandler ? BLOCKED : ready, seq);
  }

  private changed(part: number, timePs: number, seq: number, state: number, thread: number): void {
    const before = this.running.get(part);
    const row = this.row(part, thread);
    const isIdle = row?.task.lane.states[state]?.style === 'none';
    if (before !== undefined && (before !== thread || isIdle)) {
      const left = this.row(part, before);
      if (left) this.rests(left, timePs, seq);
    }
    this.running.delete(part);
    if (!row || isIdle) return;
    this.running.set(part, thread);
    row.task.hasRun = true;
    row.task.lane.push(timePs, state, seq);
  }

  /** All tasks by processor; the handler of each comes first. */
  get tasks(): readonly Task[] {
    const all = [...this.rows.values()].map(({ task }) => task);
    return all.toSorted(
      (a, b) => a.cpu.number - b.cpu.number || Number(b.isHandler) - Number(a.isHandler),
    );
  }

  /** A thread by the kernel's numbers. */
  at(cpu: number, thread: number): Task | null {
    const found = this.tasks.find((task) => task.cpu.number === cpu && task.thread === thread);
    return found ?? null;
  }

  /** The task that ran on a processor just before a time. */
  runningBefore(cpu: number, timePs: number): Task | null {
    const at = timePs - 1;
    const found = this.tasks.find(
      ({ cpu: { number }, lane }) =>
        number === cpu && (lane.at(at)?.state.name ?? READY.name) !== READY.name,
    );
    return found ?? null;
  }
}
