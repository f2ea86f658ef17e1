/** The playhead in motion: at a chosen speed, or to a place in a given time. */
import { clamp } from '../../base/geometry';
import type { FrameTime } from '../../base/loop';
import type { Store } from '../../base/store';
import type { Position } from '../../engine/api';

import type { PlayerState } from './player-types';
import type { StoryFilm } from './story-film';

export interface Clock {
  every(phase: 'advance', callback: (time: FrameTime) => void): () => void;
}

/** What is moved. */
interface Moved {
  now(): Position;
  /** Runs on to a time that lies ahead. */
  run(untilPs: number): Promise<void>;
  /** Goes to any time. */
  go(timePs: number): Promise<void>;
  settled(): Promise<void>;
  /** Where playing on from here is stopped; null if nothing does. */
  stopPs(): number | null;
  /** The film that is played at story pace; null where there is none. */
  film(): StoryFilm | null;
}

/** A way that is played in a given time, whatever the speed. */
interface Way {
  readonly from: number;
  readonly to: number;
  readonly ms: number;
  passed: number;
  /** Called when it is over: at its end, or where it was stopped. */
  over(): void;
}

const placeOn = ({ from, to, ms, passed }: Way): number =>
  passed < ms ? from + ((to - from) * passed) / ms : to;

/** A pause of the page (a hidden tab) does not make the run leap. */
const LONGEST_FRAME_MS = 100;
export class Playing {
  private stopClock: (() => void) | null = null;
  /** The machine is on its way to the last frame asked for; time passes meanwhile. */
  private busy = false;
  private owedMs = 0;
  private way: Way | null = null;
  /** Moment of the film, where several moments show one time. */
  private filmMs = 0;

  constructor(
    private readonly state: Store<PlayerState>,
    private readonly clock: Clock,
    private readonly moved: Moved,
  ) {}

  play(): void {
    const { status, playing, endPs } = this.state.getState();
    if (status !== 'ready' || playing) return;
    if (this.moved.now().timePs >= endPs) this.follow(this.moved.go(0));
    this.state.setState({ playing: true });
    this.owedMs = 0;
    this.stopClock = this.clock.every('advance', (time) => this.advance(time.elapsed));
  }

  /** Plays to a time in about so many milliseconds; resolves there, or where it was stopped. */
  async playTo(timePs: number, ms: number): Promise<void> {
    this.pause();
    const { status, endPs } = this.state.getState();
    const to = clamp(timePs, 0, endPs);
    if (status !== 'ready') return;
    if (to <= this.moved.now().timePs || ms <= 0) return this.moved.go(to);
    const arrived = new Promise<void>((over) => {
      this.way = { from: this.moved.now().timePs, to, ms, passed: 0, over };
    });
    this.play();
    await arrived;
    await this.moved.settled();
  }

  pause(): void {
    this.stopClock?.();
    this.stopClock = null;
    this.way?.over();
    this.way = null;
    if (this.state.getState().playing) this.state.setState({ playing: false });
  }

  /** One animation frame of playing: the playhead moves on, the machine follows when it is free. */
  private advance(elapsedMs: number): void {
    this.owedMs = Math.min(this.owedMs + elapsedMs, LONGEST_FRAME_MS);
    if (this.way) this.way.passed += elapsedMs;
    if (this.busy) return;
    const timePs = this.way ? placeOn(this.way) : this.nextPs();
    this.owedMs = 0;
    if (timePs === this.way?.to) this.pause();
    if (timePs !== this.moved.now().timePs) this.follow(this.moved.run(timePs));
  }

  /** The playhead is where the machine is: it moves no further before the machine has come. */
  private follow(way: Promise<void>): void {
    this.busy = true;
    void way.finally(() => {
      this.busy = false;
    });
  }

  /** Where the playhead comes to with the time that is owed; playing ends at what stops it, and at the end. */
  private nextPs(): number {
    const { speed, endPs, complete, halted } = this.state.getState();
    const stopPs = this.moved.stopPs() ?? Infinity;
    const shown = this.filmed() ?? {
      timePs: this.moved.now().timePs + (this.owedMs / 1000) * speed,
      isHeld: false,
    };
    const timePs = Math.min(shown.timePs, endPs, stopPs);
    const isOver = (complete || halted) && timePs >= endPs && !shown.isHeld;
    if (timePs === stopPs || isOver) this.pause();
    return timePs;
  }

  /** Where the film goes on to, and whether it holds that time; null at clock pace, and beyond its end. */
  private filmed(): { readonly timePs: number; readonly isHeld: boolean } | null {
    const { pace } = this.state.getState();
    const film = pace === 'story' ? this.moved.film() : null;
    const here = this.moved.now().timePs;
    if (!film || here > film.endPs) return null;
    if (film.timeAt(this.filmMs) !== here) this.filmMs = film.msAt(here);
    if (this.filmMs >= film.durationMs) return null;
    this.filmMs += this.owedMs;
    return { timePs: film.timeAt(this.filmMs), isHeld: this.filmMs < film.durationMs };
  }
}

/**
 * How fast a run is shown: simulated time per second of the viewer's time, in steps of 1, 2 and 5. The first choice
 * for a run makes single transactions distinguishable.
 */
const DECADES = Array.from({ length: 10 }, (_, power) => 10 ** (power + 3));

/** Picoseconds per second: 1 ns/s to 5 s/s. */
export const SPEEDS: readonly number[] = DECADES.flatMap((decade) => [
  decade,
  2 * decade,
  5 * decade,
]);

/** Transactions a second that an eye can follow. */
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

/** A speed that shows about eight transactions a second, by the middle of the gaps between them. */
export function maxFollowableSpeed(timesPs: readonly number[]): number {
  const gaps = timesPs
    .slice(1)
    .map((time, index) => time - (timesPs[index] ?? 0))
    .filter((gap) => gap > 0)
    .sort((a, b) => a - b);
  const middle = gaps[Math.floor(gaps.length / 2)];
  return nearestSpeed(middle ? middle * FOLLOWED : FALLBACK);
}
