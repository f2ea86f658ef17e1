/**
 * The valid trace records in the engine's ring: one contiguous range of sequence numbers.
 *
 *     ring of 8       written 1..10   ->  3..10
 *                     back to 5, and on to 6 again: the same records, still 3..10
 *                     back to 0, and on to 4: 5 and 6 survive, 9 and 10 lost their neighbours -> 1..8
 *
 * A repeated run writes the same records to the same places, so seeking back invalidates nothing. A run
 * that diverges must first `forget` the records that it will not repeat.
 */
export class TraceWindow {
  /** Oldest record held. */
  from = 1;
  /** Newest record held; `from - 1` when there is none. */
  to = 0;

  constructor(readonly capacity: number) {}

  /** Records `after + 1` to `upTo` were written, in this order. */
  wrote(after: number, upTo: number): void {
    if (upTo <= after) return;
    const empty = this.to < this.from;
    const continues = !empty && after >= this.from - 1 && after <= this.to;
    const bridges = !empty && after < this.from && upTo >= this.from - 1;
    const surviving = bridges ? Math.min(this.to, after + this.capacity) : upTo;
    this.to = continues ? Math.max(this.to, upTo) : Math.max(upTo, surviving);
    this.from = Math.max(continues ? this.from : after + 1, this.to - this.capacity + 1);
  }

  /** Invalidates the records after `seq`: the run diverges there. */
  forget(seq: number): void {
    this.to = Math.max(Math.min(this.to, seq), this.from - 1);
  }

  /** Whether records `first` to `last` are all held. */
  holds(first: number, last: number): boolean {
    return first > last || (first >= this.from && last <= this.to);
  }
}
