/**
 * The chain that decided the time of an operation: from its last record back along the causes to its beginning. Each
 * link is split where the parts on the way change their states, so that the pieces have no gaps and add up to the time.
 *
 *     cause ────────────────── effect        the state that the cause began, else what its other effects do meanwhile
 *           |arbitration| data |
 *
 * A cause is often the request, and the effect comes when something else ends. Three kinds of wait are followed to what
 * ended them: a part that asks another and is woken by its answer, an adapter that serves another request first, and a
 * poll or a request that is repeated until it succeeds.
 */
import type { EventWord } from '../../engine/gen/names';
import type { TracedMachine } from './event-text';
import type { Span } from './lane';
import { endsOperation, type Operation } from './operations';
import {
  ACTOR_REASONS,
  ANSWERS,
  REPEATED,
  type Reason,
  reasonOfState,
  SERVES,
  SNOOPED,
  TAKES,
} from './path-reasons';
import type { Trace } from './trace';

export interface Piece {
  readonly reason: Reason;
  /** Index of the part that the time belongs to. */
  readonly part: number;
  readonly from: number;
  readonly to: number;
  /** Record with which its link ends. */
  readonly seq: number;
  /** The state of the part; empty without one. */
  readonly state: string;
}

/** Records after a cause among which its answers are sought. */
const MOST_ANSWERS = 512;
/** Causes looked at for the state in which a link happens, and for what a wait and its end have in common. */
const MOST_ANCESTORS = 64;
/** Causes between two polls of a device: load, read, start, answer. */
const MOST_OF_POLL = 12;

interface PathSpan extends Span {
  readonly part: number;
  /** Number of causes between the link's cause and the record that began it or its cause; null if it is no relative. */
  readonly depth: number | null;
}

/** Ends a link early: what a poll waited for. */
interface Floor {
  readonly seq: number;
  readonly timePs: number;
}

export class CriticalPath {
  /** Pieces in order of time; empty until all causes have been followed. */
  readonly pieces: Piece[] = [];
  private readonly reversed: Piece[] = [];
  private at: number;
  private until: number;
  private isWhole = false;
  private floor: Floor | null = null;

  constructor(
    private readonly machine: TracedMachine,
    private readonly trace: Trace,
    private readonly operation: Operation,
  ) {
    this.at = operation.end;
    this.until = operation.to;
    while (!this.isWhole) this.follow();
    this.pieces.push(...this.reversed.reverse());
  }

  private follow(): void {
    const { trace, at, operation } = this;
    const cause = trace.causeOf(at);
    const isKnown = cause > 0 && cause < at && trace.has(cause);
    const ending = isKnown ? (this.endingOf(cause, at) ?? this.releaseOf(cause, at)) : null;
    if (ending !== null) {
      this.at = ending;
      return;
    }
    this.floor ??= this.polledFor(at);
    const causedAt = isKnown ? trace.timeOf(cause) : operation.from;
    const { floor } = this;
    const isFloor = floor !== null && floor.timePs >= causedAt && floor.timePs <= this.until;
    const from = Math.max(operation.from, isFloor ? floor.timePs : causedAt);
    if (this.until > from) this.add(isKnown ? cause : null, from, this.until);
    this.until = from;
    this.at = isFloor ? floor.seq : cause;
    if (isFloor) this.floor = null;
    this.isWhole = from <= operation.from || !(isFloor || isKnown);
  }

  /**
   * The record that ended the wait between a cause and its effect: it comes just before the effect, from another part,
   * and has the same cause. Null if the part did not wait for another.
   */
  private endingOf(cause: number, at: number): number | null {
    const { trace } = this;
    const timePs = trace.timeOf(at);
    if (trace.timeOf(cause) === timePs) return null;
    for (let seq = at - 1; seq > cause && trace.timeOf(seq) === timePs; seq--)
      if (trace.partOf(seq) !== trace.partOf(at) && this.depthOf(seq, cause) !== null) return seq;
    return null;
  }

