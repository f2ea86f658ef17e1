/** Playback: moves the playhead at a chosen speed, or to a time within a given duration. */
import { clamp } from '../../base/geometry';
import type { FrameTime } from '../../base/loop';
import type { Store } from '../../base/store';
import type { Position } from '../../engine/api';

import type { PlayerState } from './player-types';
import type { StoryFilm } from './story-film';

export interface Clock {
  every(phase: 'advance', callback: (time: FrameTime) => void): () => void;
}

/** The controlled run. */
interface Controlled {
  now(): Position;
  /** Runs forward to a time. */
  run(untilPs: number): Promise<void>;
  /** Seeks to any time. */
  go(timePs: number): Promise<void>;
  settled(): Promise<void>;
  /** Time at which playback stops next in a direction; null if it does not. */
  stopPs(by: 1 | -1): number | null;
  /** Time up to which the stops are known; playback waits there. */
  searchedPs(): number;
  /** The film for story pace; null if there is none. */
  film(): StoryFilm | null;
}

/** A move to a time within a given duration, independent of the speed. */
interface Move {
  readonly from: number;
  readonly to: number;
  /** At story pace the move leaves out dead time. */
  readonly film: StoryFilm | null;
  readonly ms: number;
  readonly isStep: boolean;
  passed: number;
  /** Called at the end, or when it is stopped before. */
  over(isWhole: boolean): void;
}

function positionAt({ from, to, film, ms, passed }: Move): number {
  if (passed >= ms) return to;
  const share = passed / ms;
  if (!film) return from + (to - from) * share;
  const [first, last] = [film.msAt(from), film.msAt(to)];
  return clamp(film.timeAt(first + (last - first) * share), from, to);
}

/** Limits the step after a pause of the page (a hidden tab). */
const LONGEST_FRAME_MS = 100;
export class Playing {
  private stopClock: (() => void) | null = null;
  /** The machine is moving to the last requested frame; time passes meanwhile. */
  private busy = false;
  private owedMs = 0;
  private move: Move | null = null;
  /** Position in the film, where several positions show the same time. */
  private filmMs = 0;

  constructor(
    private readonly state: Store<PlayerState>,
    private readonly clock: Clock,
    private readonly run: Controlled,
  ) {}

  play(): void {
    const { status, playing, endPs, limitPs } = this.state.getState();
    if (status !== 'ready' || playing) return;
    this.pause();
    if (this.run.now().timePs >= Math.min(endPs, limitPs ?? endPs)) this.follow(this.run.go(0));
    this.start();
  }

  /** Plays towards the start of the run, at the same pace. */
  playBackwards(): void {
    if (this.state.getState().status !== 'ready') return;
    this.pause();
    if (this.run.now().timePs <= 0) return;
    this.state.setState({ backwards: true });
    this.start();
  }

  private start(): void {
    const stepping = this.move?.isStep ?? false;
    this.state.setState({ playing: !stepping, stepping });
    this.owedMs = 0;
    this.stopClock = this.clock.every('advance', (time) => this.advance(time.elapsed));
  }

  /**
   * Plays to a time in about `ms` milliseconds. A film of a step does not count as playing.
   * @returns whether it came to its end, or was stopped before
   */
  async playTo(timePs: number, ms: number, isStep = false): Promise<boolean> {
    this.pause();
    const { status, endPs } = this.state.getState();
    const to = clamp(timePs, 0, endPs);
    const from = this.run.now().timePs;
    if (status !== 'ready') return false;
    if (to <= from || ms <= 0) {
      await this.run.go(to);
      return true;
    }
    const isWhole = await new Promise<boolean>((over) => {
      this.move = { from, to, film: this.storyFilm(), ms, passed: 0, isStep, over };
      this.start();
    });
    await this.run.settled();
    return isWhole;
  }

  /** Ends the film of a step, as if it had been played. */
  finishStep(): void {
    if (this.move?.isStep) this.stop(true);
  }

  pause(): void {
    this.stop(false);
  }

  private stop(isWhole: boolean): void {
    this.stopClock?.();
    this.stopClock = null;
    this.move?.over(isWhole);
    this.move = null;
    const { playing, stepping } = this.state.getState();
    if (playing || stepping)
      this.state.setState({ playing: false, stepping: false, backwards: false });
  }

