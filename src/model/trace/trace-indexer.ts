/** What is read out of the record of a run: a part at a time, once however many look, and on as the record grows. */
import type { Trace } from './trace';

export abstract class TraceIndexer {
  /** The oldest record that was read. */
  protected first: number;
  private next: number;

  constructor(
    protected readonly trace: Trace,
    /** Records looked at in one go: a long one is read in several frames. */
    private readonly slice: number,
  ) {
    this.first = this.next = trace.first;
  }

  /** Takes in some of what was recorded since; false while there is more to read. */
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

  /** The record begins elsewhere now, and what was read is forgotten. */
  protected abstract restart(): void;

  protected abstract take(seq: number): void;
}

/** One log for each record, made anew when it is read for something else. */
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
