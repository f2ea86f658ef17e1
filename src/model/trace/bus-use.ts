/** Who has used a bus: its busy time up to a moment, by the part for which it was busy. */
import type { PartType } from '../../engine/manifest';
import { initiatorOf } from './initiator';
import type { Lane } from './lane';
import type { Trace } from './trace';

export interface BusUser {
  /** Index of the part; null if no record names one. */
  readonly part: number | null;
  readonly timePs: number;
  /** Record that began its newest use. */
  readonly newest: number;
}

/** State changes read in one slice: some milliseconds. */
const SLICE = 20_000;

/** The sums of one bus, which follow the playhead; going back counts again from the start. */
export class BusUse {
  private readonly sums = new Map<number | null, { timePs: number; newest: number }>();
  /** State changes counted so far. */
  private counted = 0;

  constructor(
    private readonly trace: Trace,
    private readonly machine: { readonly parts: readonly { readonly type: PartType }[] },
    private readonly lane: Lane,
  ) {}

  /** Counts up to a time; false while there is more to read. */
  readTo(timePs: number): boolean {
    const { lane } = this;
    if (this.counted > 0 && lane.timeOf(this.counted) > timePs) {
      this.counted = 0;
      this.sums.clear();
    }
    for (let read = 0; lane.timeOf(this.counted + 1) <= timePs; read++, this.counted++) {
      if (read === SLICE) return false;
      const span = lane.after(this.counted);
      if (span) this.add(span.from, span.to, span);
    }
    return true;
  }

  private add(from: number, to: number, span: { seq: number; by: number | null }): void {
    const part = initiatorOf(this.trace, this.machine, span);
    const before = this.sums.get(part)?.timePs ?? 0;
    this.sums.set(part, { timePs: before + to - from, newest: span.seq });
  }

  /** The users up to a time that has been read, those with the most time first. */
  usersAt(timePs: number): readonly BusUser[] {
    const users = new Map(this.sums);
    const open = this.lane.timeOf(this.counted) <= timePs ? this.lane.after(this.counted) : null;
    if (open) {
      const part = initiatorOf(this.trace, this.machine, open);
      const before = users.get(part)?.timePs ?? 0;
      users.set(part, { timePs: before + timePs - open.from, newest: open.seq });
    }
    return [...users].map(([part, sum]) => ({ part, ...sum })).sort((a, b) => b.timePs - a.timePs);
  }
}