  /**
   * The record with which an adapter ended other work, if it then went on to this effect: the request waited for that.
   * Null if it did not wait.
   */
  private releaseOf(cause: number, at: number): number | null {
    const { trace } = this;
    const timePs = trace.timeOf(at);
    const part = trace.partOf(at);
    if (this.actorOf(part) !== 'adapter' || trace.timeOf(cause) === timePs) return null;
    const before = trace.lanes.flatMap((lane) =>
      lane.part === part ? (lane.at(timePs - 1, at - 1) ?? []) : [],
    );
    const isOther = before.some(({ seq }) => seq > cause && this.depthOf(seq, cause) === null);
    if (!isOther) return null;
    for (let seq = at - 1; seq > cause && trace.timeOf(seq) === timePs; seq--)
      if (trace.partOf(seq) === part && trace.event(seq)?.lane && this.depthOf(seq, cause) === null)
        return seq;
    return null;
  }

  /** What had to be finished before a poll or a repeated request succeeded; null if the record answers none. */
  private polledFor(at: number): Floor | null {
    const { trace } = this;
    const name = (seq: number) => trace.event(seq)?.name;
    const part = trace.partOf(at);
    const again = REPEATED[(name(at) ?? '') as EventWord];
    if (!again) return null;
    let before = trace.causeOf(at);
    const isRepeated = () =>
      name(before) === again.by && (!again.same || trace.partOf(before) === part);
    for (let i = 0; i < MOST_OF_POLL && trace.has(before) && !isRepeated(); i++)
      before = trace.causeOf(before);
    if (!isRepeated()) return null;
    const first = again.same ? before : at - MOST_ANSWERS;
    for (let seq = at - 1; seq > first && trace.has(seq); seq--) {
      if (trace.partOf(seq) !== part) continue;
      const isReady = again.ready
        ? name(seq) === again.ready
        : endsOperation(this.machine, trace, seq);
      if (isReady) return { seq, timePs: trace.timeOf(seq) };
    }
    return null;
  }

  /** Number of causes from a record back to an earlier one; null if that is none of them. */
  private depthOf(seq: number, ancestor: number): number | null {
    const { trace } = this;
    let at = seq;
    for (let depth = 0; depth < MOST_ANCESTORS && at >= ancestor && trace.has(at); depth++) {
      if (at === ancestor) return depth;
      at = trace.causeOf(at);
    }
    return null;
  }

  /** The pieces of one link. */
  private add(cause: number | null, from: number, to: number): void {
    const { at } = this;
    const spans = this.spansOf(cause, from, to);
    const answers = cause === null ? [] : this.answersTo(cause, from, to);
    const cuts = new Set([from, to, ...answers.map(({ timePs }) => timePs)]);
    for (const span of spans)
      for (const cut of [span.from, span.to]) if (cut > from && cut < to) cuts.add(cut);
    const times = [...cuts].sort((a, b) => a - b);
    const pieces: Piece[] = [];
    let active: PathSpan[] = [];
    let next = 0;
    for (let i = 1; i < times.length; i++) {
      const [start = from, end = to] = [times[i - 1], times[i]];
      active = active.filter((span) => span.to > start);
      for (; (spans[next]?.from ?? Infinity) <= start; next++) active.push(spans[next] as PathSpan);
      const answer =
        answers.find(({ timePs, served }) => timePs >= end && !served) ??
        answers.findLast(({ timePs, served }) => timePs <= start && served) ??
        null;
      pieces.push({ from: start, to: end, seq: at, ...this.reasonOf(cause, active, answer) });
    }
    for (const piece of pieces.reverse()) this.push(piece);
  }

