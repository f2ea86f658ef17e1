/**
 * Where a run can be stepped to. A story event is one that the manifests give to be read out; a
 * transaction is one too, and so is each stretch of work that begins on a bus.
 */
import type { TraceChunk } from '../../engine/api';
import type { PartType } from '../../engine/manifest';

/** Trace records of one kind of interest, in order. */
class Marks {
  private readonly times: number[] = [];
  private readonly seqs: number[] = [];

  add(seq: number, timePs: number): void {
    this.times.push(timePs);
    this.seqs.push(seq);
  }

  /** Forgets all marks after a record. */
  dropAfter(seq: number): void {
    this.times.length = this.seqs.length = this.countTo(seq);
  }

  get length(): number {
    return this.seqs.length;
  }

  timesOf(first: number): readonly number[] {
    return this.times.slice(0, first);
  }

  /** Sequence numbers of a stretch of the list. */
  slice(from: number, to: number): readonly number[] {
    return this.seqs.slice(from, to);
  }

  /** How many marks have a sequence number up to `seq`. */
  countTo(seq: number): number {
    return below(this.seqs, seq + 1);
  }

  /** The last mark with a sequence number up to `seq`; null if there is none. */
  lastTo(seq: number): number | null {
    return this.seqs[this.countTo(seq) - 1] ?? null;
  }

  /** Time of the first mark beyond a record; null if none is recorded. */
  after(seq: number): number | null {
    return this.times[this.countTo(seq)] ?? null;
  }

  /** Time of the first mark strictly after a time; null if there is none. */
  afterTime(timePs: number): number | null {
    return this.times[below(this.times, timePs + 1)] ?? null;
  }

  /** Time of the last mark strictly before a time; null if there is none. */
  before(timePs: number): number | null {
    return this.times[below(this.times, timePs) - 1] ?? null;
  }
}

/** How many numbers of a sorted list are below a limit. */
function below(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const DETAIL = 0;
const TRANSACTION = 1;
const STORY = 2;

function levelsOf(types: readonly PartType[]): Uint8Array {
  const levels = new Uint8Array(1 + Math.max(0, ...types.flatMap(kindsOf)));
  for (const type of types)
    for (const event of type.events) {
      const begins = type.actor === 'bus' && event.lane !== null && event.lane.set !== null;
      const level = begins ? TRANSACTION : DETAIL;
      levels[event.kind] = event.level === 'story' ? STORY : level;
    }
  return levels;
}

/** What a list of events shows: those worth reading out, all transactions too, or every record. */
export type Listed = 'story' | 'transactions' | 'all';

/** Whether a list shows events of a kind. */
export function isKindListed(
  types: readonly PartType[],
  listed: Listed,
): (kind: number) => boolean {
  const levels = levelsOf(types);
  const lowest = { story: STORY, transactions: TRANSACTION, all: DETAIL }[listed];
  return (kind) => (levels[kind] ?? DETAIL) >= lowest;
}

const kindsOf = (type: PartType): number[] => type.events.map((event) => event.kind);

/** The marks of a recording, taken as its records come in; of a very long one only the first are all marked. */
export class NotableEvents {
  readonly story = new Marks();
  readonly transactions = new Marks();
  private readonly levels: Uint8Array;
  private last = 0;

  constructor(types: readonly PartType[]) {
    this.levels = levelsOf(types);
  }

  take(chunk: TraceChunk): void {
    this.last = chunk.firstSeq + chunk.length - 1;
    this.add(chunk, 0);
  }

  /** Marks a stretch beyond what is marked, in place of the one before. */
  takeStretch(chunk: TraceChunk): void {
    for (const marks of [this.story, this.transactions]) marks.dropAfter(this.last);
    this.add(chunk, Math.max(0, this.last + 1 - chunk.firstSeq));
  }

  /** Whether there may be marks between a record and the next of them that is known. */
  isOpenAfter(seq: number): boolean {
    return seq >= this.last;
  }

  private add(chunk: TraceChunk, from: number): void {
    for (let i = from; i < chunk.length; i++) {
      const level = this.levels[chunk.kind[i] as number] ?? DETAIL;
      if (level === DETAIL) continue;
      const [seq, time] = [chunk.firstSeq + i, chunk.timePs[i] as number];
      this.transactions.add(seq, time);
      if (level === STORY) this.story.add(seq, time);
    }
  }
}
