import { expect, test } from 'vitest';
import { FRAME_MS, filmFrames } from './film-frames';
import type { StoryFilm } from './story-film';

/** A run of 10 µs whose film shows its first microsecond in 800 ms, and the rest, cut, in 160 ms. */
const film: StoryFilm = {
  durationMs: 960,
  endPs: 10e6,
  timeAt: (ms) => (ms < 800 ? (ms / 800) * 1e6 : Math.min(10e6, 1e6 + ((ms - 800) / 160) * 9e6)),
  msAt: (timePs) => (timePs < 1e6 ? (timePs / 1e6) * 800 : 800 + ((timePs - 1e6) / 9e6) * 160),
  stepAt: () => 0,
  cutsIn: () => [],
};
const span = { fromPs: 0, endPs: 10e6, ms: 5000, film, speed: 1e6 };

test('a film at story pace has the times of the story, as often as a frame is seen', () => {
  const frames = filmFrames(span);
  expect(frames).toHaveLength(960 / FRAME_MS + 1);
  expect(frames.slice(0, 3)).toEqual([0, 1e5, 2e5]);
  expect(frames.at(-1)).toBe(10e6);
});

test('it begins at its moment, and ends after its length', () => {
  expect(filmFrames({ ...span, fromPs: 5e5, ms: 160 })).toEqual([5e5, 6e5, 7e5]);
});

test('at clock pace each frame is as far from the next', () => {
  const frames = filmFrames({ ...span, film: null, fromPs: 1e6, ms: 400 });
  expect(frames).toEqual([1e6, 1.08e6, 1.16e6, 1.24e6, 1.32e6, 1.4e6]);
});

test('at the end of the run there is one picture', () => {
  expect(filmFrames({ ...span, film: null, fromPs: 10e6 })).toEqual([10e6]);
});