  /** One animation frame: advances the playhead; the machine follows when it is idle. */
  private advance(elapsedMs: number): void {
    this.owedMs = Math.min(this.owedMs + elapsedMs, LONGEST_FRAME_MS);
    if (this.move) this.move.passed += elapsedMs;
    if (this.busy) return;
    if (this.state.getState().backwards) {
      const timePs = this.previousPs();
      this.owedMs = 0;
      if (timePs !== this.run.now().timePs) this.follow(this.run.go(timePs));
      return;
    }
    const timePs = this.move ? positionAt(this.move) : this.nextPs();
    this.owedMs = 0;
    if (timePs === this.move?.to) this.stop(true);
    // Events of this very time may still be due: a stop at the start of the run is one of them.
    const isDue = this.run.stopPs(1) === timePs;
    if (isDue || timePs !== this.run.now().timePs) this.follow(this.run.run(timePs));
  }

  /** Moves the machine. The playhead waits for it. */
  private follow(move: Promise<void>): void {
    this.busy = true;
    void move.finally(() => {
      this.busy = false;
    });
  }

  /** Next time of the playhead; playback ends at a stop and at the end of the run. */
  private nextPs(): number {
    const { speed, endPs, complete, paused } = this.state.getState();
    const stopPs = this.run.stopPs(1) ?? Infinity;
    const shown = this.filmed() ?? {
      timePs: this.run.now().timePs + (this.owedMs / 1000) * speed,
      isHeld: false,
    };
    const known = Math.max(this.run.searchedPs(), this.run.now().timePs);
    const timePs = Math.min(shown.timePs, endPs, stopPs, known);
    const isOver = (complete || paused) && timePs >= endPs && !shown.isHeld;
    if (timePs === stopPs || isOver) this.pause();
    return timePs;
  }

  /** The playhead's next time on its way back; playback ends at a stop and at the start of the run. */
  private previousPs(): number {
    const here = this.run.now().timePs;
    if (this.run.searchedPs() < here) return here;
    const film = this.storyFilm();
    let timePs = here - (this.owedMs / 1000) * this.state.getState().speed;
    if (film && here <= film.endPs) {
      if (film.timeAt(this.filmMs) !== here) this.filmMs = film.msAt(here);
      this.filmMs = Math.max(0, this.filmMs - this.owedMs);
      timePs = film.timeAt(this.filmMs);
    }
    const stopPs = this.run.stopPs(-1) ?? 0;
    if (timePs <= stopPs) this.pause();
    return Math.max(stopPs, timePs);
  }

  /** The film at story pace; null at clock pace, or if there is none. */
  private storyFilm(): StoryFilm | null {
    return this.state.getState().pace === 'story' ? this.run.film() : null;
  }

  /** Next time of the film, and whether it holds there; null at clock pace and beyond the film's end. */
  private filmed(): { readonly timePs: number; readonly isHeld: boolean } | null {
    const film = this.storyFilm();
    const here = this.run.now().timePs;
    if (!film || here > film.endPs) return null;
    if (film.timeAt(this.filmMs) !== here) this.filmMs = film.msAt(here);
    if (this.filmMs >= film.durationMs) return null;
    this.filmMs += this.owedMs;
    return { timePs: film.timeAt(this.filmMs), isHeld: this.filmMs < film.durationMs };
  }
}

/**
 * Playback speeds: simulated time per second, in steps of 1, 2 and 5. The initial speed of a run makes single
 * transactions distinguishable.
 */
const DECADES = Array.from({ length: 10 }, (_, power) => 10 ** (power + 3));

/** Picoseconds per second: 1 ns/s to 5 s/s. */
export const SPEEDS: readonly number[] = DECADES.flatMap((decade) => [
  decade,
  2 * decade,
  5 * decade,
]);

/** Transactions per second that a viewer can follow. */
const FOLLOWED = 8;
const FALLBACK = 1e6;

/** The step nearest to a speed, by ratio. */
export function nearestSpeed(speed: number): number {
  let best = SPEEDS[0] as number;
  for (const step of SPEEDS)
    if (Math.abs(Math.log(step / speed)) < Math.abs(Math.log(best / speed))) best = step;
  return best;
}

/** The next faster or slower step. */
export function changedSpeed(speed: number, by: 1 | -1): number {
  const at = SPEEDS.indexOf(nearestSpeed(speed));
  return SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)] as number;
}

/** A speed that shows about eight transactions per second, from the median gap between them. */
export function maxFollowableSpeed(timesPs: readonly number[]): number {
  const gaps = timesPs
    .slice(1)
    .map((time, index) => time - (timesPs[index] ?? 0))
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b);
  const middle = gaps[Math.floor(gaps.length / 2)];
  return nearestSpeed(middle ? middle * FOLLOWED : FALLBACK);
}
