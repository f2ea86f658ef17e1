/**
 * Holders of each lock of a pooled allocator over time, from the trace: one lane per lock, extended as the trace
 * grows. A lock is held from the event that takes it (acquire, or granted after a wait) to its release.
 */
import type { EventField } from '../../engine/gen/names';
import type { EnumMember } from '../../engine/manifest';
import { Lane } from '../trace/lane';
import type { Trace } from '../trace/trace';
import { TraceIndexer } from '../trace/trace-indexer';

const HELD: EnumMember = { name: 'held', title: 'held', style: 'solid', doc: '' };
const TAKEN = 0;
const FREE = -1;

const SLICE = 20_000;

export class LockLog extends TraceIndexer {
  private readonly locks = new Map<number, Lane>();
  /** End time of each wait. */
  private waits: number[] = [];

  constructor(
    trace: Trace,
    private readonly part: number,
  ) {
    super(trace, SLICE);
  }

  protected restart(): void {
    this.locks.clear();
    this.waits = [];
  }

  protected take(seq: number): void {
    const event = this.trace.event(seq);
    const name = event?.name;
    if (name !== 'acquire' && name !== 'granted' && name !== 'release') return;
    const record = this.trace.record(seq);
    if (record?.part !== this.part) return;
    const read = (field: EventField): number => {
      const slot = event?.fields.find((one) => one.name === field)?.slot as 'a' | 'b' | 'c';
      return record[slot];
    };
    const pool = read('pool');
    if (name === 'granted') this.waits.push(record.timePs);
    const lane = this.locks.get(pool) ?? new Lane(this.part, `lock ${pool}`, '', [HELD]);
    this.locks.set(pool, lane);
    if (name === 'release') lane.push(record.timePs, FREE, seq);
    else lane.push(record.timePs, TAKEN, seq, read('cpu'));
  }

  /** Pools whose lock was taken, in order. */
  get pools(): readonly number[] {
    return [...this.locks.keys()].toSorted((a, b) => a - b);
  }

  /** Number of waits that ended in an interval. */
  waitsIn(from: number, to: number): number {
    return this.waits.filter((timePs) => timePs > from && timePs <= to).length;
  }

  /** The lane of a lock; `by` of its spans is a CPU number. */
  lane(pool: number): Lane | undefined {
    return this.locks.get(pool);
  }
}
