/** Incremental index of a trace: reads records in slices as the trace grows, shared by all users. */
import type { Trace } from './trace';

export abstract class TraceIndexer {
  /** The oldest record that was read. */
  protected first: number;
  private next: number;

  constructor(
    protected readonly trace: Trace,
    /** Records read per call: a long trace is read in several frames. */
    private readonly slice: number,
  ) {
    this.first = this.next = trace.first;
  }

  /**
   * Reads more records.
   * @returns whether all records have been read
   */
  update(): boolean {
    const { trace } = this;
    if (trace.first !== this.first || trace.last + 1 < this.next) {
      this.first = this.next = trace.first;
      this.restart();
    }
    const end = Math.min(trace.last + 1, this.next + this.slice);
    for (; this.next < end; this.next++) this.take(this.next);
    return end > trace.last;
  }

  /** Clears the index, because the trace has a new start. */
  protected abstract restart(): void;

  protected abstract take(seq: number): void;
}

/** One index per trace, recreated for a different subject. */
export class TraceMemo<Subject, Log> {
  private readonly known = new WeakMap<Trace, { readonly subject: Subject; readonly log: Log }>();

  of(trace: Trace, subject: Subject, make: () => Log): Log {
    const known = this.known.get(trace);
    if (known?.subject === subject) return known.log;
    const log = make();
    this.known.set(trace, { subject, log });
    return log;
  }
}
