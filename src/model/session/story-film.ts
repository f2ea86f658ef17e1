/**
 * Story pace: a run as a film that gives each step of its story time to be seen, and cuts dead time.
 *
 *     run    |step|.......dead.......|step|step|      picoseconds
 *     film   |----step----|cut|----step----|----step----|      milliseconds
 *
 * The film is a pure function from film time to run time, so any moment can be sought and captured.
 */
import { clamp } from '../../base/geometry';
import type { StoryIndex } from '../trace/story-index';

/** Minimum and maximum duration of a step in milliseconds, chosen so that an eye can follow. */
const LEAST_STEP_MS = 350;
const MAX_STEP_MS = 1400;
/** Duration of a step of average length. */
const AVERAGE_STEP_MS = 500;
/** Duration of a cut. */
const CUT_MS = 160;

/** A part of the run that the film leaves out. */
export interface Cut {
  readonly fromPs: number;
  readonly toPs: number;
}

export interface StoryFilm {
  readonly durationMs: number;
  /** End of the film, in picoseconds of the run. */
  readonly endPs: number;
  /** Run time at a film time. */
  timeAt(ms: number): number;
  /** First film time that shows a run time. */
  msAt(timePs: number): number;
  /** Index of the last step started by a time; -1 before the first. */
  stepAt(timePs: number): number;
  /** Cuts within a window of the run. */
  cutsIn(fromPs: number, toPs: number): readonly Cut[];
}

/** Pieces of the film, in order: a stretch of the run and its film time. */
interface Pieces {
  readonly fromPs: number[];
  readonly toPs: number[];
  readonly fromMs: number[];
  readonly toMs: number[];
  readonly isCut: boolean[];
}

/** Number of values of an increasing list below a limit. */
function below(rising: readonly number[], limit: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Story = Pick<StoryIndex, 'starts' | 'settled'>;

/** Median length of the steps. Steps without length are ignored. */
function averageLength({ starts, settled }: Story): number {
  const lengths = starts
    .slice(0, 4096)
    .map((start, step) => (settled[step] as number) - start)
    .filter((length) => length > 0)
    .sort((a, b) => a - b);
  return lengths[lengths.length >> 1] ?? 0;
}

function piecesOf({ starts, settled }: Story, endPs: number): Pieces {
  const pieces: Pieces = { fromPs: [], toPs: [], fromMs: [], toMs: [], isCut: [] };
  const average = averageLength({ starts, settled });
  const msOf = (ps: number) => (average > 0 ? (ps * AVERAGE_STEP_MS) / average : 0);
  const show = (toPs: number, ms: number, isCut: boolean) => {
    const at = pieces.toMs.at(-1) ?? 0;
    pieces.fromPs.push(pieces.toPs.at(-1) ?? 0);
    pieces.toPs.push(toPs);
    pieces.fromMs.push(at);
    pieces.toMs.push(at + ms);
    pieces.isCut.push(isCut);
  };
  /** Short pauses pass at the pace of the steps, long ones are cut. */
  const pause = (fromPs: number, toPs: number) => {
    const ms = msOf(toPs - fromPs);
    const isCut = average === 0 || ms > LEAST_STEP_MS;
    if (toPs > fromPs) show(toPs, isCut ? CUT_MS : ms, isCut);
  };
  pause(0, starts[0] ?? endPs);
  let busyUntil = 0;
  starts.forEach((start, step) => {
    const next = Math.max(start, starts[step + 1] ?? endPs);
    busyUntil = Math.max(busyUntil, settled[step] as number);
    const live = Math.max(start, Math.min(busyUntil, next));
    show(live, clamp(msOf(live - start), LEAST_STEP_MS, MAX_STEP_MS), false);
    pause(live, next);
  });
  return pieces;
}

/** Maps x linearly from the range a..b to the range c..d. */
const between = (x: number, a: number, b: number, c: number, d: number): number =>
  b > a ? c + ((d - c) * clamp(x - a, 0, b - a)) / (b - a) : c;

/** The film of a run up to `endPs`; null if the story is empty. */
export function storyFilm(story: Story, endPs: number): StoryFilm | null {
  if (story.starts.length === 0) return null;
  const { fromPs, toPs, fromMs, toMs, isCut } = piecesOf(story, endPs);
  const last = toPs.length - 1;
  const map = (x: number, from: number[], to: number[], into: number[], intoEnd: number[]) => {
    const piece = Math.min(below(to, x), last);
    const [a, b] = [from[piece] as number, to[piece] as number];
    return between(x, a, b, into[piece] as number, intoEnd[piece] as number);
  };
  return {
    durationMs: toMs[last] as number,
    endPs: toPs[last] as number,
    timeAt: (ms) =>
      ms >= (toMs[last] as number) ? (toPs[last] as number) : map(ms, fromMs, toMs, fromPs, toPs),
    msAt: (timePs) =>
      timePs > (toPs[last] as number)
        ? (toMs[last] as number)
        : map(timePs, fromPs, toPs, fromMs, toMs),
    stepAt: (timePs) => below(story.starts, timePs + 1) - 1,
    cutsIn(from, to) {
      const cuts: Cut[] = [];
      for (let piece = below(toPs, from); piece <= last && (fromPs[piece] as number) < to; piece++)
        if (isCut[piece])
          cuts.push({ fromPs: fromPs[piece] as number, toPs: toPs[piece] as number });
      return cuts;
    },
  };
}
