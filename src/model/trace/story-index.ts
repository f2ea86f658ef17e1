/**
 * The story of a run: the events that a viewer should see one by one, and the moment at which each has settled. Every
 * film on the page is cut from it.
 *
 *     step 1     |start ---- effects ---- settled|
 *     step 2                     |start -------- settled|            step 3 |start ...
 *                                                        dead time
 *
 * Steps are read from trace records as they come in. An effect belongs to the step that its cause belongs to.
 */
import type { TraceChunk } from '../../engine/api';

/** Records whose step is remembered; effects whose cause is older begin nothing and settle nothing. */
const REMEMBERED = 1 << 16;

/** What the kinds of a machine's records mean for its story. */
export interface StoryRules {
  /** A record of this kind begins a step. */
  begins(kind: number): boolean;
  /** A record of this kind that comes longer after its cause ends a wait, and is no effect. In picoseconds. */
  longestEffectPs(kind: number): number;
}

export class StoryIndex {
  /** Sequence number of the record with which each step begins. */
  readonly seqs: number[] = [];
  /** Start and settled moment of each step, in picoseconds. Starts are distinct and rise. */
  readonly starts: number[] = [];
  readonly settled: number[] = [];
  /** Step of a recent record, plus one; 0 for none. */
  private readonly stepOf = new Uint32Array(REMEMBERED);
  private readonly timeOf = new Float64Array(REMEMBERED);
  private last = 0;
  /** Time of the newest record that was read. */
  lastPs = 0;

  constructor(private readonly rules: StoryRules) {}

  get length(): number {
    return this.seqs.length;
  }

  append(chunk: TraceChunk): void {
    for (let i = Math.max(0, this.last + 1 - chunk.firstSeq); i < chunk.length; i++) {
      const seq = chunk.firstSeq + i;
      const time = chunk.timePs[i] as number;
      const kind = chunk.kind[i] as number;
      this.add(seq, time, chunk.cause[i] as number, kind);
    }
    this.lastPs = chunk.timePs[chunk.length - 1] ?? this.lastPs;
    this.last = Math.max(this.last, chunk.firstSeq + chunk.length - 1);
  }

  private add(seq: number, time: number, cause: number, kind: number): void {
    const slot = seq % REMEMBERED;
    const step = this.rules.begins(kind)
      ? this.begin(seq, time)
      : this.stepOfCause(seq, time - this.rules.longestEffectPs(kind), cause);
    this.stepOf[slot] = step;
    this.timeOf[slot] = time;
    if (step > 0) this.settled[step - 1] = Math.max(this.settled[step - 1] as number, time);
  }

  /** What begins at the same moment is one step: time could not stand between them. */
  private begin(seq: number, time: number): number {
    if (this.starts.at(-1) !== time) {
      this.seqs.push(seq);
      this.starts.push(time);
      this.settled.push(time);
    }
    return this.seqs.length;
  }

  /** The step of a cause that lies no farther back than `earliest`. */
  private stepOfCause(seq: number, earliest: number, cause: number): number {
    if (cause === 0 || cause >= seq || seq - cause >= REMEMBERED) return 0;
    const slot = cause % REMEMBERED;
    return (this.timeOf[slot] as number) >= earliest ? (this.stepOf[slot] as number) : 0;
  }
}
