/** The frames of a film that is saved: a pure function of its beginning, its length and the pace. */
import type { StoryFilm } from './story-film';

/** Time between frames in milliseconds: GIF counts hundredths of a second, and twelve pictures per second show motion. */
export const FRAME_MS = 80;

export interface FilmSpan {
  readonly fromPs: number;
  /** End of the run. */
  readonly endPs: number;
  /** Length of the film, unless the run ends before. */
  readonly ms: number;
  /** The run at story pace; null at clock pace. */
  readonly film: StoryFilm | null;
  /** Picoseconds of the run per second, at clock pace. */
  readonly speed: number;
}

/** Run times of the frames, in picoseconds; the last one is the end of the film. */
export function filmFrames({ fromPs, endPs, ms, film, speed }: FilmSpan): readonly number[] {
  const first = film?.msAt(fromPs) ?? 0;
  const leftMs = film ? film.durationMs - first : ((endPs - fromPs) / speed) * 1000;
  const lengthMs = Math.max(0, Math.min(ms, leftMs));
  const timeAt = (at: number) => film?.timeAt(first + at) ?? fromPs + (at / 1000) * speed;
  const count = Math.ceil(lengthMs / FRAME_MS);
  return Array.from({ length: count + 1 }, (_, frame) =>
    Math.min(endPs, Math.max(fromPs, timeAt(Math.min(frame * FRAME_MS, lengthMs)))),
  );
}