  /** States of the parts at the ends of a link, and states that the chain began anywhere. */
  private spansOf(cause: number | null, from: number, to: number): PathSpan[] {
    const { trace, at } = this;
    const depths = new Map<number, number>();
    for (let seq = cause ?? 0; trace.has(seq) && depths.size < MOST_ANCESTORS; ) {
      depths.set(seq, depths.size);
      seq = trace.causeOf(seq);
    }
    const ends = [cause === null ? -1 : trace.partOf(cause), trace.partOf(at)];
    const isWithinBus = ends[0] === ends[1] && this.actorOf(ends[0] ?? -1) === 'bus';
    return trace.lanes
      .flatMap((lane) =>
        lane.between(from, to).flatMap((span) => {
          if (span.seq > at) return [];
          const depth = depths.get(span.seq) ?? depths.get(trace.causeOf(span.seq)) ?? null;
          const isMemory = isWithinBus && this.actorOf(lane.part) === 'mem';
          const isThere = ends.includes(lane.part) || isMemory;
          // Another part that the chain keeps waiting is beside the path.
          const isBeside =
            this.stateOf(lane.part, span).reason === 'queue' ||
            (span.state.style === 'hatch' && this.actorOf(lane.part) !== 'cpu');
          const isTaken = isThere || (depth !== null && !isBeside);
          return isTaken ? [{ ...span, part: lane.part, depth }] : [];
        }),
      )
      .sort((a, b) => a.from - b.from);
  }

  private actorOf(part: number): string {
    return this.machine.parts[part]?.type.actor ?? '';
  }

  private stateOf(part: number, { state }: Span): Pick<Piece, 'reason' | 'part' | 'state'> {
    const type = this.machine.parts[part]?.type.name ?? '';
    return { reason: reasonOfState(type, state.name) ?? 'software', part, state: state.title };
  }

  private reasonOf(
    cause: number | null,
    now: readonly PathSpan[],
    answer: { readonly part: number; readonly reason: Reason } | null,
  ): Pick<Piece, 'reason' | 'part' | 'state'> {
    const { trace, at } = this;
    const target = trace.partOf(at);
    const byState = (span: PathSpan) => this.stateOf(span.part, span);
    const isTaken = this.actorOf(target) === 'bus' && TAKES.includes(trace.event(at)?.name ?? '');
    const arbitration = { reason: 'arbitration', part: target, state: '' } as const;
    if (isTaken && now.some(({ part, depth }) => part === target && depth === null))
      return arbitration;
    const isWork = ({ state }: PathSpan) => state.style !== 'hatch';
    const begun = latest(now.filter(({ depth }) => depth === 0));
    const working = latest(now.filter((span) => span.depth === 0 && isWork(span)));
    if (working) return byState(working);
    if (isTaken) return arbitration;
    if (answer && begun?.seq !== cause) return { ...answer, state: '' };
    // A memory that is busy already says nothing when one more read comes.
    const memory = now.find((span) => this.actorOf(span.part) === 'mem');
    if (memory) return byState(memory);
    if (begun) return byState(begun);
    const isSnooped = SNOOPED.includes(trace.event(at)?.name ?? '');
    if (isSnooped && this.actorOf(target) === 'cpu')
      return { reason: 'snoop', part: target, state: '' };
    const inherited = now
      .filter(({ depth }) => depth !== null)
      .sort((a, b) => (a.depth ?? 0) - (b.depth ?? 0) || b.from - a.from);
    const chosen = inherited[0] ?? now.find(isWork) ?? now[0];
    if (chosen) return byState(chosen);
    if (trace.event(at)?.name === ('interrupted' satisfies EventWord))
      return { reason: 'interrupt', part: target, state: '' };
    return {
      reason: ACTOR_REASONS[this.actorOf(target)] ?? 'device',
      part: target,
      state: '',
    };
  }

