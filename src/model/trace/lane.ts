/** The states of one track over time, reconstructed from the trace's events. */
import type { EventField } from '../../engine/gen/names';
import type { EnumMember, EventSpec } from '../../engine/manifest';

export interface Span {
  readonly state: EnumMember;
  readonly from: number;
  /** Infinity until the end is recorded. */
  readonly to: number;
  /** Trace record that started it. */
  readonly seq: number;
  /** Part on whose behalf it happens, if the record names one. */
  readonly by: number | null;
}

const IDLE = -1;
const NOBODY = -1;

/** Index of the last time at or before `timePs`; -1 if there is none. */
export function lastAt(times: ArrayLike<number>, timePs: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= timePs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The state that an event sets: an index into the track's states, or IDLE. */
export function stateSetBy(
  event: EventSpec,
  states: readonly EnumMember[],
  read: (field: EventField) => number,
): number {
  const set = event.lane?.set ?? null;
  if (set === null) return IDLE;
  const field = /^\{(\w+)\}$/.exec(set)?.[1];
  return field ? read(field as EventField) : states.findIndex((state) => state.name === set);
}

/** One track of one part. */
export class Lane {
  private readonly times: number[] = [];
  private readonly codes: number[] = [];
  private readonly seqs: number[] = [];
  private readonly owners: number[] = [];
  /** Active time of the first `changes` state changes, computed so far. */
  private counted = { time: 0, changes: 0 };

  constructor(
    readonly part: number,
    readonly track: string,
    readonly title: string,
    readonly states: readonly EnumMember[],
  ) {}

  push(timePs: number, code: number, seq: number, owner: number = NOBODY): void {
    this.times.push(timePs);
    this.codes.push(code);
    this.seqs.push(seq);
    this.owners.push(owner);
  }

  /** Drops the effect of records after `seq`. */
  dropAfter(seq: number): void {
    const keep = lastAt(this.seqs, seq) + 1;
    for (const list of [this.times, this.codes, this.seqs, this.owners]) list.length = keep;
    this.counted = { time: 0, changes: 0 };
  }

  private isIdle(index: number): boolean {
    const state = this.states[this.codes[index] ?? IDLE];
    return !state || state.style === 'none';
  }

  /** Total recorded time in which the track was not idle. */
  get active(): number {
    let { time, changes } = this.counted;
    for (; changes + 1 < this.times.length; changes++)
      if (!this.isIdle(changes))
        time += (this.times[changes + 1] as number) - (this.times[changes] as number);
    this.counted = { time, changes };
    return time;
  }

  private span(index: number): Span | null {
    const state = this.states[this.codes[index] ?? IDLE];
    const [from, seq, owner] = [this.times[index], this.seqs[index], this.owners[index]];
    if (!state || this.isIdle(index) || from === undefined || seq === undefined) return null;
    const to = this.times[index + 1] ?? Number.POSITIVE_INFINITY;
    return { state, from, to, seq, by: owner === undefined || owner < 0 ? null : owner };
  }

  /** Number of state changes, and the time of one. */
  get changes(): number {
    return this.times.length;
  }

  timeOf(index: number): number {
    return this.times[index] ?? Number.POSITIVE_INFINITY;
  }

  /** The state after a change; null if it is idle. */
  after(index: number): Span | null {
    return this.span(index);
  }

  private indexAt(timePs: number, seq: number): number {
    let index = lastAt(this.times, timePs);
    while (index >= 0 && (this.seqs[index] as number) > seq) index--;
    return index;
  }

  /** The state at a time, from records up to `seq`; null when idle. */
  at(timePs: number, seq = Number.POSITIVE_INFINITY): Span | null {
    return this.span(this.indexAt(timePs, seq));
  }

  /** The record that made the track idle, of those up to `seq`; null if it is not idle at that time. */
  idledBy(timePs: number, seq: number): number | null {
    const index = this.indexAt(timePs, seq);
    return index >= 0 && this.isIdle(index) ? (this.seqs[index] ?? null) : null;
  }

  /** Spans that overlap a time interval, in order. */
  between(from: number, to: number): Span[] {
    const spans: Span[] = [];
    for (let i = Math.max(0, lastAt(this.times, from)); i < this.times.length; i++) {
      if ((this.times[i] as number) > to) break;
      const span = this.span(i);
      if (span && span.to > span.from && span.to > from) spans.push(span);
    }
    return spans;
  }

  /** The span at a time, or the last one before it, with `before` and `after` more spans around it. */
  around(timePs: number, before: number, after: number): Span[] {
    const found: Span[] = [];
    const here = lastAt(this.times, timePs);
    for (let i = here; i >= 0 && found.length <= before; i--) {
      const span = this.span(i);
      if (span) found.unshift(span);
    }
    const most = found.length + after;
    for (let i = here + 1; i < this.times.length && found.length < most; i++) {
      const span = this.span(i);
      if (span) found.push(span);
    }
    return found;
  }

  /** Time in each state within an interval, by name of the state. */
  timeByState(from: number, to: number): Map<string, number> {
    const total = new Map<string, number>();
    for (const span of this.between(from, to)) {
      const time = Math.min(span.to, to) - Math.max(span.from, from);
      if (time > 0) total.set(span.state.name, (total.get(span.state.name) ?? 0) + time);
    }
    return total;
  }

  /** Fraction of an interval in which the track is not idle. */
  busy(from: number, to: number): number {
    if (to <= from) return 0;
    let time = 0;
    for (const part of this.timeByState(from, to).values()) time += part;
    return time / (to - from);
  }
}
