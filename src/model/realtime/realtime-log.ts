/** Threads, packets and jobs of one trace, indexed once for all panels and extended as the trace grows. */

import type { Trace, TraceRecord } from '../trace/trace';
import { TraceIndexer, TraceMemo } from '../trace/trace-indexer';
import { PacketLog, stepOf } from './packet-log';
import type { RealTimeRoles } from './realtime-roles';
import { type Task, TaskLog } from './task-log';

/** Work with a deadline: a job of a periodic task, or a packet. */
export interface Response {
  readonly kind: 'job' | 'packet';
  /** "control, job 3", "packet 12" */
  readonly title: string;
  /** The task that completed it; null if its thread is unknown. */
  readonly task: Task | null;
  readonly packet: number | null;
  /** Release time, or arrival in its buffer. */
  readonly from: number;
  readonly to: number;
  readonly missed: boolean;
  /** The record of its completion. */
  readonly seq: number;
}

const SLICE = 40_000;

export class RealTimeLog extends TraceIndexer {
  tasks: TaskLog;
  packets = new PacketLog();
  responses: Response[] = [];
  private jobs = new Map<Task, number>();

  constructor(
    trace: Trace,
    readonly roles: RealTimeRoles,
  ) {
    super(trace, SLICE);
    this.tasks = new TaskLog(trace, roles.cpus);
  }

  protected restart(): void {
    this.tasks = new TaskLog(this.trace, this.roles.cpus);
    this.packets = new PacketLog();
    this.responses = [];
    this.jobs = new Map();
  }

  protected take(seq: number): void {
    const [record, event] = [this.trace.record(seq), this.trace.event(seq)];
    if (!record || !event) return;
    const { kernel, stack, adapter, cpus } = this.roles;
    const { part } = record;
    if (part === kernel) this.job(event.name, record);
    if (part === stack || part === adapter) {
      this.packets.take(event, record);
      if (event.name === 'finished') this.finished(record);
      if (event.name === 'late') this.isLate(record.b);
    }
    if (cpus.some((cpu) => cpu.part === part)) this.tasks.take(event.name, record);
  }

  /** The kernel call that ends a job starts when the job is done. */
  private job(name: string, { timePs, seq, a, b, c }: TraceRecord): void {
    if (name !== 'release' && name !== 'missed') return;
    const task = this.tasks.at(b, c);
    if (!task) return;
    const to = task.lane.at(timePs - 1)?.from ?? timePs;
    const number = (this.jobs.get(task) ?? 0) + 1;
    this.jobs.set(task, number);
    const title = `${task.name}, job ${number}`;
    const missed = name === 'missed';
    this.responses.push({
      kind: 'job',
      title,
      task,
      packet: null,
      from: to - a,
      to,
      missed,
      seq,
    });
  }

  private finished({ timePs, seq, a, c }: TraceRecord): void {
    const story = this.packets.story(a);
    if (!story?.arrived) return;
    this.responses.push({
      kind: 'packet',
      title: `packet ${a}`,
      task: this.tasks.runningBefore(c, timePs),
      packet: a,
      from: story.arrived.timePs,
      to: timePs,
      missed: false,
      seq,
    });
  }

  private isLate(packet: number): void {
    const at = this.responses.findLastIndex((one) => one.packet === packet);
    const response = this.responses[at];
    if (response) this.responses[at] = { ...response, missed: true };
  }

  /** Time between releases of a task, its deadline; null if only one release is known. */
  periodOf(task: Task): number | null {
    const jobs = this.responses.filter((one) => one.kind === 'job' && one.task === task);
    const [first, second] = jobs;
    return first && second ? second.from - first.from : null;
  }

  /** The last packet picked up by an application at or before a time; otherwise the first to arrive. */
  packetAt(timePs: number): number | null {
    const { packets } = this.packets;
    const begun = packets.findLast(
      (story) => (stepOf(story, 'taken')?.timePs ?? Number.POSITIVE_INFINITY) <= timePs,
    );
    return (begun ?? packets[0])?.packet ?? null;
  }
}

const logs = new TraceMemo<RealTimeRoles, RealTimeLog>();

/** The log of a trace; memoized per trace and machine. */
export function realTimeLog(trace: Trace, roles: RealTimeRoles): RealTimeLog {
  return logs.of(trace, roles, () => new RealTimeLog(trace, roles));
}
