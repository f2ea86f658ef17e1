import { expect, test } from 'vitest';
import type { TraceChunk } from '../../engine/api';
import { StoryIndex, type StoryRules } from '../trace/story-index';
import { storyFilm } from './story-film';

const NS = 1000;
const STEP = 7;

const RULES: StoryRules = {
  begins: (kind) => kind === STEP,
  longestEffectPs: () => 2000 * NS,
};

interface Row {
  readonly ns: number;
  readonly cause?: number;
  readonly step?: boolean;
}

/** Records 1, 2, 3 ... of a run. */
function chunkOf(rows: readonly Row[]): TraceChunk {
  return {
    firstSeq: 1,
    lost: 0,
    length: rows.length,
    timePs: Float64Array.from(rows, ({ ns }) => ns * NS),
    cause: Uint32Array.from(rows, ({ cause = 0 }) => cause),
    kind: Uint16Array.from(rows, ({ step }) => (step ? STEP : 0)),
    part: new Uint16Array(rows.length),
    a: new BigUint64Array(rows.length),
    b: new Uint32Array(rows.length),
    c: new Uint32Array(rows.length),
  };
}

function storyOf(rows: readonly Row[]): StoryIndex {
  const story = new StoryIndex(RULES);
  story.append(chunkOf(rows));
  return story;
}

/** Two transactions of 100 ns with 60 ns between them, a long wait, and a third one. */
const RUN: readonly Row[] = [
  { ns: 50, step: true },
  { ns: 100, cause: 1 },
  { ns: 150, cause: 2 },
  { ns: 210, step: true },
  { ns: 310, cause: 4 },
  { ns: 9_000, step: true },
  { ns: 9_100, cause: 6 },
];
const END = 10_000 * NS;

test('a step settles with the last effect of its record', () => {
  const { seqs, starts, settled } = storyOf(RUN);
  expect(seqs).toEqual([1, 4, 6]);
  expect(starts.map((ps) => ps / NS)).toEqual([50, 210, 9_000]);
  expect(settled.map((ps) => ps / NS)).toEqual([150, 310, 9_100]);
});

test('records at one time are one step, and a late effect ends a wait', () => {
  const story = storyOf([
    { ns: 10, step: true },
    { ns: 10, step: true },
    { ns: 5_000, cause: 2 },
  ]);
  expect(story.length).toBe(1);
  expect(story.settled).toEqual([10 * NS]);
});

test('the story does not depend on how records are split into chunks', () => {
  const story = new StoryIndex(RULES);
  const all = chunkOf(RUN);
  for (let i = 0; i < RUN.length; i++)
    story.append({
      ...all,
      firstSeq: i + 1,
      length: 1,
      timePs: all.timePs.subarray(i, i + 1),
      cause: all.cause.subarray(i, i + 1),
      kind: all.kind.subarray(i, i + 1),
    });
  story.append(all);
  expect(story.starts).toEqual(storyOf(RUN).starts);
  expect(story.settled).toEqual(storyOf(RUN).settled);
});

test('each step gets time to be seen, and dead time is cut', () => {
  const film = storyFilm(storyOf(RUN), END);
  if (!film) throw new Error('no film');
  const shown = (from: number, to: number) => film.msAt(to * NS) - film.msAt(from * NS);
  expect(shown(50, 150)).toBe(500);
  expect(shown(150, 210)).toBeCloseTo(300);
  expect(shown(310, 9_000)).toBe(160);
  const cuts = film.cutsIn(0, END).map(({ fromPs, toPs }) => [fromPs / NS, toPs / NS]);
  expect(cuts).toEqual([
    [310, 9_000],
    [9_100, 10_000],
  ]);
  expect(film.cutsIn(0, 300 * NS)).toEqual([]);
});

test('film time and run time map to each other', () => {
  const film = storyFilm(storyOf(RUN), END);
  if (!film) throw new Error('no film');
  let before = 0;
  for (let ms = 0; ms <= film.durationMs; ms += 10) {
    const timePs = film.timeAt(ms);
    expect(timePs).toBeGreaterThanOrEqual(before);
    expect(film.timeAt(film.msAt(timePs))).toBeCloseTo(timePs, 3);
    before = timePs;
  }
  expect(film.timeAt(film.durationMs)).toBe(END);
  expect(film.stepAt(49 * NS)).toBe(-1);
  expect(film.stepAt(210 * NS)).toBe(1);
});

test('steps without length hold the time long enough to be seen', () => {
  const film = storyFilm(
    storyOf([
      { ns: 100, step: true },
      { ns: 200, step: true },
    ]),
    END,
  );
  expect(film?.timeAt(film.msAt(100 * NS) + 340)).toBe(100 * NS);
  expect(storyFilm(storyOf([]), END)).toBeNull();
});
