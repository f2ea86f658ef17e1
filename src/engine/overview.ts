/**
 * Samples of all counters at every multiple of an interval of simulated time. When there are too many,
 * every other one is dropped and the interval doubles, so a run of any length has some hundreds.
 */
import type { OverviewSample } from './api';

const FIRST_INTERVAL_PS = 2 ** 20;
/** Thinning leaves half: between 512 and 1024 samples, once a run is long enough. */
const MOST = 1024;

export class Overview {
  #samples: OverviewSample[] = [];
  #intervalPs = FIRST_INTERVAL_PS;

  /** Time of the next sample; always beyond or at the time of every event processed so far. */
  get duePs(): number {
    return this.#samples.length * this.#intervalPs;
  }

  /** The state in which every event up to and including `duePs` has happened. */
  take(sample: OverviewSample): void {
    this.#samples.push(sample);
    if (this.#samples.length < MOST) return;
    this.#samples = this.#samples.filter((_, i) => i % 2 === 0);
    this.#intervalPs *= 2;
  }

  /** Forgets the samples from `events` on: the run will take another course there. */
  dropFrom(events: number): void {
    const end = this.#samples.findIndex((sample) => sample.events >= events);
    if (end >= 0) this.#samples.length = end;
  }

  /** All samples, and `here` if it lies beyond them. */
  upTo(here: OverviewSample): readonly OverviewSample[] {
    const last = this.#samples.at(-1);
    return last && last.events >= here.events ? [...this.#samples] : [...this.#samples, here];
  }
}