  /** What the cause of a link led to meanwhile, in order of time. */
  private answersTo(cause: number, from: number, to: number) {
    const { trace, at } = this;
    const found: { timePs: number; part: number; reason: Reason; served: boolean }[] = [];
    for (let seq = cause + 1; seq < Math.min(at, cause + MOST_ANSWERS); seq++) {
      if (trace.causeOf(seq) !== cause) continue;
      const name = (trace.event(seq)?.name ?? '') as EventWord;
      const reason = ANSWERS[name];
      const timePs = trace.timeOf(seq);
      if (!reason || timePs < from || timePs >= to) continue;
      const part = trace.partOf(seq);
      if (timePs > from) found.push({ timePs, part, reason, served: false });
      if (name === SERVES) found.push({ timePs, part, reason, served: true });
    }
    return found;
  }

  /** Joins it with the piece after it if both are the same. */
  private push(piece: Piece): void {
    const { reversed } = this;
    const next = reversed.at(-1);
    if (
      next &&
      next.reason === piece.reason &&
      next.part === piece.part &&
      next.state === piece.state
    )
      reversed[reversed.length - 1] = { ...next, from: piece.from };
    else reversed.push(piece);
  }
}

/** The innermost of some states: the one that began last. */
const latest = (spans: readonly PathSpan[]): PathSpan | undefined =>
  spans.toSorted((a, b) => b.seq - a.seq)[0];

export interface PathRow {
  readonly reason: Reason;
  readonly part: number;
  readonly pieces: readonly Piece[];
  readonly timePs: number;
}

/** The pieces by part and reason, in the order in which they first come. */
export function pathRows(pieces: readonly Piece[]): PathRow[] {
  const rows = new Map<string, { reason: Reason; part: number; pieces: Piece[]; timePs: number }>();
  for (const piece of pieces) {
    const key = `${piece.part} ${piece.reason}`;
    const row = rows.get(key) ?? { reason: piece.reason, part: piece.part, pieces: [], timePs: 0 };
    row.pieces.push(piece);
    row.timePs += piece.to - piece.from;
    rows.set(key, row);
  }
  return [...rows.values()];
}

/** What a part did beside the path. */
export interface Beside {
  readonly part: number;
  readonly track: string;
  readonly spans: readonly { readonly from: number; readonly to: number }[];
  readonly timePs: number;
  /** The state that took most of it. */
  readonly state: string;
}

/** The parts that worked during the operation while the path was elsewhere, the busiest first. */
export function workOffPath(
  trace: Trace,
  pieces: readonly Piece[],
  { from, to }: Pick<Operation, 'from' | 'to'>,
): Beside[] {
  return trace.lanes
    .flatMap((lane): Beside[] => {
      const own = pieces.filter(({ part }) => part === lane.part);
      const byState = new Map<string, number>();
      let first = 0;
      const spans = lane.between(from, to).flatMap((span) => {
        while ((own[first]?.to ?? Infinity) <= span.from) first++;
        const rests = without(Math.max(span.from, from), Math.min(span.to, to), own, first);
        const { title } = span.state;
        for (const rest of rests)
          byState.set(title, (byState.get(title) ?? 0) + rest.to - rest.from);
        return rests;
      });
      const timePs = spans.reduce((sum, rest) => sum + rest.to - rest.from, 0);
      const [most] = [...byState].sort((a, b) => b[1] - a[1]);
      return timePs > 0
        ? [{ part: lane.part, track: lane.title, spans, timePs, state: most?.[0] ?? '' }]
        : [];
    })
    .sort((a, b) => b.timePs - a.timePs);
}

/** What is left of an interval outside some pieces from `first` on, which are in order of time. */
function without(from: number, to: number, pieces: readonly Piece[], first: number) {
  const rest: { from: number; to: number }[] = [];
  let at = from;
  for (let i = first; i < pieces.length; i++) {
    const piece = pieces[i] as Piece;
    if (piece.to <= at) continue;
    if (piece.from >= to) break;
    if (piece.from > at) rest.push({ from: at, to: piece.from });
    at = Math.max(at, piece.to);
  }
  if (at < to) rest.push({ from: at, to });
  return rest;
}
