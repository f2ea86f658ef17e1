/**
 * The story of a run: the events that a viewer should see one by one, each with the time at which it has settled.
 * All films on the page are made from it.
 *
 *     step 1     |start ---- effects ---- settled|
 *     step 2                     |start -------- settled|            step 3 |start ...
 *                                                        dead time
 *
 * Steps are derived from trace records as they arrive. An effect belongs to the step of its cause.
 */
import type { TraceChunk } from '../../engine/api';

/** Number of recent records whose step is known. An effect of an older cause is ignored. */
const REMEMBERED = 1 << 16;

/** How the events of a machine form its story. */
export interface StoryRules {
  /** Whether a record of this kind starts a step. */
  begins(kind: number): boolean;
  /**
   * Maximum delay of an effect after its cause, in picoseconds. A later record of this kind ends a wait and is not
   * an effect.
   */
  longestEffectPs(kind: number): number;
}

export class StoryIndex {
  /** Sequence number of each step's first record. */
  readonly seqs: number[] = [];
  /** Start and settling time of each step, in picoseconds. Starts are strictly increasing. */
  readonly starts: number[] = [];
  readonly settled: number[] = [];
  /** Step of a recent record, plus one; 0 for none. */
  private readonly stepOf = new Uint32Array(REMEMBERED);
  private readonly timeOf = new Float64Array(REMEMBERED);
  private last = 0;
  /** Time of the newest record. */
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

  /** Records at the same time form one step, because the playhead cannot stop between them. */
  private begin(seq: number, time: number): number {
    if (this.starts.at(-1) !== time) {
      this.seqs.push(seq);
      this.starts.push(time);
      this.settled.push(time);
    }
    return this.seqs.length;
  }

  /** The step of a cause that is not earlier than `earliest`. */
  private stepOfCause(seq: number, earliest: number, cause: number): number {
    if (cause === 0 || cause >= seq || seq - cause >= REMEMBERED) return 0;
    const slot = cause % REMEMBERED;
    return (this.timeOf[slot] as number) >= earliest ? (this.stepOf[slot] as number) : 0;
  }
}
