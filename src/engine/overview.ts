/**
 * Samples of all counters at every multiple of an interval of simulated time. When there are too many, every
 * other one is dropped and the interval doubles, so a run of any length has a few hundred samples.
 */
import type { OverviewSample, Position } from './api';

const FIRST_INTERVAL_PS = 2 ** 20;
/** Thinning leaves 512 samples, so a long run has between 512 and 1024. */
const MAX_SAMPLES = 1024;
/** Time, events and trace records of a sample, in words; its counters follow. */
const HEAD = 3;
/** Initial capacity in samples. */
const FIRST_ROOM = 16;

/** Writes the counters of all parts to an array, from an index on. */
type Count = (into: Float64Array, at: number) => void;

export class Overview {
  readonly #width: number;
  /** Samples, one after another in one array: a run takes thousands, and none becomes garbage. */
  #rows = new Float64Array(0);
  #count = 0;
  #intervalPs = FIRST_INTERVAL_PS;

  /** @param counters number of counters per sample */
  constructor(counters: number) {
    this.#width = HEAD + counters;
  }

  /** Time of the next sample; never before an event already processed. */
  get duePs(): number {
    return this.#count * this.#intervalPs;
  }

  /** Takes a sample of the state after every event up to and including `duePs`. */
  take({ timePs, events, seq }: Position, count: Count): void {
    const at = this.#count * this.#width;
    if (at === this.#rows.length) this.#grow();
    this.#rows[at] = timePs;
    this.#rows[at + 1] = events;
    this.#rows[at + 2] = seq;
    count(this.#rows, at + HEAD);
    this.#count += 1;
    if (this.#count === MAX_SAMPLES) this.#thin();
  }

  #grow(): void {
    const rows = new Float64Array(2 * this.#rows.length || FIRST_ROOM * this.#width);
    rows.set(this.#rows);
    this.#rows = rows;
  }

  #thin(): void {
    const width = this.#width;
    this.#count /= 2;
    this.#intervalPs *= 2;
    for (let i = 1; i < this.#count; i++)
      this.#rows.copyWithin(i * width, 2 * i * width, (2 * i + 1) * width);
  }

  #sample(index: number): OverviewSample {
    const at = index * this.#width;
    const [timePs = 0, events = 0, seq = 0] = this.#rows.subarray(at, at + HEAD);
    return { timePs, events, seq, counters: this.#rows.slice(at + HEAD, at + this.#width) };
  }

  /** Drops the samples from `events` on: the run will diverge there. */
  dropFrom(events: number): void {
    const before = (index: number) => (this.#rows[index * this.#width + 1] ?? 0) < events;
    let kept = 0;
    while (kept < this.#count && before(kept)) kept++;
    this.#count = kept;
  }

  /** All samples, and `here` if it is later than the last one. */
  upTo(here: OverviewSample): readonly OverviewSample[] {
    const samples = Array.from({ length: this.#count }, (_, i) => this.#sample(i));
    const last = samples.at(-1);
    return last && last.events >= here.events ? samples : [...samples, here];
  }
}
